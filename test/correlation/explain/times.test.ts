// Times: reports of one source add up, those of several sources are of the same faults; however few sources there are.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timesOf } from '../../../src/correlation/explain/times.ts';
import type { FaultEvent } from '../../../src/model/event.ts';
import { event, GPUS } from '../fixtures.ts';

const GPU = GPUS[0] ?? '';

function reports(source: string, counts: readonly number[], xid?: number): FaultEvent[] {
  return counts.map((count, i) => ({
    ...event(i, 'gpu.lost', GPU, { source, attributes: xid === undefined ? {} : { xid } }),
    count,
  }));
}

test('reports of one source add up', () => {
  assert.equal(timesOf({ count: 5, events: reports('kernel-log', [2, 3]), hearsay: [] }), 5);
});

test('of a storm those that are not kept count as well', () => {
  assert.equal(timesOf({ count: 100, events: reports('kernel-log', [2, 3]), hearsay: [] }), 100);
});

test('of two sources the one counts that reports the most', () => {
  const events = [...reports('kernel-log', [2, 3]), ...reports('nvml', [1, 1])];
  assert.equal(timesOf({ count: 7, events, hearsay: [] }), 5);
});

test('a source that says an XID, and besides that its calls fail, reports one fault', () => {
  const events = [...reports('nvml', [1, 1], 79), ...reports('nvml', [1])];
  assert.equal(timesOf({ count: 3, events, hearsay: [] }), 2);
});

test('what users say besides is of the same faults', () => {
  assert.equal(timesOf({ count: 6, events: reports('kernel-log', [2, 2]), hearsay: reports('job-log', [1, 1]) }), 4);
});

test('a host that does not answer, and later is set down for it, was down once; it was twice where it was up between', () => {
  const down = (s: number) => event(s, 'host.down', 'host/gx-27', { source: 'program-log' });
  const events = [down(0), down(100)];
  assert.equal(timesOf({ count: 2, events, hearsay: [], latestClear: null }), 1);
  assert.equal(timesOf({ count: 2, events, hearsay: [], latestClear: down(50) }), 2);
});

test('one line that two logs have is counted once, in whichever order they are read', () => {
  const inLog = (log: string) => {
    const evidence = [{ source: 'kernel-log', timeMs: 0, text: 'NVRM: Xid 48', place: `${log}:1` }];
    return { ...event(0, 'gpu.lost', GPU, { source: 'kernel-log', evidence }), count: 2 };
  };
  const both = [inLog('kern.log'), inLog('syslog')];
  assert.equal(timesOf({ count: 4, events: both, hearsay: [] }), 2);
  assert.equal(timesOf({ count: 4, events: both.reverse(), hearsay: [] }), 2);
  assert.equal(timesOf({ count: 4, events: [inLog('kern.log'), inLog('kern.log')], hearsay: [] }), 4);
});
