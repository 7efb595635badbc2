// What a scan leaves out is said: the rest of a long log of a BMC, and hosts beyond the most.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FoundEvents } from '../../../src/commands/scan/found-events.ts';
import { Reading } from '../../../src/commands/scan/reading.ts';
import { Readings } from '../../../src/commands/scan/readings.ts';
import { Steps } from '../../../src/commands/scan/steps.ts';
import type { EventInput } from '../../../src/model/record.ts';

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
