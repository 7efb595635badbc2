// The logs of a BMC next to its polls: what came and went between two of them, what was before, and that no log overrules a poll.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventInput } from '../../../../src/model/record.ts';
import type { RedfishClient } from '../../../../src/sources/bmc/http/client.ts';
import { decodeEntry, type LogEntry } from '../../../../src/sources/bmc/log/log-entry.ts';
import { LogWatch } from '../../../../src/sources/bmc/log/log-watch.ts';
import { BmcRecord } from '../../../../src/sources/bmc/memory/bmc-record.ts';
import { BmcClock } from '../../../../src/sources/bmc/watch/clock.ts';

const NOW = Date.UTC(2026, 10, 2, 12);
const AHEAD = 90_000;
const PARTS = {
  supplies: [
    { slot: '1', paths: [] },
    { slot: '2', paths: [] },
  ],
  fans: [],
};
const LOST = 'The power input for power supply 1 is lost.';
const BACK = 'The input power for power supply 1 has been restored.';

interface World {
  nowMs: number;
  readonly lines: object[];
  readonly open: Set<string>;
  readonly watch: LogWatch;
  readonly record: BmcRecord;
  read(): Promise<EventInput[]>;
  /** A line that the BMC's clock stamps now, or so many seconds ago. */
  write(Message: string, agoS?: number): void;
}

function world(record = new BmcRecord()): World {
  const clock = new BmcClock();
  clock.observe(NOW + AHEAD, NOW, NOW);
  const lines: object[] = [];
  const client = {
    beginLook: () => undefined,
    tryGet: async (path: string) => ({
      body: { Members: lines, 'Members@odata.count': lines.length },
      path,
      sentMs: made.nowMs,
      receivedMs: made.nowMs,
      dateMs: null,
    }),
  } as unknown as RedfishClient;
  const made: World = {
    nowMs: NOW,
    lines,
    open: new Set(),
    record,
    watch: new LogWatch({
      host: 'n',
      record,
      now: () => made.nowMs,
      toOurs: (stampMs) => clock.toOurs(stampMs),
      parts: () => PARTS,
      isOpen: ({ kind, component }) => made.open.has(`${kind} ${component.id}`),
      answered: () => undefined,
    }),
    read: () => made.watch.read(client, new AbortController().signal),
    write(Message, agoS = 0) {
      const Created = new Date(made.nowMs + AHEAD - agoS * 1000).toISOString();
      lines.push({ Id: String(lines.length + 1), Created, Message });
    },
  };
  made.watch.plan([{ path: '/log', name: 'Sel', zone: null }]);
  return made;
}

const shown = (events: readonly EventInput[]) =>
  events.map(({ kind, state, component }) => `${kind} ${state} ${component?.id}`);

test('a loss that came and went between two polls is an onset and its end, on our clock', async () => {
  const w = world();
  await w.read();
  w.nowMs += 20_000;
  w.write(LOST, 12);
  w.write(BACK, 9);
  const events = await w.read();
  assert.deepEqual(shown(events), ['psu.input_lost onset n/1', 'psu.input_lost clear n/1']);
  const [onset] = events;
  const happenedMs = w.nowMs - 12_000;
  assert.ok(onset?.interval && onset.interval.earliestMs <= happenedMs && happenedMs <= onset.interval.latestMs);
  assert.ok(onset.interval.latestMs - onset.interval.earliestMs <= 2100, 'as narrow as whole seconds allow');
  assert.equal(onset.attributes?.log, 'Sel');
});

test('one that the poll sees too begins when the log says; its end is left to the poll', async () => {
  const w = world();
  await w.read();
  w.nowMs += 20_000;
  w.open.add('psu.input_lost n/1');
  w.write(LOST, 5);
  assert.deepEqual(shown(await w.read()), ['psu.input_lost onset n/1']);
  w.nowMs += 20_000;
  w.write(BACK, 1);
  assert.deepEqual(await w.read(), [], 'the poll still sees it');
});

test('one that the log never ends and the poll does not see is a moment', async () => {
  const w = world();
  await w.read();
  w.nowMs += 20_000;
  w.write(LOST, 5);
  assert.deepEqual(shown(await w.read()), ['psu.input_lost point n/1']);
});

test('an end whose beginning is older than the reading is nothing', async () => {
  const w = world();
  w.write(BACK, 5);
  assert.deepEqual(await w.read(), []);
});

test('of a log that was never read the last hour is taken, of one that was read all since then', async () => {
  const w = world();
  w.write(LOST, 7200);
  w.write('Power supply redundancy is lost.', 600);
  assert.deepEqual(shown(await w.read()), ['psu.redundancy_lost point n']);
  const later = world(new BmcRecord(w.record.facts));
  later.lines.push(...w.lines);
  later.nowMs += 3 * 3_600_000;
  later.write('System Power Supply: General Failure (Power Supply 2)', 7200);
  assert.deepEqual(shown(await later.read()), ['psu.failure point n/2']);
});

test('what was sent and is in the log as well comes once', async () => {
  const w = world();
  await w.read();
  w.nowMs += 20_000;
  w.write(LOST, 1);
  const sent = decodeEntry(w.lines[0], null) as LogEntry;
  assert.deepEqual(shown(w.watch.sent([sent], 'events')), ['psu.input_lost point n/1']);
  assert.deepEqual(await w.read(), []);
});

test('an entry without a usable time is between the two readings, and none at the first', async () => {
  const w = world();
  w.lines.push({ Id: '1', Created: '1970-01-01T00:00:00Z', Message: LOST });
  assert.deepEqual(await w.read(), []);
  w.nowMs += 20_000;
  w.lines.push({ Id: '2', Created: '1970-01-01T00:00:09Z', Message: LOST });
  const [event] = await w.read();
  assert.deepEqual(event?.interval, { earliestMs: NOW, latestMs: w.nowMs });
});

test('a log is not read at every poll, and at once where something happened', async () => {
  const w = world();
  await w.read();
  w.write(LOST, 1);
  assert.deepEqual(await w.read(), []);
  w.watch.hurry();
  assert.equal((await w.read()).length, 1);
});
