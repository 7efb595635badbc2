// How new entries are found, whatever order, pages and queries a service has.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RedfishClient } from '../../../../src/sources/bmc/http/client.ts';
import type { RedfishTransport } from '../../../../src/sources/bmc/http/transport.ts';
import { LogReader } from '../../../../src/sources/bmc/log/log-reader.ts';
import { bmcConfig } from '../support.ts';

const LOG = { path: '/log', name: 'Sel', zone: null };
const T0 = Date.UTC(2026, 10, 2, 10);

interface Shape {
  /** Entries, oldest first. */
  entries: { Id: string; Created: string; Message: string }[];
  readonly newestFirst?: boolean;
  readonly page?: number;
  readonly skips?: boolean;
  readonly links?: boolean;
}

const entry = (id: number, atS = id) => ({
  Id: String(id),
  Created: new Date(T0 + atS * 1000).toISOString().replace('.000', ''),
  Message: `entry ${id}`,
});
const many = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => entry(from + i));

/** A service in memory; what it was asked for is in `asked`. */
function serving(shape: Shape): { client: RedfishClient; asked: string[] } {
  const asked: string[] = [];
  const transport: RedfishTransport = {
    peer: { url: 'http://b', user: null },
    abort: () => undefined,
    close: () => undefined,
    async send({ path }) {
      asked.push(path);
      const url = new URL(path, 'http://b');
      return {
        status: 200,
        headers: {},
        sentMs: T0,
        receivedMs: T0,
        body: JSON.stringify(url.pathname === '/log' ? page(shape, url) : member(shape, url.pathname)),
      };
    },
  };
  return {
    client: new RedfishClient(bmcConfig('http://b', { user: null, password: null }), () => T0, { transport }),
    asked,
  };
}

function page(
  { entries, newestFirst = false, page: size = 1e9, skips = true, links = false }: Shape,
  url: URL,
): object {
  const all = newestFirst ? entries.toReversed() : entries;
  const given = url.searchParams.get('$skip');
  const start = given !== null && (skips || url.searchParams.has('own')) ? Number(given) : 0;
  const shown = all.slice(start, start + size);
  const more = start + size < all.length;
  return {
    Members: shown.map((one) =>
      links ? { '@odata.id': `/log/${one.Id}` } : { '@odata.id': `/log/${one.Id}`, ...one },
    ),
    'Members@odata.count': all.length,
    ...(more ? { 'Members@odata.nextLink': `/log?own=1&$skip=${start + size}` } : {}),
  };
}

function member({ entries }: Shape, path: string): object {
  return entries.find(({ Id }) => path === `/log/${Id}`) ?? {};
}

async function ids(reader: LogReader, client: RedfishClient): Promise<string[]> {
  const news = await reader.read(client);
  assert.ok(news);
  return news.entries.map(({ id }) => id);
}

for (const [name, shape] of [
  ['oldest first, all at once', {}],
  ['newest first, all at once', { newestFirst: true }],
  ['newest first, in pages', { newestFirst: true, page: 50 }],
  ['oldest first, in pages, with $skip', { page: 50 }],
  ['oldest first, in pages, deaf to $skip', { page: 50, skips: false }],
] as const) {
  test(`${name}: each new entry comes once, in order, also when the log was cleared`, async () => {
    const service: Shape = { entries: many(1, 230), ...shape };
    const { client } = serving(service);
    const reader = new LogReader(LOG, null);
    const first = await ids(reader, client);
    assert.equal(first.at(-1), '230');
    assert.deepEqual(await ids(reader, client), []);
    service.entries.push(...many(231, 233));
    assert.deepEqual(await ids(reader, client), ['231', '232', '233']);
    assert.deepEqual(await ids(reader, client), []);
    service.entries = [entry(1, 1000), entry(2, 1001)];
    assert.deepEqual(await ids(reader, client), ['1', '2'], 'numbers begin again');
    service.entries.push(entry(3, 5));
    assert.deepEqual(await ids(reader, client), ['3'], 'its clock was set back');
  });

  test(`${name}: what an earlier run read is not read again`, async () => {
    const { client } = serving({ entries: many(1, 60), ...shape });
    const reader = new LogReader(LOG, { id: '57', createdMs: T0 + 57_000 });
    assert.deepEqual(await ids(reader, client), ['58', '59', '60']);
    assert.deepEqual(reader.place, { id: '60', createdMs: T0 + 60_000 });
  });
}

test('with $skip a long log is not read as a whole again', async () => {
  const service: Shape = { entries: many(1, 500), page: 50 };
  const { client, asked } = serving(service);
  const reader = new LogReader(LOG, null);
  await reader.read(client);
  asked.length = 0;
  service.entries.push(entry(501));
  assert.deepEqual(await ids(reader, client), ['501']);
  assert.deepEqual(asked, ['/log?$skip=500']);
});

test('members that are links are fetched, the newest of them', async () => {
  const { client, asked } = serving({ entries: many(1, 30), links: true });
  const found = await ids(new LogReader(LOG, null), client);
  assert.deepEqual([found.length, found.at(-1)], [20, '30']);
  assert.equal(asked.length, 21);
});
