// The whole source against programs that take the arguments of the real ones.

import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Identity } from '../../../src/identity/identity.ts';
import type { EventInput } from '../../../src/model/record.ts';
import { SmallFiles } from '../../../src/sources/files/small-files.ts';
import type { SlurmSettings } from '../../../src/sources/slurm/settings.ts';
import { SlurmSource } from '../../../src/sources/slurm/slurm-source.ts';
import { until } from '../../until.ts';
import { FakeSlurm } from './fake-slurm.ts';
import { documentWith } from './read/generations.ts';

const SETTINGS: SlurmSettings = { enabled: 'auto', intervalMs: 40, spreadMs: 0, nodeIntervalMs: 600_000, conf: null, plannedReasons: ['maintenance'], programs: null, rest: null, jobFolder: null, jobMapping: null }; // biome-ignore format: one line
const PIDS = `PID      JOBID    STEPID   LOCALID GLOBALID
4001     5        0        0       8
4002     5        0        1       9
`;
const JOB = { job_id: 5, name: 'train', user_name: 'ada', user_id: 1001, partition: 'p', job_state: ['RUNNING'], nodes: 'n1', restart_cnt: 0, tasks: 16, gres_detail: ['gpu:2(IDX:4-5)'], standard_output: '/s/%x.%j', current_working_directory: '/s' }; // biome-ignore format: one line

function started(
  t: TestContext,
  release: number,
  settings: Partial<SlurmSettings> = {},
  prepare?: (slurm: FakeSlurm) => void,
) {
  const slurm = new FakeSlurm(release);
  t.after(() => slurm.remove());
  prepare?.(slurm);
  const identity = new Identity('h1');
  const events: EventInput[] = [];
  const places = {
    proc: join(slurm.root, 'proc'),
    groups: slurm.groups,
    confs: [slurm.conf],
    programs: [slurm.programs],
    pidFiles: [],
  };
  const folders = {
    jobs: join(slurm.root, 'jobs'),
    mapping: join(slurm.root, 'map'),
    bootId: join(slurm.root, 'boot_id'),
  };
  let looks = 0;
  const now = (): number => {
    looks += 1;
    return Date.now();
  };
  const options = {
    host: 'h1',
    places,
    folders,
    now,
    steady: (ms: number) => ms,
    files: new SmallFiles(),
    identity,
  };
  const source = new SlurmSource({ ...SETTINGS, ...settings }, options);
  t.after(() => source.stop());
  const failed = (error: unknown): never => assert.fail(String(error));
  const emit = {
    samples() {},
    text() {},
    discovery() {},
    failed,
    event: (event: EventInput) => void events.push(event),
  };
  source.start(emit, new AbortController().signal);
  return {
    slurm,
    events,
    facts: () => identity.work.scheduled.values(),
    health: () => source.health()[0],
    /** How many programs were started. */
    asked: () => source.counts()[0]?.reads ?? 0,
    /** After some further looks. */
    later: async () => {
      const before = looks;
      await until(() => looks > before + 20);
    },
  };
}

test('a job is found by the socket of its step, with ranks, user, GPUs and output, and its end is asked once', async (t) => {
  const { slurm, events, facts, health, asked, later } = started(t, 2405);
  await until(() => health()?.status === 'works', { seen: health });
  await later();
  slurm.put('pids', PIDS);
  slurm.put('job-5.json', documentWith(JOB));
  slurm.socket('n1_5.0', true);
  const [fact] = await until(() => (facts()[0]?.user === 'ada' ? facts() : null), { seen: facts });
  const { id, tasks, gpus, logs, name, userId, queue, worldSize, taskGroupsAreGlobal, knownBy } = fact ?? assert.fail();
  assert.deepEqual(
    { id, gpus, logs, name, userId, queue, worldSize, taskGroupsAreGlobal, knownBy },
    { id: '5', gpus: [4, 5], logs: ['/s/train.5'], name: 'train', userId: 1001, queue: 'p', worldSize: 16, taskGroupsAreGlobal: true, knownBy: 'scontrol show job and scontrol listpids' }, // biome-ignore format: one line
  );
  assert.deepEqual(tasks.map(({ pid, rank, localRank, step }) => [pid, rank, localRank, step]), [[4001, 8, 0, '0'], [4002, 9, 1, '0']]); // biome-ignore format: one line

  await later();
  slurm.put(
    'job-5.json',
    documentWith({ ...JOB, job_state: ['FAILED'], exit_code: { return_code: { set: true, number: 1 } } }),
  );
  slurm.take('pids');
  slurm.socket('n1_5.0', false);
  await until(() => events.some(({ kind }) => kind === 'job.failed'), { seen: () => events });
  assert.deepEqual(facts().map(({ gpus: its, tasks: of }) => [its, of]), [[null, []]]); // biome-ignore format: one line
  await later();
  // Its release, the tasks twice, the node and its jobs; then the tasks twice at each change, and the job when it came and went.
  assert.equal(asked(), 1 + 2 + 2 + 2 * (2 + 1));
  await later();
  assert.equal(asked(), 11, 'nothing is asked while nothing changes');
});

test('files that an srun of the batch script writes are outputs of the job', async (t) => {
  const { facts } = started(t, 2405, {}, (fake) => {
    fake.put('pids', `${PIDS}4003     5        batch    -       -\n`);
    fake.put('job-5.json', documentWith(JOB));
    fake.socket('n1_5.0', true);
    mkdirSync(join(fake.root, 'proc/4003'), { recursive: true });
    writeFileSync(join(fake.root, 'proc/4003/cmdline'), 'srun\0-n2\0-o\0r.%t\0train\0');
  });
  await until(() => facts()[0]?.user === 'ada', { seen: facts });
  assert.deepEqual(facts()[0]?.logs, ['/s/train.5', '/s/r.8', '/s/r.9']);
});

test('a small cluster is asked at once; where its size is not known the question is put off', async (t) => {
  const begin = (fake: FakeSlurm): void => {
    fake.put('job-5.json', documentWith(JOB));
    fake.put('pids', PIDS);
    fake.socket('n1_5.0', true);
  };
  const small = started(t, 2405, { spreadMs: 600_000 }, begin);
  await until(() => small.facts()[0]?.user === 'ada', { seen: small.facts });
  const unknown = started(t, 2405, { spreadMs: 600_000 }, (fake) => {
    begin(fake);
    writeFileSync(fake.conf, `ClusterName=t\nSlurmdSpoolDir=${fake.spool}\n`);
  });
  await until(() => unknown.facts()[0]?.tasks.length === 2, { seen: unknown.facts });
  await unknown.later();
  assert.equal(unknown.facts()[0]?.user, null);
});

test('before 23.02 the text form is asked, which alone has the whole path of the output', async (t) => {
  const { slurm, facts } = started(t, 2205);
  slurm.put('job-5', 'JobId=5 JobName=train\n   UserId=ada(1001) GroupId=g(1)\n   JobState=RUNNING Reason=None\n   Restarts=0 BatchFlag=1\n   NodeList=n1\n   NumNodes=1 NumTasks=2\n   WorkDir=/s\n   StdOut=/s/train-5.out\n'); // biome-ignore format: one line
  slurm.put('pids', PIDS);
  slurm.socket('n1_5.0', true);
  await until(() => facts()[0]?.logs[0] === '/s/train-5.out', { seen: facts });
});

test('from 24.11 tasks are asked for as JSON; a build without it is asked for text from then on', async (t) => {
  const { slurm, facts } = started(t, 2411, {}, (fake) => fake.put('pids.json', 'scontrol: error: no plugin'));
  slurm.put('pids', PIDS);
  slurm.put('job-5', 'JobId=5 JobName=x\n   UserId=ada(1)\n   JobState=RUNNING\n');
  slurm.socket('n1_5.0', true);
  await until(() => facts()[0]?.user === 'ada' && facts()[0]?.tasks.length === 2, { seen: facts });
});

test('control groups of version 2 and 1 are marks of jobs; one without processes is none', async (t) => {
  const { slurm, facts } = started(t, 2405, {}, (fake) => {
    fake.group('system.slice/slurmstepd.scope/job_7', 1);
    fake.group('system.slice/slurmstepd.scope/job_8', 0);
  });
  slurm.put('job-7.json', documentWith({ ...JOB, job_id: 7 }));
  await until(() => facts().some(({ id, user }) => id === '7' && user === 'ada'), { seen: facts });
  assert.deepEqual(facts().map(({ id }) => id), ['7']); // biome-ignore format: one line

  const old = started(t, 2205, {}, (fake) => fake.group('memory/slurm/uid_1001/job_9', 1));
  await until(() => old.facts().some(({ id }) => id === '9'), { seen: old.facts });
});

test('an allocation without any process has its job and its GPUs', async (t) => {
  const { slurm, facts } = started(t, 2405, { nodeIntervalMs: 50 }, (fake) => {
    fake.put('queue', '5\n');
    fake.put('job-5.json', documentWith(JOB));
  });
  const [fact] = await until(() => (facts()[0]?.user === 'ada' ? facts() : null), { seen: facts });
  assert.deepEqual([fact?.gpus, fact?.tasks], [[4, 5], []]);
  slurm.put('job-5.json', documentWith({ ...JOB, job_state: ['COMPLETED'] }));
  slurm.put('queue', '');
  await until(() => facts()[0]?.states[0] === 'COMPLETED', { seen: facts });
});

test('a controller that is away leaves the ranks, and doctor says what is lost', async (t) => {
  const { slurm, facts, health } = started(t, 2405, {}, (fake) => {
    fake.put('pids', PIDS);
    fake.socket('n1_5.0', true);
  });
  await until(() => facts()[0]?.tasks.length === 2, { seen: facts });
  slurm.put('down', '');
  slurm.socket('n1_6.0', true);
  const state = await until(() => (health()?.status === 'partial' ? health() : null), { seen: health });
  assert.match(state.detail, /Unable to contact slurm controller/);
  assert.match(state.remedy ?? '', /scontrol ping/);
});

test('a file of the prologue is believed of a job that is here, and of no other', async (t) => {
  const { facts } = started(t, 2405, {}, (fake) => {
    writeFileSync(join(fake.root, 'boot_id'), 'b-1\n');
    for (const folder of ['jobs', 'map']) mkdirSync(join(fake.root, folder), { mode: 0o755 });
    writeFileSync(
      join(fake.root, 'jobs/5'),
      'BOOT_ID=b-1\nSLURM_JOB_ID=5\nSLURM_JOB_USER=eve\nSLURM_JOB_UID=7\nSLURM_JOB_GPUS=1\n',
    );
    writeFileSync(join(fake.root, 'jobs/6'), 'BOOT_ID=b-1\nSLURM_JOB_ID=6\nSLURM_JOB_USER=dead\n');
    writeFileSync(join(fake.root, 'jobs/7'), 'BOOT_ID=b-0\nSLURM_JOB_ID=7\nSLURM_JOB_USER=old\n');
    writeFileSync(join(fake.root, 'map/3'), '7\n8\n');
    fake.put('pids', `${PIDS}4003     7        0        0       0\n`);
    fake.socket('n1_5.0', true);
  });
  const found = await until(() => (facts().length === 2 && facts()[1]?.gpus ? facts() : null), { seen: facts });
  assert.deepEqual(found.map(({ id, user, gpus }) => [id, user, gpus]), [['5', 'eve', [1]], ['7', null, [3]]]); // biome-ignore format: one line
});

test('a program that other users could change is not run, and doctor says so', async (t) => {
  const { health, asked } = started(t, 2405, {}, (fake) => chmodSync(fake.programs, 0o777));
  const state = await until(() => (health()?.status === 'partial' ? health() : null), { seen: health });
  assert.match(state.remedy ?? '', /sources\.slurm\.programs/);
  assert.match(state.notes?.join('\n') ?? '', /scontrol is not run: every user may write/);
  assert.equal(asked(), 0);
});

test('a host that only submits jobs works, and its tasks are hardly ever listed', async (t) => {
  const { health, asked, later } = started(t, 2405, {}, (fake) => {
    for (const form of ['node', 'node.json']) fake.take(form);
    rmSync(fake.spool, { recursive: true });
  });
  await until(() => health()?.status === 'works', { seen: health });
  await later();
  const before = asked();
  await later();
  assert.deepEqual([health()?.status, asked()], ['works', before]);
});

test('a host without Slurm is said to have none, and nothing is asked', async (t) => {
  const slurm = new FakeSlurm(2405);
  t.after(() => slurm.remove());
  const nowhere = join(slurm.root, 'nowhere');
  const places = { proc: nowhere, groups: nowhere, confs: [nowhere], programs: [nowhere], pidFiles: [nowhere] };
  const folders = { jobs: nowhere, mapping: nowhere, bootId: nowhere };
  const identity = new Identity('h1');
  const source = new SlurmSource(SETTINGS, {
    host: 'h1',
    places,
    folders,
    now: Date.now,
    steady: (ms) => ms,
    files: new SmallFiles(),
    identity,
  });
  t.after(() => source.stop());
  source.start({ samples() {}, text() {}, discovery() {}, event() {} }, new AbortController().signal);
  await until(() => source.health()[0]?.detail !== 'starting');
  assert.deepEqual([source.health()[0]?.status, source.counts()[0]?.reads], ['absent', 0]);
});
