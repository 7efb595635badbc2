// Whose job an event hit: as of the event's own time, by process, device, job or host.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Identity } from '../../../src/identity/identity.ts';
import { WhoseBook } from '../../../src/identity/whose/whose-book.ts';
import type { WorkView } from '../../../src/identity/work/work.ts';
import type { Component } from '../../../src/model/component.ts';
import type { Trust } from '../../../src/model/event.ts';
import { processFact, slurm } from '../work/facts.ts';
import { pod, rank, use, view, work } from './made-view.ts';

const T0 = 1_790_000_000_000;
const GPU: Component = { type: 'gpu', id: '0000:9b:00.0' };
const NOTHING = view();

function book(first: WorkView = NOTHING) {
  const state = { view: first, now: T0 };
  const whose = new WhoseBook(
    () => state.view,
    () => state.now,
  );
  const of = (
    component: Component | null,
    atMs: number,
    more: { pid?: number; trust?: Trust; latestMs?: number } = {},
  ) =>
    whose.of({
      component,
      timeMs: T0 + atMs,
      interval: { earliestMs: T0 + atMs, latestMs: T0 + (more.latestMs ?? atMs) },
      trust: more.trust ?? 'kernel',
      attributes: more.pid === undefined ? {} : { pid: more.pid },
    });
  const becomes = (next: WorkView, atMs: number) => {
    state.now = T0 + atMs;
    state.view = next;
    of(null, atMs);
  };
  return { of, becomes, state };
}

const LLAMA = work('991', {
  name: 'llama-70b',
  user: 'alice',
  aliases: ['llama'],
  ranks: [
    rank(0, { pid: 400, gpus: [GPU.id], pod: 'uid-llama-0' }),
    rank(1, { pid: 401, gpus: [GPU.id], pod: 'uid-llama-0' }),
  ],
  pods: [pod('llama-0')],
});
const A = view({ works: [LLAMA], devices: [use(`gpu/${GPU.id}`, '991', { ranks: [0, 1], pod: pod('llama-0') })] });
const B = view({ works: [work('992', { user: 'bob' })], devices: [use(`gpu/${GPU.id}`, '992', { ranks: [0] })] });

test('a fault of a GPU names the job, its user, its pod and the ranks that use it', () => {
  const { of } = book(A);
  const [one, ...others] = of(GPU, 0);
  assert.equal(others.length, 0);
  assert.deepEqual(
    [one?.job, one?.name, one?.user, one?.ranks, one?.pods.map(({ name }) => name), one?.by],
    ['991', 'llama-70b', 'alice', [0, 1], ['llama-0'], 'device'],
  );
});

test('a fault in the first seconds of a job has the ranks that are known of its GPU since, and not those of another job', () => {
  const early = view({ works: [{ ...LLAMA, ranks: [] }], devices: [use(`gpu/${GPU.id}`, '991')] });
  const { of, becomes } = book(early);
  becomes({ ...A, version: 2 }, 5000);
  assert.deepEqual(of(GPU, 4000)[0]?.ranks, [0, 1]);
  const other = book(early);
  other.of(GPU, 0);
  other.becomes({ ...B, version: 3 }, 5000);
  assert.deepEqual(other.of(GPU, 4000).map(({ job, ranks }) => [job, ranks]), [['991', []]]); // biome-ignore format: one line
});

test('of a rank that died its GPU is named, also where the job is known better since', () => {
  const { of, becomes } = book(A);
  const [one] = of({ type: 'rank', id: '991/1' }, 0);
  assert.deepEqual([one?.ranks, one?.devices], [[1], [`gpu/${GPU.id}`]]);
  assert.deepEqual(of({ type: 'job', id: 'llama' }, 0)[0]?.devices, [`gpu/${GPU.id}`]);
  becomes(view({ version: 2, works: [{ ...LLAMA, user: 'eve', ranks: [] }] }), 5000);
  const [then] = of({ type: 'rank', id: '991/1' }, 0);
  assert.deepEqual([then?.user, then?.devices], ['eve', [`gpu/${GPU.id}`]]);
});

test('a job that is over is not among those that a fault of the host hit, and is named where it is meant', () => {
  const over = work('990', { user: 'eve', isOver: true });
  const { of } = book(view({ works: [over, LLAMA], devices: [] }));
  assert.deepEqual(
    of({ type: 'host', id: 'node-3' }, 0).map(({ job }) => job),
    ['991'],
  );
  assert.equal(of({ type: 'job', id: '990' }, 0)[0]?.user, 'eve');
});

test('the link of a GPU and its place on the bus work for whom it works', () => {
  const { of } = book(A);
  assert.equal(of({ type: 'nvlink', id: `${GPU.id}/3` }, 0)[0]?.job, '991');
  assert.equal(of({ type: 'pcie', id: GPU.id }, 0)[0]?.job, '991');
  assert.deepEqual(
    of({ type: 'pdu_phase', id: 'pdu-b/1' }, 0),
    [],
    'a feed of the rack is not known to be of this host',
  );
});

test('the process that the kernel names is the rank, and a pid in a log of a tenant is not', () => {
  const { of } = book(A);
  assert.deepEqual(of(GPU, 0, { pid: 401 })[0]?.ranks, [1]);
  assert.equal(of(GPU, 0, { pid: 401 })[0]?.by, 'process');
  assert.deepEqual(of(GPU, 0, { pid: 401, trust: 'tenant' })[0]?.ranks, [0, 1]);
  assert.deepEqual(of({ type: 'host', id: 'node-3' }, 0, { pid: 400 }).map(({ by, ranks }) => [by, ranks]), [['process', [0]]]); // biome-ignore format: one line
});

test('a process of another job does not take the GPU of this one to it', () => {
  const both = view({ works: [LLAMA, work('7', { ranks: [rank(0, { pid: 700 })] })], devices: A.devices });
  assert.deepEqual(
    book(both)
      .of(GPU, 0, { pid: 700 })
      .map(({ job }) => job),
    ['991'],
  );
});

test('an event of before the hand-over names the job of then, whenever it is read', () => {
  const { of, becomes } = book();
  becomes(A, 1_000);
  becomes(B, 60_000);
  assert.equal(of(GPU, 30_000)[0]?.job, '991');
  assert.equal(of(GPU, 61_000)[0]?.job, '992');
  assert.deepEqual(of(GPU, 59_000, { latestMs: 61_000 }).map(({ job }) => job), ['991', '992'], 'which of both is not known'); // biome-ignore format: one line
});

test('a job that its fault ended is named though it is gone, and one of long ago is not', () => {
  const { of, becomes } = book();
  becomes(A, 1_000);
  becomes(view(), 60_000);
  assert.equal(of(GPU, 62_000)[0]?.job, '991', 'its end is seen a moment before the fault is read');
  assert.deepEqual(of(GPU, 90_000), []);
  assert.deepEqual(of({ type: 'rank', id: 'llama/1' }, 59_000)[0]?.ranks, [1], 'by an alias');
});

test('what was there before the first look began when its job began', () => {
  const { of } = book(view({ ...A, works: [{ ...LLAMA, startedMs: T0 - 3_600_000 }] }));
  assert.equal(of(GPU, -60_000)[0]?.job, '991');
  assert.deepEqual(of(GPU, -7_200_000), [], 'the kernel log reaches back further than the job');
});

test('what is learned of a job later is reported of what it had before', () => {
  const { of, becomes } = book();
  becomes(view({ ...A, works: [{ ...LLAMA, user: null, name: null }] }), 1_000);
  becomes(A, 5_000);
  assert.deepEqual(
    of(GPU, 2_000).map(({ user, ranks }) => [user, ranks]),
    [['alice', [0, 1]]],
  );
});

test('a fault of the host names all jobs on it, as being there', () => {
  const { of } = book(view({ works: [LLAMA, work('992')], devices: [] }));
  assert.deepEqual(
    of({ type: 'psu', id: 'node-3/1' }, 0).map(({ job, by }) => [job, by]),
    [
      ['991', 'host'],
      ['992', 'host'],
    ],
  );
});

test('a GPU with instances that fails as a whole hits all that use one', () => {
  const devices = [
    use(`gpu_instance/${GPU.id}/3`, '991'),
    use(`gpu_instance/${GPU.id}/4`, null, { pod: pod('notebook') }),
  ];
  const { of } = book(view({ works: [LLAMA], devices }));
  assert.deepEqual(
    of(GPU, 0).map(({ job, pods }) => job ?? pods[0]?.name),
    ['991', 'notebook'],
  );
  assert.deepEqual(
    of({ type: 'gpu_instance', id: `${GPU.id}/4` }, 0).map(({ job }) => job),
    [null],
  );
});

test('names of others are short and do not steer a terminal', () => {
  const hostile = work('991', { name: `\u001b[2J${'x'.repeat(500)}`, user: 'a\u202eb' });
  const [one] = book(view({ works: [hostile] })).of({ type: 'job', id: '991' }, 0);
  assert.ok((one?.name ?? '').startsWith('\\x1b[2J') && (one?.name ?? '').length < 200);
  assert.equal(one?.user, 'a\\u{202e}b');
});

test('a job that came and went between two events is known', () => {
  const clock = { now: T0 };
  const identity = new Identity('node-3', { now: () => clock.now });
  identity.work.processes.replace([processFact(400, { place: slurm('991') })]);
  identity.work.view();
  clock.now = T0 + 60_000;
  identity.work.processes.replace([]);
  identity.work.view();
  const event = { component: { type: 'job', id: '991' } as const, timeMs: T0 + 30_000, trust: 'tenant' as const };
  assert.equal(identity.whose.of(event)[0]?.job, '991');
});

test('a process that no look has seen is of the job or pod whose control group the kernel names', () => {
  const { whose } = oomBook(A);
  const scope = '/system.slice/slurmstepd.scope';
  assert.deepEqual(whose(`${scope}/job_991/step_0/user/task_1`), ['991']);
  assert.deepEqual(whose(`${scope}/job_990/step_0/user/task_1`), []);
  assert.deepEqual(whose('/user.slice/user-7.slice/session-1.scope/job_991/step_0'), []);
  assert.deepEqual(whose('/system.slice/fluent-bit.service'), []);
});

function oomBook(first: WorkView) {
  const asked = new WhoseBook(
    () => first,
    () => T0,
  );
  const whose = (memcg: string) =>
    asked
      .of({ component: { type: 'process', id: '77' }, timeMs: T0, trust: 'kernel', attributes: { pid: 77, memcg } })
      .map(({ job }) => job);
  return { whose };
}
