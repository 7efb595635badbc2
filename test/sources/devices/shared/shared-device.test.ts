// One poller for several hosts: each sees all that was read, one asks; another takes over when that one dies, or gives the lease back.

import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Emit, EventInput, SampleBatch } from '../../../../src/model/record.ts';
import { DeviceError } from '../../../../src/sources/devices/poll-answer.ts';
import type { Device, Look } from '../../../../src/sources/devices/poller.ts';
import { SharedDevice } from '../../../../src/sources/devices/shared/shared-device.ts';
import { COOLING, POWER, readLooks, SHARED_SCHEMA } from '../../../../src/sources/devices/shared/shared-looks.ts';

const PDU = { type: 'pdu', id: 'a' } as const;
const BRANCH = { type: 'pdu_branch', id: 'a/1' } as const;

class Silent extends DeviceError {
  readonly code = 'FL2101';
  readonly fault = 'timeout';
  readonly remedy = null;
  readonly afterwards = 'retry';
}

interface Host {
  readonly shared: SharedDevice;
  readonly batches: SampleBatch[];
  readonly events: EventInput[];
  readonly parts: string[];
  asked: number;
  /** Outlets that its device tells of at each look, others each time. */
  outlets: number;
  silent: boolean;
  nowMs: number;
  look(): Promise<void>;
}

/** `ahead`: its clock, ms. */
function host(folder: string, name: string, ahead = 0): Host {
  const made: Host = {
    batches: [],
    events: [],
    parts: [],
    asked: 0,
    outlets: 0,
    silent: false,
    nowMs: 1_000_000 + ahead,
    look: () =>
      made.shared.look({
        emit,
        nextDue: 0,
        startedMs: made.nowMs,
        signal: new AbortController().signal,
        answered() {},
      }),
    shared: null as never,
  };
  const emit: Emit = {
    samples: (batch) => made.batches.push(batch),
    text() {},
    event: (event) => made.events.push(event),
    discovery: ({ component }) => made.parts.push(`${component.type}/${component.id}`),
  };
  const device: Device = {
    name: 'pdu/a',
    what: 'PDU',
    logFields: {},
    pace: { intervalMs: 2000, rest: 1, pauseFrom: 3, doublesAfter: 2, longestPauseMs: 30_000 },
    async look(look: Look) {
      made.asked += 1;
      if (made.silent) throw new Silent('FL2101 no answer');
      if (made.asked === 1)
        look.emit.discovery({
          component: BRANCH,
          links: [{ from: PDU, to: BRANCH, relation: 'contains', source: 'host' }],
        });
      for (let i = 0; i < made.outlets; i += 1)
        look.emit.discovery({ component: { type: 'pdu_outlet', id: `a/${made.asked}-${i}` }, links: [] });
      const timeMs = made.nowMs;
      look.emit.samples({
        source: 'pdu',
        trust: 'facility',
        keys: ['pdu_branch/a/1#current'],
        timesMs: [timeMs],
        values: [made.asked],
      });
      if (made.asked === 4)
        look.emit.event({
          kind: 'power.overload',
          component: BRANCH,
          state: 'onset',
          timeMs,
          observedMs: timeMs,
          trust: 'facility',
          source: 'pdu',
          attributes: { load_state: 'overload' },
          evidence: [{ source: 'pdu', timeMs, text: 'load state overload' }],
        });
    },
    reachEvent: ({ edge, timeMs }, observedMs) => ({
      kind: 'power.feed_unreachable',
      component: PDU,
      state: edge,
      timeMs,
      observedMs,
      trust: 'facility',
      source: 'pdu',
    }),
    health: () => ({ status: 'works', detail: 'one branch', remedy: null }),
    close() {},
  };
  const shared = new SharedDevice(device, { folder, name: 'a', host: name, now: () => made.nowMs, scope: POWER });
  return Object.assign(made, { shared });
}

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'fl-shared-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

async function rounds(hosts: readonly Host[], count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    for (const one of hosts) one.nowMs += 2000;
    for (const one of hosts) await one.look();
  }
}

test('three hosts: one asks, all have each reading, part and event once', async (t) => {
  const folder = folderOf(t);
  const [a, b, c] = [host(folder, 'node-1'), host(folder, 'node-2'), host(folder, 'node-3', 700)];
  await rounds([a, b, c], 12);
  assert.deepEqual([a.asked, b.asked, c.asked], [12, 0, 0]);
  for (const one of [b, c]) {
    const values = one.batches.flatMap((batch) => batch.values);
    assert.deepEqual(values, [...new Set(values)], 'each once');
    assert.equal(values.at(-1), 12);
    assert.ok(values.length >= 9, `${values.length} readings`);
    assert.deepEqual(one.parts, ['pdu_branch/a/1']);
    const [event, ...more] = one.events;
    assert.deepEqual(more, []);
    assert.deepEqual(
      [event?.kind, event?.state, event?.attributes],
      ['power.overload', 'onset', { load_state: 'overload' }],
    );
    const happened = a.events[0]?.timeMs ?? 0;
    assert.ok(event?.interval && event.interval.earliestMs <= happened && event.interval.latestMs >= happened - 1000);
    assert.equal(event?.observedMs !== undefined && event.observedMs >= event.interval.latestMs, true);
  }
  assert.match(JSON.stringify(b.shared.health()), /polled by node-1 for all hosts that share/);
});

test('when the holder dies another takes over within a few polls; when it stops, at once', async (t) => {
  const folder = folderOf(t);
  const [a, b] = [host(folder, 'node-1'), host(folder, 'node-2')];
  await rounds([a, b], 4);
  await rounds([b], 5);
  assert.equal(b.asked, 1, 'ten seconds after the last sign of life');
  const c = host(folder, 'node-3');
  await rounds([b, c], 2);
  await b.shared.close();
  await rounds([c], 1);
  assert.equal(c.asked, 1);
  // The first one was only stopped for a while: it sees that it holds nothing any more.
  await rounds([c, a], 3);
  assert.equal(a.asked, 4);
});

test('what a dead host left is not taken for news, whatever its clock says', async (t) => {
  const folder = folderOf(t);
  const [a, b] = [host(folder, 'node-1'), host(folder, 'node-2', 3_600_000)];
  await rounds([a], 6);
  await rounds([b], 3);
  assert.deepEqual([b.batches, b.events], [[], []]);
});

test('a clock that is an hour off is taken off the times', async (t) => {
  const folder = folderOf(t);
  const [a, b] = [host(folder, 'node-1', 3_600_000), host(folder, 'node-2')];
  await rounds([a, b], 6);
  const time = b.batches.at(-1)?.timesMs[0] ?? 0;
  assert.ok(Math.abs(time - b.nowMs) <= 4000, `${time - b.nowMs} ms`);
});

test('a device that is silent to the holder is silent to all, with the reason', async (t) => {
  const folder = folderOf(t);
  const [a, b] = [host(folder, 'node-1'), host(folder, 'node-2')];
  await rounds([a, b], 4);
  a.silent = true;
  a.nowMs += 2000;
  b.nowMs += 2000;
  await assert.rejects(a.look(), { code: 'FL2101' });
  await assert.rejects(b.look(), { code: 'FL2101', message: 'FL2101 no answer (asked by node-1)' });
});

test('a folder that is not there, and a link in the place of a file, are reported and not followed', async (t) => {
  const folder = folderOf(t);
  await assert.rejects(host(join(folder, 'gone'), 'node-1').look(), { code: 'FL2120' });
  writeFileSync(join(folder, 'other'), '{}');
  symlinkSync(join(folder, 'other'), join(folder, 'a.lease'));
  await assert.rejects(host(folder, 'node-1').look(), { code: 'FL2120' });
  assert.equal(readFileSync(join(folder, 'other'), 'utf8'), '{}');
});

test('a folder that other users may write is refused, whoever owns the files in it, until it is shut', async (t) => {
  const folder = folderOf(t);
  const [a, b] = [host(folder, 'node-1'), host(folder, 'node-2')];
  await rounds([a, b], 3);
  for (const mode of [0o777, 0o1777, 0o702]) {
    chmodSync(folder, mode);
    for (const one of [a, b])
      await assert.rejects(one.look(), { code: 'FL2120', message: /every user may write .*fl-shared-/ });
  }
  assert.deepEqual([a.asked, b.asked], [3, 0]);
  // A folder within it may be moved away and another put in its place.
  mkdirSync(join(folder, 'within'), { mode: 0o700 });
  chmodSync(folder, 0o777);
  await assert.rejects(host(join(folder, 'within'), 'node-3').look(), { code: 'FL2120' });
  chmodSync(folder, 0o700);
  await rounds([a], 1);
  assert.equal(a.asked, 4);
});

test('anything at all in the file is bounded, and only power of shared devices comes out of it', () => {
  for (const odd of [
    null,
    5,
    [],
    {},
    { schema: SHARED_SCHEMA },
    { schema: SHARED_SCHEMA, host: 'h', run: 'r', writtenMs: 1, looks: 'x' },
  ])
    assert.doesNotThrow(() => readLooks(odd, 0, 1000, POWER));
  const look = (more: object, scope = POWER) => readLooks({ schema: SHARED_SCHEMA, host: 'h', run: 'r', writtenMs: 1, looks: [{ number: 1, keys: [], timesMs: [], values: [], events: [], ...more }] }, 0, 1000, scope)?.looks; // biome-ignore format: one line
  assert.deepEqual(look({ keys: ['gpu/0#power'], timesMs: [1], values: [1] }), []);
  assert.deepEqual(look({ keys: ['pdu/a#power'], timesMs: [1], values: ['x'] }), []);
  assert.deepEqual(look({ keys: ['pdu/a#power'], timesMs: [], values: [1] }), []);
  const events = [
    { kind: 'gpu.lost', component: { type: 'gpu', id: 'x' }, timeMs: 1 },
    { kind: 'power.overload', component: { type: 'host', id: 'x' }, timeMs: 1 },
    { kind: 'power.overload', component: PDU, timeMs: 9e15, trust: 'kernel', source: 'gpu' },
  ];
  const [read, ...more] = look({ events })?.[0]?.events ?? [];
  assert.deepEqual(more, []);
  assert.deepEqual([read?.trust, read?.source, read?.timeMs], ['facility', 'pdu', 1000]);
  // Of a coolant unit nothing but what is of the unit.
  const unit = { type: 'cdu', id: 'c' };
  const cooling = [...events, { kind: 'cooling.leak', component: PDU, timeMs: 1 }, { kind: 'cooling.leak', component: unit, timeMs: 1 }]; // biome-ignore format: one line
  assert.deepEqual(look({ keys: ['pdu/a#power'], timesMs: [1], values: [1] }, COOLING), []);
  const leaks = look({ keys: ['cdu/c#secondary_flow'], timesMs: [1], values: [1], events: cooling }, COOLING)?.[0]
    ?.events;
  assert.deepEqual(
    leaks?.map(({ kind, component, trust, source }) => [kind, component?.type, trust, source]),
    [['cooling.leak', 'cdu', 'bmc', 'bmc']],
  );
});

test('a device that tells of other parts at each look fills neither its holder nor the others', async (t) => {
  const folder = folderOf(t);
  const [one, two] = [host(folder, 'node-1'), host(folder, 'node-2')];
  one.outlets = 700;
  await rounds([one, two], 6);
  assert.equal(two.parts.length, 1024);
  assert.match(two.shared.health()?.detail ?? '', /^1024 parts/);
  assert.equal(JSON.parse(readFileSync(join(folder, 'a.looks'), 'utf8')).parts.length, 1024);
});
