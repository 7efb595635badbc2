// Ranks that stand still: real processes that are stopped, one of them as a rank of the whole source, and the two freezers.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Identity } from '../../../src/identity/identity.ts';
import type { Work, WorkRank } from '../../../src/identity/work/work.ts';
import type { Discovery, EventInput } from '../../../src/model/record.ts';
import { SmallFiles } from '../../../src/sources/files/small-files.ts';
import { FrozenWatch } from '../../../src/sources/processes/frozen-watch.ts';
import { ProcessSource } from '../../../src/sources/processes/process-source.ts';
import { lookingAt } from '../../identity/knowing.ts';
import { until } from '../../until.ts';

function sleeper(t: TestContext, env: Readonly<Record<string, string>> = {}): ChildProcess & { readonly pid: number } {
  const child = spawn('sleep', ['60'], { env: { PATH: process.env.PATH ?? '', ...env }, stdio: 'ignore' });
  t.after(() => child.kill('SIGKILL'));
  assert.ok(child.pid !== undefined);
  return child as ChildProcess & { readonly pid: number };
}

function workOf(job: string, pids: readonly number[]): Work {
  const ranks = pids.map((pid, rank): WorkRank => ({ rank, localRank: rank, pid, gpus: [], nics: [], pod: null, role: '', knownBy: 'test' })); // biome-ignore format: one line
  return { id: job, aliases: [], manager: 'mpi', name: null, user: null, account: null, queue: null, pods: [], ranks, worldSize: null, framework: null, logs: [], step: null, attempt: null, startedMs: null, knownBy: [] }; // biome-ignore format: one line
}

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'fl-frozen-'));
  t.after(() => rmSync(path, { recursive: true }));
  return path;
}

function watching(t: TestContext, roots = { proc: '/proc', sys: '/sys' }): FrozenWatch {
  const files = new SmallFiles();
  t.after(() => files.close());
  return new FrozenWatch(files, roots, 'node-3');
}

test('a rank that is stopped for three looks is reported once, and that it runs again', async (t) => {
  const [one, two] = [sleeper(t), sleeper(t)];
  const watch = watching(t);
  const works = [workOf('train', [one.pid, two.pid])];
  let nowMs = 10_000;
  const look = async () => {
    nowMs += 2000;
    return (await watch.look(works, nowMs)).map(({ event }) => event);
  };
  assert.deepEqual(await look(), []);
  two.kill('SIGSTOP');
  await until(async () => (await stateOf(two.pid)) === 'T');
  assert.deepEqual([...(await look()), ...(await look())], []);
  const [frozen, ...more] = await look();
  assert.deepEqual(more, []);
  assert.deepEqual(
    [frozen?.kind, frozen?.component?.id, frozen?.state, frozen?.attributes?.how, frozen?.interval],
    ['process.frozen', String(two.pid), 'onset', 'signal', { earliestMs: 12_000, latestMs: 18_000 }],
  );
  assert.deepEqual(await look(), []);
  two.kill('SIGCONT');
  await until(async () => (await stateOf(two.pid)) === 'S');
  assert.deepEqual((await look()).map(({ state, component }) => [state, component?.id]), [['clear', String(two.pid)]]); // biome-ignore format: one line
  assert.deepEqual(await look(), []);
});

test('one that is stopped for a moment, as a tool does that takes its stack, is not reported; one that is gone ends it', async (t) => {
  const one = sleeper(t);
  const watch = watching(t);
  const works = [workOf('train', [one.pid])];
  const look = async (of = works) => (await watch.look(of, 0)).map(({ event }) => event.state);
  one.kill('SIGSTOP');
  await until(async () => (await stateOf(one.pid)) === 'T');
  assert.deepEqual([...(await look()), ...(await look())], []);
  one.kill('SIGCONT');
  await until(async () => (await stateOf(one.pid)) === 'S');
  assert.deepEqual([...(await look()), ...(await look()), ...(await look())], []);
  one.kill('SIGSTOP');
  await until(async () => (await stateOf(one.pid)) === 'T');
  assert.deepEqual([...(await look()), ...(await look()), ...(await look())], ['onset']);
  assert.deepEqual(await look([]), ['clear']);
});

const USERS = '/user.slice/user-1000.slice/user@1000.service/app.slice/job_4411/step_0';
const TASK = '/system.slice/slurmstepd.scope/job_9/step_0/user/task_0';
for (const [name, group, file, text] of [
  ['version 2', '0::/user.slice/a\n', 'user.slice/a/cgroup.events', 'populated 1\nfrozen 1\n'],
  ['version 1', '3:cpu,cpuacct:/c\n2:freezer:/job_9\n', 'freezer/job_9/freezer.state', 'FROZEN\n'],
  // What only looks like a scheduler's: a user's own group, and what a job made below its task.
  ['a user', `0::${USERS}\n`, `${USERS}/cgroup.events`, 'populated 1\nfrozen 1\n'],
  ['a job', `0::${TASK}/libpod-1\n`, `${TASK}/libpod-1/cgroup.events`, 'populated 1\nfrozen 1\n'],
] as const)
  test(`a control group that is frozen stops its ranks, by the freezer of ${name}`, async (t) => {
    const root = folder(t);
    const path = join(root, 'sys/fs/cgroup', file);
    mkdirSync(join(path, '..'), { recursive: true });
    mkdirSync(join(root, 'proc/7'), { recursive: true });
    // A frozen task sleeps, as far as its state tells; and a name may hold what looks like a state.
    writeFileSync(join(root, 'proc/7/stat'), '7 (a) T b) S 3 0\n');
    writeFileSync(join(root, 'proc/7/cgroup'), group);
    writeFileSync(path, text.replace('frozen 1', 'frozen 0').replace('FROZEN', 'THAWED'));
    const watch = watching(t, { proc: join(root, 'proc'), sys: join(root, 'sys') });
    const look = async () => (await watch.look([workOf('train', [7])], 0)).map(({ event }) => event);
    for (let round = 0; round < 4; round += 1) assert.deepEqual(await look(), []);
    writeFileSync(path, text);
    const found = [...(await look()), ...(await look()), ...(await look())];
    assert.deepEqual(found.map(({ attributes, state }) => [attributes?.how, state]), [['freezer', 'onset']]); // biome-ignore format: one line
    assert.match(JSON.stringify(found[0]?.evidence), /process 7, rank 0 of job train: frozen with its control group/);
  });

for (const [name, group, file, frozen, thawed] of [
  ['version 2', '0::/system.slice/slurmstepd.scope/job_9/step_0/user/task_0\n', 'system.slice/slurmstepd.scope/job_9/step_0/user/task_0/cgroup.events', 'frozen 1\n', 'frozen 0\n'],
  ['version 2, from below a task', '0::/system.slice/slurmstepd.scope/job_9/step_0/user/task_0/libpod-1\n', 'system.slice/slurmstepd.scope/job_9/step_0/user/task_0/cgroup.events', 'frozen 1\n', 'frozen 0\n'],
  ['version 1', '2:freezer:/slurm/uid_1000/job_9/step_batch\n', 'freezer/slurm/uid_1000/job_9/step_batch/freezer.state', 'FROZEN\n', 'THAWED\n'],
] as const) // biome-ignore format: a table
  test(`a job that Slurm suspends is one event, of the job, by the freezer of ${name}`, async (t) => {
    const root = folder(t);
    const path = join(root, 'sys/fs/cgroup', file);
    mkdirSync(join(path, '..'), { recursive: true });
    for (const pid of [7, 8]) {
      mkdirSync(join(root, `proc/${pid}`), { recursive: true });
      writeFileSync(join(root, `proc/${pid}/stat`), `${pid} (python) S 3 0\n`);
      writeFileSync(join(root, `proc/${pid}/cgroup`), group);
    }
    const watch = watching(t, { proc: join(root, 'proc'), sys: join(root, 'sys') });
    let nowMs = 0;
    const look = async (pids = [7, 8]) => {
      nowMs += 1000;
      return (await watch.look([workOf('9', pids)], nowMs)).map(({ event }) => [
        event.kind,
        event.component?.id,
        event.state,
      ]);
    };
    // What is below is frozen with it.
    const below = join(path, '../libpod-1/cgroup.events');
    mkdirSync(join(below, '..'));
    writeFileSync(below, 'frozen 1\n');
    writeFileSync(path, frozen);
    const found = [...(await look()), ...(await look()), ...(await look()), ...(await look())];
    assert.deepEqual(found, [['job.suspended', '9', 'onset']]);
    writeFileSync(path, thawed);
    writeFileSync(below, 'frozen 0\n');
    assert.deepEqual(await look(), [['job.suspended', '9', 'clear']]);
    writeFileSync(below, 'frozen 1\n');
    writeFileSync(path, frozen);
    assert.deepEqual([...(await look()), ...(await look()), ...(await look())], [['job.suspended', '9', 'onset']]);
    assert.deepEqual(await look([]), [['job.suspended', '9', 'clear']], 'it was ended while it was suspended');
  });

test('of more ranks than one look has, each has its turn', async (t) => {
  const root = folder(t);
  const pids = Array.from({ length: 560 }, (_, i) => i + 10);
  for (const pid of pids) {
    mkdirSync(join(root, `proc/${pid}`), { recursive: true });
    writeFileSync(join(root, `proc/${pid}/stat`), `${pid} (python) ${pid % 500 === 19 ? 'T' : 'S'} 3 0\n`);
    writeFileSync(join(root, `proc/${pid}/cgroup`), '0::/\n');
  }
  const watch = watching(t, { proc: join(root, 'proc'), sys: join(root, 'sys') });
  const stopped = new Set<string>();
  for (let round = 0; round < 6; round += 1)
    for (const { event } of await watch.look([workOf('mpi', pids)], round * 1000)) {
      assert.deepEqual([event.kind, event.state], ['process.frozen', 'onset']);
      stopped.add(event.component?.id ?? '');
    }
  assert.deepEqual([...stopped].sort(), ['19', '519']);
});

test('the whole source finds a rank of this host by its environment, and reports that it is stopped', async (t) => {
  const rank = sleeper(t, { RANK: '3', WORLD_SIZE: '8', SLURM_JOB_ID: '991' });
  const identity = lookingAt(new Identity('node-3'), '/proc');
  const events: EventInput[] = [];
  const discoveries: Discovery[] = [];
  const source = new ProcessSource(
    { enabled: 'on', intervalMs: 20, reader: '' },
    { host: 'node-3', now: Date.now, identity, own: async () => null, passwd: async () => null, proc: '/proc', frozen: watching(t) }, // biome-ignore format: one line
  );
  t.after(() => source.stop());
  source.start({ samples() {}, text() {}, event: (event) => events.push(event), discovery: (each) => discoveries.push(each) }, new AbortController().signal); // biome-ignore format: one line
  await until(() => discoveries.some(({ component }) => component.type === 'rank' && component.id.endsWith('/3')));
  assert.deepEqual(events, []);
  rank.kill('SIGSTOP');
  const frozen = await until((): EventInput | null => events.find(({ kind }) => kind === 'process.frozen') ?? null);
  assert.equal(frozen.component?.id, String(rank.pid));
  const links = discoveries.flatMap(({ component, links }) => (component.type === 'process' ? links : []));
  assert.deepEqual(links.map(({ from, to, relation }) => [from.id, relation, to.id]), [[String(rank.pid), 'runs', '991/3']]); // biome-ignore format: one line
  rank.kill('SIGCONT');
  await until(() => events.some(({ kind, state }) => kind === 'process.frozen' && state === 'clear'));
});

async function stateOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
  return stat.charAt(stat.lastIndexOf(')') + 2);
}
