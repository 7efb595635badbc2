// List and watch against recorded replies: pages, versions that are gone, lines in pieces, tokens that change.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { HttpClient, JSON_TYPE } from '../../../../src/sources/kubernetes/api/http-client.ts';
import { ListWatch } from '../../../../src/sources/kubernetes/api/list-watch.ts';
import { at } from '../../../../src/sources/kubernetes/pod/values.ts';
import { until } from '../../../until.ts';
import { temporary } from '../support.ts';
import { type FakeApi, fakeApi, line, podJson } from './fake-api.ts';

interface Run {
  readonly list: ListWatch;
  readonly lists: string[][];
  readonly changes: string[];
  readonly token: string;
}

const nameOf = (item: unknown): string => String(at(item, 'metadata', 'name'));

function running(t: TestContext, { url }: FakeApi): Run {
  const token = join(temporary(t), 'token');
  writeFileSync(token, 'first\n');
  const client = new HttpClient({ url, tokenFile: token, caFile: null, insecure: false, name: null, trust: '' });
  const lists: string[][] = [];
  const changes: string[] = [];
  const list = new ListWatch({
    client,
    path: '/api/v1/pods',
    fieldSelector: 'spec.nodeName=node-3',
    accept: JSON_TYPE,
    onList: (items) => void lists.push(items.map(nameOf)),
    onChange: (type, item) => void changes.push(`${type} ${nameOf(item)}`),
    random: () => 0,
  });
  t.after(() => {
    list.stop();
    client.close();
  });
  list.start();
  return { list, lists, changes, token };
}

const isWatch = (url: URL): boolean => url.searchParams.get('watch') === 'true';

test('pages of a list, then the watch from its version, with the token of the moment', async (t) => {
  const api = await fakeApi(t, ({ url }) => {
    if (isWatch(url)) return 'stream';
    const next = url.searchParams.get('continue');
    return {
      metadata: { resourceVersion: '41', ...(next === null ? { continue: 'more' } : {}) },
      items: [podJson('u', next === null ? 'a' : 'b')],
    };
  });
  const { lists, changes, token } = running(t, api);
  const [stream] = await until(() => (api.streams.length === 1 ? api.streams : null));
  assert.deepEqual(lists, [['a', 'b']]);
  const watched = api.asked.find(({ url }) => isWatch(url));
  assert.equal(watched?.url.searchParams.get('resourceVersion'), '41');
  assert.equal(watched?.url.searchParams.get('fieldSelector'), 'spec.nodeName=node-3');
  assert.ok(api.asked.every(({ authorization }) => authorization === 'Bearer first'));

  const whole = line('ADDED', podJson('c', 'c')) + line('BOOKMARK', { metadata: { resourceVersion: '77' } });
  stream?.write(whole.slice(0, 20));
  stream?.write(whole.slice(20));
  stream?.write(line('DELETED', podJson('a', 'a')));
  await until(() => changes.length === 2);
  assert.deepEqual(changes, ['ADDED c', 'DELETED a']);

  writeFileSync(token, 'second\n');
  stream?.end();
  await until(() => api.streams.length === 2);
  const again = api.asked.at(-1);
  assert.equal(again?.authorization, 'Bearer second');
  assert.equal(
    again?.url.searchParams.get('resourceVersion'),
    '7',
    'it continues from the last version, not from a list',
  );
  assert.equal(lists.length, 1);
});

test('a version that is gone, as a status or as an event of the watch, is listed again', async (t) => {
  let version = 0;
  const api = await fakeApi(t, ({ url }) => {
    if (!isWatch(url)) {
      version += 1;
      return { metadata: { resourceVersion: String(version) }, items: [] };
    }
    return url.searchParams.get('resourceVersion') === '1' ? 410 : 'stream';
  });
  const { list, lists } = running(t, api);
  const [stream] = await until(() => (api.streams.length === 1 ? api.streams : null));
  assert.equal(lists.length, 2);
  stream?.write(line('ERROR', { code: 410, reason: 'Expired' }));
  await until(() => api.streams.length === 2);
  assert.equal(list.lists, 3);
  assert.equal(list.trouble, null);
});

test('what is not a list, and a right that is missing, is trouble with its reason', async (t) => {
  let reply: object | number | string = 403;
  const api = await fakeApi(t, () => reply);
  const { list } = running(t, api);
  await until(() => list.trouble?.fault === 'forbidden');
  assert.match(list.trouble?.message ?? '', /^http:\/\/127\.0\.0\.1:\d+\/api\/v1\/pods: status 403$/);
  for (const [given, fault] of [[401, 'unauthorized'], [{ kind: 'Status' }, 'bad_reply'], ['<html>', 'bad_reply'], [503, 'busy']] as const) {
    reply = given;
    await assert.rejects(list.probe(), { fault });
  } // biome-ignore format: one table
});

test('a token file that is gone is trouble, and no request goes out without one', async (t) => {
  const api = await fakeApi(t, () => 500);
  const client = new HttpClient({ url: api.url, tokenFile: join(temporary(t), 'none'), caFile: null, insecure: false, name: null, trust: '' }); // biome-ignore format: one line
  t.after(() => client.close());
  await assert.rejects(client.get('/pods', JSON_TYPE, 1000), { fault: 'unauthorized' });
  assert.equal(api.asked.length, 0);
});

test('a line that never ends is refused', async (t) => {
  const api = await fakeApi(t, ({ url }) =>
    isWatch(url) ? 'stream' : { metadata: { resourceVersion: '1' }, items: [] },
  );
  const { list } = running(t, api);
  const [stream] = await until(() => (api.streams.length === 1 ? api.streams : null));
  stream?.on('error', () => {}); // the other side hangs up in the middle
  stream?.write('x'.repeat(5 * 1024 * 1024));
  await until(() => list.trouble?.fault === 'too_large');
});
