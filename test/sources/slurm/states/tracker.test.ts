// What becomes of jobs: when slurmctld is asked, and which events follow from its answers.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventInput } from '../../../../src/model/record.ts';
import { jobsFromJson } from '../../../../src/sources/slurm/read/job-json.ts';
import { NodeWatch } from '../../../../src/sources/slurm/states/node-watch.ts';
import { JobTracker } from '../../../../src/sources/slurm/states/tracker.ts';
import { documentWith } from '../read/generations.ts';

const T = 1_795_000_000_000;
const at = (nowMs: number) => ({ host: 'h1', node: 'n1', nowMs, steady: (ms: number) => ms });

function answer(more: object) {
  const running = { job_id: 5, name: 'j', user_name: 'ada', job_state: ['RUNNING'], nodes: 'n1', restart_cnt: 0, start_time: T / 1000, tres_alloc_str: 'gres/gpu=4' }; // biome-ignore format: one line
  const job = jobsFromJson(documentWith({ ...running, ...more }))?.[0];
  assert.ok(job !== undefined);
  return { job };
}

/** A job that ran from T on and is gone at T + 60 s. */
function gone(): JobTracker {
  const tracker = new JobTracker(() => 0);
  tracker.here(new Set([5]), new Map(), T);
  tracker.answered(5, answer({}), at(T));
  tracker.here(new Set(), new Map(), T + 60_000);
  return tracker;
}

test('a job is asked about once when it appears, and not again while it runs', () => {
  const tracker = new JobTracker(() => 3000);
  tracker.here(new Set([5]), new Map(), T);
  assert.deepEqual([tracker.due(T), tracker.due(T + 3000)], [[], [5]]);
  const events = tracker.answered(5, answer({}), at(T + 3000));
  assert.deepEqual(events.map(({ kind, component, timeMs }) => [kind, component?.id, timeMs]), [['job.started', '5', T]]); // biome-ignore format: one line
  for (const ms of [5000, 60_000, 86_400_000]) {
    tracker.here(new Set([5]), null, T + ms);
    assert.deepEqual(tracker.due(T + ms), []);
  }
});

test('a job that was here long before the daemon began is not reported as started', () => {
  const tracker = new JobTracker(() => 0);
  tracker.here(new Set([5]), null, T + 3_600_000);
  assert.deepEqual(tracker.answered(5, answer({}), at(T + 3_600_000)), []);
});

const ENDS: readonly (readonly [string, object, string, object, string | undefined])[] = [
  ['COMPLETED', {}, 'job.ended', { state: 'COMPLETED', exit_code: 0 }, undefined],
  ['CANCELLED', {}, 'job.cancelled', { reason: 'cancelled' }, undefined],
  ['TIMEOUT', { state_reason: 'TimeLimit' }, 'job.cancelled', { reason: 'time limit' }, undefined],
  ['DEADLINE', {}, 'job.cancelled', { reason: 'deadline' }, undefined],
  ['PREEMPTED', {}, 'job.preempted', { reason: 'preemption' }, undefined],
  [
    'FAILED',
    { state_reason: 'NonZeroExitCode', exit_code: 768 },
    'job.failed',
    { exit_code: 3, reason: 'NonZeroExitCode' },
    undefined,
  ],
  ['FAILED', { exit_code: 768, tres_alloc_str: 'cpu=1' }, 'job.failed', { exit_code: 3 }, 'warning'],
  ['FAILED', { exit_code: 130 << 8 }, 'job.ended', { reason: 'interrupted by its user' }, undefined],
  ['FAILED', { exit_code: 11, tres_alloc_str: 'cpu=1' }, 'job.failed', { exit_signal: 11 }, undefined],
  ['BOOT_FAIL', {}, 'job.failed', { state: 'BOOT_FAIL' }, undefined],
];
for (const [state, more, kind, attributes, severity] of ENDS) {
  test(`${state} ${JSON.stringify(more)} is ${kind}, at the time that Slurm decided it`, () => {
    const tracker = gone();
    assert.deepEqual(tracker.due(T + 60_000), [5]);
    const ended = { exit_code: 0, ...more, job_state: [state, 'COMPLETING'], end_time: T / 1000 + 59 };
    const events = tracker.answered(5, answer(ended), at(T + 61_000));
    assert.deepEqual(
      events.map((event) => event.kind),
      [kind],
    );
    const [event] = events;
    assert.partialDeepStrictEqual(event?.attributes, attributes);
    assert.partialDeepStrictEqual(event?.attributes, { user: 'ada', slurm_job_id: 5 });
    assert.deepEqual([event?.severity, event?.timeMs, event?.interval?.latestMs], [severity, T + 59_000, T + 59_999]);
    assert.deepEqual(tracker.due(T + 1e9), []);
  });
}

test("memory that ran out on the job's only host is that host's, with the failed job; on one of several it may be another's", () => {
  const kinds = (nodes: string) =>
    gone()
      .answered(5, answer({ job_state: ['OUT_OF_MEMORY'], nodes, end_time: T / 1000 + 59 }), at(T + 61_000))
      .map(({ kind, component }) => `${kind} ${component?.type}/${component?.id}`);
  assert.deepEqual(kinds('n1'), ['host.oom host/h1', 'job.failed job/5']);
  assert.deepEqual(kinds('n[1-2]'), ['job.failed job/5']);
});

test('a node that failed is named; this one answers and did not', () => {
  const of = (failed_node: string) =>
    gone()
      .answered(
        5,
        answer({ job_state: ['NODE_FAIL'], failed_node, nodes: 'n[1-2]', end_time: T / 1000 + 59 }),
        at(T + 61_000),
      )
      .map(({ kind, component }) => `${kind} ${component?.type}/${component?.id}`);
  assert.deepEqual(of('n2'), ['host.down host/n2', 'job.node_failed job/5']);
  assert.deepEqual(of('n1'), ['job.node_failed job/5']);
  assert.deepEqual(of('x y'), ['job.node_failed job/5']);
});

test('a job that waits again was requeued, and preempted where Slurm says so; once, and it starts again', () => {
  const tracker = gone();
  const waits = { job_state: ['PENDING'], restart_cnt: 1, nodes: '', submit_time: T / 1000 + 58 };
  const [event, ...more] = tracker.answered(5, answer(waits), at(T + 61_000));
  assert.deepEqual(
    [event?.kind, event?.timeMs, event?.attributes?.restarts, more],
    ['job.requeued', T + 58_000, 1, []],
  );
  tracker.here(new Set([5]), new Map(), T + 70_000);
  const again = tracker.answered(5, answer({ restart_cnt: 1, start_time: T / 1000 + 69 }), at(T + 70_000));
  assert.deepEqual(
    again.map(({ kind }) => kind),
    ['job.started'],
  );

  const [preempted] = gone().answered(5, answer({ ...waits, preempt_time: T / 1000 + 57 }), at(T + 61_000));
  assert.deepEqual([preempted?.kind, preempted?.timeMs], ['job.preempted', T + 57_000]);
});

test('a requeue that is seen before its processes are gone is reported once', () => {
  const tracker = new JobTracker(() => 0);
  tracker.here(new Set([5]), null, T);
  tracker.answered(5, answer({}), at(T));
  tracker.here(new Set(), null, T + 5000);
  tracker.here(new Set([5]), null, T + 6000);
  const waits = { job_state: ['PENDING', 'COMPLETING'], restart_cnt: 1 };
  assert.equal(tracker.answered(5, answer(waits), at(T + 6000)).length, 1);
  tracker.here(new Set(), null, T + 9000);
  assert.deepEqual(tracker.answered(5, answer(waits), at(T + 9000)), []);
});

test('while its end is unclear it is asked about less and less often; one that Slurm forgot has ended', () => {
  const tracker = gone();
  let nowMs = T + 60_000;
  const pauses: number[] = [];
  for (let i = 0; i < 9; i += 1) {
    tracker.answered(5, answer({ job_state: ['COMPLETING'] }), at(nowMs));
    const nextMs = tracker.nextMs ?? Number.NaN;
    pauses.push((nextMs - nowMs) / 1000);
    nowMs = nextMs;
  }
  assert.deepEqual(pauses, [2, 4, 8, 16, 32, 64, 128, 256, 300]);
  const events = tracker.answered(5, 'gone', at(nowMs));
  assert.deepEqual(events.map(({ kind, attributes }) => [kind, attributes?.state]), [['job.ended', null]]); // biome-ignore format: one line
});

test('a job that Slurm does not show us stays known, and is asked about again at its end', () => {
  const tracker = new JobTracker(() => 0);
  tracker.here(new Set([5]), null, T);
  assert.deepEqual(tracker.answered(5, 'gone', at(T)), []);
  assert.equal(tracker.jobs[0]?.isHidden, true);
  assert.deepEqual(tracker.due(T + 1000), []);
  tracker.here(new Set(), null, T + 5000);
  assert.deepEqual(tracker.due(T + 5000), [5]);
  assert.deepEqual(tracker.answered(5, 'gone', at(T + 5000)).map(({ kind }) => kind), ['job.ended']); // biome-ignore format: one line
});

test('what ended is remembered for a minute, and its number may come back', () => {
  const tracker = gone();
  tracker.answered(5, answer({ job_state: ['COMPLETED'], end_time: T / 1000 + 59 }), at(T + 61_000));
  assert.deepEqual(tracker.jobs.map(({ isOver }) => isOver), [true]); // biome-ignore format: one line
  tracker.here(new Set(), null, T + 130_000);
  assert.equal(tracker.jobs.length, 0);
});

const DRAINED = {
  name: 'n1',
  states: ['IDLE', 'DRAIN'],
  reason: 'bad gpu',
  reasonBy: 'root',
  reasonMs: T,
  hasGpus: true,
};
const IDLE = { ...DRAINED, states: ['IDLE'], reason: null };
const kinds = (events: readonly EventInput[]): string[] => events.map(({ kind }) => kind);

test('a drain is reported once, with reason and who set it; one from long before the start is not', () => {
  const watch = new NodeWatch();
  assert.deepEqual(watch.looked(IDLE, at(T - 60_000)), []);
  const [event, empty] = watch.looked(DRAINED, at(T + 60_000));
  assert.deepEqual(
    [event?.kind, event?.component?.id, event?.timeMs, event?.attributes?.reason, event?.attributes?.set_by],
    ['host.drained', 'h1', T, 'bad gpu', 'root'],
  );
  assert.deepEqual([empty?.kind, empty?.timeMs], ['host.emptied', T], 'nothing ran on it');
  assert.deepEqual(watch.looked(DRAINED, at(T + 120_000)), []);
  assert.deepEqual(kinds(watch.looked(IDLE, at(T + 180_000))), ['host.resumed']);
  assert.deepEqual(kinds(watch.looked({ ...DRAINED, reasonMs: T + 200_000 }, at(T + 240_000))), ['host.drained', 'host.emptied']); // biome-ignore format: one line
  assert.deepEqual(new NodeWatch().looked(DRAINED, at(T + 3_600_000)), []);
});

test('the last work of a drained node ends later: once, between two looks', () => {
  const watch = new NodeWatch();
  watch.looked(IDLE, at(T - 60_000));
  assert.deepEqual(kinds(watch.looked({ ...DRAINED, states: ['MIXED', 'DRAIN'] }, at(T + 60_000))), ['host.drained']);
  assert.equal(watch.isDraining, true);
  assert.deepEqual(watch.looked({ ...DRAINED, states: ['MIXED', 'DRAIN'] }, at(T + 90_000)), []);
  const [event] = watch.looked(DRAINED, at(T + 120_000));
  assert.deepEqual([event?.kind, event?.interval], ['host.emptied', { earliestMs: T + 90_000, latestMs: T + 120_000 }]);
  assert.deepEqual(watch.looked(DRAINED, at(T + 150_000)), []);
});
