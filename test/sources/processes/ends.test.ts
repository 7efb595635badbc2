// The end of a job's processes is reported before the next look, at the time that it came.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { test } from 'node:test';
import { Identity } from '../../../src/identity/identity.ts';
import { ProcessEnds } from '../../../src/identity/work/process-ends.ts';
import type { EventInput } from '../../../src/model/record.ts';
import { Allowance } from '../../../src/sources/processes/allowance.ts';
import { ProcessSource } from '../../../src/sources/processes/process-source.ts';
import { processReader } from '../../../src/sources/scan-processes.ts';
import { NOWHERE } from '../../identity/work/facts.ts';
import { until } from '../../until.ts';

const JOB = `ends-${process.pid}`;

/** As torchrun starts it, without any scheduler. */
function rank(number: number): ChildProcess {
  const env = { RANK: String(number), WORLD_SIZE: '2', TORCHELASTIC_RUN_ID: JOB };
  return spawn('/bin/sleep', ['60'], { env, stdio: 'ignore' });
}

test('the end of the last rank of a job is reported at its own time, without another look', async (t) => {
  const ranks = [rank(0), rank(1)];
  t.after(() => ranks.forEach((each) => void each.kill('SIGKILL')));
  const identity = new Identity('node-3');
  identity.processes.lookBy('/proc', processReader('/proc', ''));
  const events: EventInput[] = [];
  const source = new ProcessSource(
    { enabled: 'on', intervalMs: 600_000, reader: '' },
    { host: 'node-3', now: Date.now, identity, own: async () => null, passwd: async () => '', proc: '/proc' },
  );
  t.after(() => source.stop());
  source.start({ samples() {}, text() {}, event: (event) => void events.push(event), discovery() {} }, new AbortController().signal); // biome-ignore format: one line
  const pids = new Set(ranks.map(({ pid }) => pid ?? 0));
  const job = () => identity.work.fresh().works.find((work) => work.ranks.some(({ pid }) => pids.has(pid ?? -1)));
  await until(() => job()?.ranks.length === 2, { seen: () => job() });
  const { id } = job() ?? assert.fail('no such job');
  const { looks } = identity.processes;
  // The first leaves the job where it is.
  ranks[0]?.kill('SIGKILL');
  await until(() => job()?.ranks.length === 1, { seen: () => job() });
  assert.deepEqual(events.filter(({ kind, component }) => kind === 'job.ended' && component?.id === id), []); // biome-ignore format: one line
  const before = Date.now();
  ranks[1]?.kill('SIGKILL');
  const found = () => events.find(({ kind, component }) => kind === 'job.ended' && component?.id === id);
  await until(() => found() !== undefined);
  const { timeMs, observedMs } = found() ?? assert.fail('no such event');
  assert.ok(timeMs >= before - 20 && timeMs <= observedMs, `${timeMs} from ${before} to ${observedMs}`);
  assert.equal(identity.processes.looks, looks);
});

test('a job ended with the last of its processes, and nothing is said where one is not known to have', () => {
  const ends = new ProcessEnds();
  const work = { id: '991', aliases: ['s1'], ranks: [{ pid: 7 }, { pid: 8 }, { pid: null }] } as never;
  const batch = (job: string) => ({ ...NOWHERE, batch: { manager: 'slurm', job, sluid: null, step: '0', task: null } as const }); // biome-ignore format: one line
  ends.note({ pid: 7, place: NOWHERE }, 100);
  assert.equal(ends.of(work), null);
  ends.note({ pid: 8, place: NOWHERE }, 90);
  assert.equal(ends.of(work), 100);
  ends.note({ pid: 9, place: batch('992') }, 300);
  assert.equal(ends.of(work), 100);
  ends.note({ pid: 10, place: batch('991') }, 200);
  assert.equal(ends.of(work), 200);
  assert.equal(ends.of({ id: '993', aliases: [], ranks: [] }), null);
});

test('an allowance is used up, and comes back with time', () => {
  const allowance = new Allowance(0.001, 100);
  assert.equal(allowance.has(0), true);
  allowance.spend(150);
  assert.deepEqual([allowance.has(1), allowance.has(49_000), allowance.has(52_000)], [false, false, true]);
  assert.equal(allowance.has(1e9), true);
  allowance.spend(100);
  assert.equal(allowance.has(1e9), false);
});
