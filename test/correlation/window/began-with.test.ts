// Began with: a FlightRecorder verdict takes up the timeouts that it explains, whenever it was read and in whatever order all came.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FaultEvent } from '../../../src/model/event.ts';
import type { Kind } from '../../../src/model/kind.ts';
import { correlator, event, type Given, link, lost, run, T0 } from '../fixtures.ts';

const TENANT = { trust: 'tenant', source: 'job-log' } as const;

function timeout(s: number, rank: number, waited = 60): FaultEvent {
  return event(s, 'job.collective_timeout', `rank/ddp/${rank}`, { ...TENANT, wide: [s - waited, s] });
}

function verdict(s: number, kind: Kind = 'job.collective_desync', given: Given = {}): FaultEvent {
  return event(s, kind, 'rank/ddp/4', { trust: 'tenant', source: 'flight-recorder', ...given });
}

function settled(events: readonly FaultEvent[]) {
  const made = correlator();
  return run(made, events).take(made.advance(T0 + 4_000_000));
}

const TIMEOUTS = [0, 1, 2, 3].map((rank) => timeout(100 + rank / 10, rank));

for (const kind of ['job.collective_desync', 'job.collective_mismatch'] as const) {
  for (const late of [-5, 2, 180, 1500]) {
    test(`${kind} is the root of timeouts where it is read ${late} s after them`, () => {
      const events = [...TIMEOUTS, verdict(100 + late, kind)].sort((a, b) => a.timeMs - b.timeMs);
      assert.equal(settled(events).only().root.kind, kind);
    });
  }

  test(`${kind} is the root of timeouts and of the silence whichever arrives first`, () => {
    const all = [verdict(103, kind), ...TIMEOUTS, event(104, 'job.hang', 'job/ddp', { ...TENANT, wide: [39, 104] })];
    for (const events of [all, all.toReversed(), [...all.slice(2), ...all.slice(0, 2)]])
      assert.equal(settled(events).only().root.kind, kind);
  });
}

test('ranks that their watchdogs ended before the verdict was read follow from it', () => {
  const killed = [0, 1].map((rank) => event(108 + rank, 'job.rank_killed', `rank/ddp/${rank}`, TENANT));
  const { root, chain } = settled([...TIMEOUTS, ...killed, verdict(400)]).only();
  assert.equal(root.kind, 'job.collective_desync');
  assert.equal(chain.length, 7);
});

test('the GPU that was lost before the stall stays the root of a verdict that is read later', () => {
  const made = correlator([link('gpu/0000:9b:00.0', 'rank/ddp/4', 'runs')]);
  const events = [lost(38, 'gpu/0000:9b:00.0'), ...TIMEOUTS, verdict(170)];
  const reported = run(made, events).take(made.advance(T0 + 4_000_000));
  assert.equal(reported.only().root.kind, 'gpu.lost');
});

test('a verdict that knows when the stall began keeps its own beginning', () => {
  const reported = settled([...TIMEOUTS, verdict(1000, 'job.collective_desync', { wide: [900, 1000], timeMs: T0 + 900_000 })]); // biome-ignore format: one call
  assert.equal(reported.last.length, 2);
});

test('timeouts of another job are not taken up', () => {
  const other = event(100, 'job.collective_timeout', 'rank/other/0', { ...TENANT, wide: [40, 100] });
  assert.equal(settled([other, verdict(102)]).last.length, 2);
});
