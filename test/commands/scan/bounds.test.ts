// What a scan leaves out is said: the rest of a long log of a BMC, and hosts beyond the most.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FoundEvents } from '../../../src/commands/scan/found-events.ts';
import { hostsOf } from '../../../src/commands/scan/host-names.ts';
import { Reading } from '../../../src/commands/scan/reading.ts';
import { Readings } from '../../../src/commands/scan/readings.ts';
import { Steps } from '../../../src/commands/scan/steps.ts';
import type { EventInput } from '../../../src/model/record.ts';
import { workOf } from '../../work.ts';

const LOST = {
  Id: '1',
  EntryType: 'Event',
  Created: '2026-11-28T12:00:00Z',
  Message: 'Power supply redundancy is lost.',
  MessageId: 'IDRAC.2.8.RDU0012',
  Severity: 'Critical',
};

async function* once(bytes: Buffer): AsyncGenerator<Buffer, void, undefined> {
  yield bytes;
}

async function read(text: string) {
  const found = new FoundEvents();
  const wanted = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY, hosts: null, host: null };
  const reading = new Reading({ found, steps: new Steps(), readings: new Readings(), wanted: wanted as never });
  await reading.read({ name: 'sel.json', savedMs: Date.UTC(2026, 10, 29), bytes: once(Buffer.from(text)) });
  return { assumed: reading.inputs.flatMap((input) => input.assumed), cut: reading.cut, found: found.of(found.hosts) };
}

test('a log of a BMC beyond 16 MiB is read as far as that, and it is said', async () => {
  const entry = JSON.stringify(LOST);
  const short = await read(`[${entry}]`);
  assert.deepEqual([short.assumed, short.cut], [[], []]);
  const long = await read(`[${entry}${' '.repeat(16 << 20)},${entry.replace('"1"', '"2"')}]`);
  assert.deepEqual([long.assumed, long.cut], [['first_16_mib'], ['sel.json']]);
  assert.deepEqual(
    long.found.map(({ kind }) => kind),
    short.found.map(({ kind }) => kind),
  );
  assert.equal(long.found.length, 1);
});

test('events of hosts beyond the most are counted, those of known hosts are kept', () => {
  const found = new FoundEvents();
  const event = (timeMs: number): EventInput =>
    ({ kind: 'gpu.lost', component: null, source: 'kernel-log', timeMs }) as unknown as EventInput;
  for (let i = 0; i < 16_400; i += 1) found.add(`h${i}`, event(1));
  found.add('h7', event(2));
  assert.equal(found.hosts.length, 16_384);
  assert.equal(found.ofHostsLeftOut, 16);
  assert.equal(found.of(['h7']).length, 2);
});

test('whose logs are is found in work that grows as the logs do, however they hang together', async () => {
  const shapes: Readonly<Record<string, (i: number, all: number) => string[]>> = {
    'each of a host of its own': (i) => [`gx-${i}`],
    'all of one host': () => ['gx-1'],
    'each of two, in a chain': (i) => [`gx-${i}`, `gx-${i + 1}`],
    'each of two, joined from both ends': (i, all) => [`gx-${Math.min(i, all - i)}`, `gx-${(i * 7919) % all}`],
    'pairs of pairs': (i) => [`gx-${i}`, `gx-${i & (i - 1)}`],
  };
  for (const [shape, about] of Object.entries(shapes)) {
    const work = async (all: number): Promise<number> => {
      const log = (i: number) => ({ kernel: false, path: `/logs/${i}/table`, about: about(i, all) });
      const logs = new Map(Array.from({ length: all }, (_, i) => [`log ${i}`, log(i)]));
      return await workOf(['/src/commands/scan/'], () => void hostsOf(new Set(), logs));
    };
    const [few, many] = [await work(256), await work(2048)];
    assert.ok(many < 12 * few, `${shape}: ${few} for 256 logs, ${many} for 2048`);
  }
});
