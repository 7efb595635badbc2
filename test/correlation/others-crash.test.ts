// A program that no job is made of crashes: a note for whoever runs it, unless something follows, or many crash.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { correlator, event, GPUS, link, run } from './fixtures.ts';

const [GPU = ''] = GPUS;
const forged = { trust: 'tenant', source: 'kernel-log' } as const;
const tenant = { trust: 'tenant', source: 'job-log' } as const;
const crash = (pid: number, atS = 0) => event(atS, 'process.segfault', `process/${pid}`, forged);

function roots(events: readonly ReturnType<typeof crash>[], ...links: readonly ReturnType<typeof link>[]): string[] {
  const engine = correlator();
  for (const one of links) engine.link(one);
  return run(engine, [...events]).last.map(({ root }) => root.kind);
}

test('the crash of a program that is of no job opens no incident', () => {
  const ranks = [link(GPU, 'process/40110', 'runs'), link('process/40110', 'rank/tts/0', 'runs')];
  assert.deepEqual(roots([crash(58122)], ...ranks), []);
  assert.deepEqual(roots([crash(58122)], link('host/node-3', 'process/58122', 'runs')), []);
});

test('that of a rank or of what holds a GPU does, and so do several that crash together', () => {
  assert.deepEqual(roots([crash(40110)], link('process/40110', 'rank/tts/0', 'runs')), ['process.segfault']);
  assert.deepEqual(roots([crash(40110)], link(GPU, 'process/40110', 'runs')), ['process.segfault']);
  assert.deepEqual(roots([crash(1), crash(2, 1), crash(3, 2)]), ['process.segfault']);
});

test('a crash that a rank ends after is its cause, whether or not the process is known', () => {
  assert.deepEqual(roots([crash(40110), event(2, 'job.rank_crashed', 'rank/ddp/0', tenant)]), ['process.segfault']);
});

test('a crash within a library of collectives is of work, though no link shows whose', () => {
  const within = (library: string) => [{ ...crash(77), attributes: { process: 'pt_main_thread', pid: 77, library } }];
  for (const library of ['libnccl.so.2', 'librccl.so.1', 'libmpi.so.40'])
    assert.deepEqual(roots(within(library)), ['process.segfault'], library);
  for (const library of ['libc.so.6', 'libncclient.so', 'libX11.so.6']) assert.deepEqual(roots(within(library)), []);
});

const limit = (pid: number, memcg: string, constraint = 'CONSTRAINT_MEMCG') =>
  event(0, 'host.oom', `process/${pid}`, { trust: 'kernel', source: 'kernel-log', attributes: { pid, memcg, constraint } }); // biome-ignore format: one line

test('a process that met the memory limit of its user’s session is a note; one of work, of a job’s group or of a host that is short is none', () => {
  const session = '/user.slice/user-1004.slice/session-88.scope';
  assert.deepEqual(roots([limit(88, session)]), []);
  assert.deepEqual(roots([limit(88, session)], link('process/88', 'rank/tts/0', 'runs')), ['host.oom']);
  assert.deepEqual(roots([limit(88, '/system.slice/slurmstepd.scope/job_7')]), ['host.oom']);
  assert.deepEqual(roots([limit(88, session, 'CONSTRAINT_NONE')]), ['host.oom']);
});
