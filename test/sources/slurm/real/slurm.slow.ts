// The slurm source and the whole daemon on a real Slurm: ranks, outputs, GPUs and states of jobs, and incidents that name them.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Identity } from '../../../../src/identity/identity.ts';
import type { JobsDocument } from '../../../../src/model/documents/jobs.ts';
import type { EventInput } from '../../../../src/model/record.ts';
import { SmallFiles } from '../../../../src/sources/files/small-files.ts';
import { usualPlaces } from '../../../../src/sources/slurm/find/installation.ts';
import { SlurmSource } from '../../../../src/sources/slurm/slurm-source.ts';
import { DaemonUnderTest, type Json } from '../../../e2e/daemon-under-test.ts';
import { until } from '../../../until.ts';
import { Cluster, USER } from './cluster.ts';

const unpacked = process.env.FAULTLINE_SLURM ?? assert.fail('started by scripts/test-slurm');
const identity = new Identity('h1');
const events: EventInput[] = [];
const place = mkdtempSync(join(tmpdir(), 'faultline-none-'));
let cluster: Cluster;
let source: SlurmSource;
let daemon: DaemonUnderTest;
/** Its time limit of a minute passes while the others run. */
let limited: number;

before(async () => {
  cluster = await Cluster.start(unpacked);
  const settings = { enabled: 'on', intervalMs: 500, spreadMs: 0, nodeIntervalMs: 2000, conf: cluster.conf, programs: cluster.programs, rest: null, jobFolder: null, jobMapping: null, plannedReasons: ['maintenance'] } as const; // biome-ignore format: one line
  const folders = { jobs: join(place, 'jobs'), mapping: join(place, 'map'), bootId: join(place, 'boot') };
  const options = { host: 'h1', places: usualPlaces('/proc', '/sys'), folders, now: Date.now, steady: (ms: number) => ms, files: new SmallFiles(), identity }; // biome-ignore format: one line
  source = new SlurmSource(settings, options);
  const failed = (error: unknown): void => assert.fail(String(error));
  const emit = { samples() {}, text() {}, discovery() {}, failed, event: (event: EventInput) => void events.push(event) }; // biome-ignore format: one line
  source.start(emit, new AbortController().signal);
  const slurm = `{conf: "${cluster.conf}", programs: "${cluster.programs}", interval: 1s, spread: 0s, node_interval: 10s}`;
  daemon = new DaemonUnderTest({ gpus: 4, extra: `  slurm: ${slurm}\n` });
  await daemon.start();
  limited = cluster.submit('limit', 'sleep 600', '-t', '1', '-o', 'limit-%j.out');
});

after(async () => {
  await source?.stop();
  await daemon?.close();
  await cluster?.stop();
  rmSync(place, { recursive: true, force: true });
});

const facts = () => identity.work.scheduled.values();
const factOf = (id: string) => facts().find((fact) => fact.id === id);
const endOf = (id: string) => events.find((event) => event.component?.id === id && event.kind !== 'job.started');
const incidentOn = (what: string, find: (incident: Json) => boolean) =>
  daemon.until(what, () => daemon.logged('incident').find((one) => find(one)));
const named = (incident: Json) => (incident.jobs ?? []) as { id: string; user: string; name: string; ranks: number[] }[]; // biome-ignore format: one line

/** The job as `faultline jobs` shows it, once its user, ranks and GPUs are known there. */
const jobInDaemon = (id: string, gpus: number) =>
  daemon.until(`the daemon knows job ${id}`, async () => {
    const { jobs } = (await daemon.get('/v1/jobs')) as unknown as JobsDocument; // that document of the API
    return jobs.find(
      (job) =>
        job.id === id &&
        job.user !== null &&
        job.devices.filter((device) => device.includes(':')).length === gpus &&
        job.ranks.length > 0,
    );
  });

/** Ranks that print where they run, and wait. */
const SRUN = (count: number) =>
  `srun -K1 --overcommit -n${count} --gpus-per-task=1 sh -c 'echo rank $SLURM_PROCID; exec sleep 600'`;

test('srun: ranks, GPUs, user and output of a job are those of Slurm; a fault of its GPU names it; a cancel raises no incident', async () => {
  const job = cluster.submit('train', SRUN(2), '-n2', '--gres=gpu:2', '-o', '%x-%j.out');
  const id = String(job);
  const fact = await until(() => (factOf(id)?.tasks.filter(({ rank }) => rank !== null).length === 2 && factOf(id)?.user !== null ? factOf(id) : null), { seen: facts }); // biome-ignore format: one line
  const listed = cluster.ranks(job);
  assert.deepEqual(new Map(fact.tasks.flatMap(({ rank, pid }) => (rank === null ? [] : [[rank, pid]]))), listed);
  assert.deepEqual([fact.user, fact.userId, fact.name, fact.queue, fact.worldSize, fact.gpus], [USER.name, USER.uid, 'train', 'low', 2, [0, 1]]); // biome-ignore format: one line
  assert.deepEqual(fact.logs, [join(cluster.scratch, `train-${job}.out`)]);
  assert.match(readFileSync(fact.logs[0] ?? '', 'utf8'), /rank 0/);

  const shown = await jobInDaemon(id, 2);
  assert.deepEqual([shown.manager, shown.user, shown.name, shown.world_size], ['slurm', USER.name, 'train', 2]);
  assert.deepEqual(new Map(shown.ranks.map(({ rank, pid }) => [rank, pid])), listed);
  // What incidents are given is as old as a second.
  await sleep(1500);
  const lostGpu = shown.devices[1]?.split('/')[1] ?? '';
  daemon.kernel(`NVRM: Xid (PCI:${lostGpu.slice(0, -2)}): 79, pid=1, GPU has fallen off the bus.`);
  const lost = await incidentOn('the GPU of the job is lost', ({ root }) => JSON.stringify(root).includes(lostGpu));
  const whose = named(lost).find((one) => one.id === id);
  assert.deepEqual([whose?.user, whose?.name], [USER.name, 'train'], JSON.stringify(lost.jobs));

  cluster.run('scancel', id);
  const end = await until(() => endOf(id), { seen: () => events });
  assert.deepEqual([end.kind, end.attributes?.state, end.attributes?.user], ['job.cancelled', 'CANCELLED', USER.name]);
});

test('a rank that is killed: the incident names job, user and rank, and Slurm records it as failed', async () => {
  const job = cluster.submit('killed', SRUN(2), '-n2', '--gres=gpu:2', '-o', 'killed-%j.out');
  const id = String(job);
  await until(() => (cluster.ranks(job).size === 2 && factOf(id)?.user === USER.name ? true : null));
  await jobInDaemon(id, 2);
  process.kill(cluster.ranks(job).get(1) ?? 0, 'SIGKILL');
  const end = await until(() => endOf(id), { seen: () => events });
  assert.deepEqual([end.kind, end.attributes?.state, end.severity], ['job.failed', 'FAILED', undefined]);
  const incident = await incidentOn('the job failed', (one) => named(one).some((its) => its.id === id));
  // It has the GPU that was lost under the job before: both may be named.
  const whose = named(incident).find((its) => its.id === id);
  assert.deepEqual([whose?.user, whose?.name, whose?.ranks.includes(1)], [USER.name, 'killed', true]);
});

test('an array without srun: each task is a job of its own, with its own output and exit code, and no rank', async () => {
  const job = cluster.submit('array', 'sleep 4; exit $((SLURM_ARRAY_TASK_ID + 1))', '--array=0-1', '-o', 'a-%A_%a.out');
  const ids = [`${job}_0`, `${job}_1`];
  await until(() => ids.every((id) => factOf(id)?.tasks.length), { seen: facts });
  for (const [i, id] of ids.entries()) {
    assert.deepEqual(factOf(id)?.logs, [join(cluster.scratch, `a-${job}_${i}.out`)]);
    assert.ok(factOf(id)?.tasks.every(({ rank, step }) => rank === null && step === 'batch'));
  }
  await until(() => ids.every((id) => endOf(id)), { seen: () => events });
  assert.deepEqual(ids.map((id) => [endOf(id)?.kind, endOf(id)?.attributes?.exit_code, endOf(id)?.severity]), [['job.failed', 1, 'warning'], ['job.failed', 2, 'warning']]); // biome-ignore format: one line
});

test('a time limit is planned: job.cancelled with its reason', async () => {
  const end = await until(() => endOf(String(limited)), { limitMs: 150_000, seen: () => events });
  assert.deepEqual(
    [end.kind, end.attributes?.state, end.attributes?.reason],
    ['job.cancelled', 'TIMEOUT', 'time limit'],
  );
});

test('a requeue, and a preemption, which requeues: both are planned, and the job starts again', async () => {
  const job = cluster.submit('again', 'sleep 600', '-o', 'again-%j.out');
  await until(() => factOf(String(job))?.user === USER.name, { seen: facts });
  cluster.run('scontrol', 'requeue', String(job));
  const end = await until(() => endOf(String(job)), { seen: () => events });
  assert.deepEqual([end.kind, end.attributes?.restarts], ['job.requeued', 1]);

  const low = cluster.submit('low', 'sleep 600', '--exclusive', '-o', 'low-%j.out');
  await until(() => factOf(String(low))?.user === USER.name, { seen: facts });
  const high = cluster.submit('high', 'sleep 5', '--exclusive', '-p', 'high', '-o', 'high-%j.out');
  const preempted = await until(() => endOf(String(low)), { seen: () => events });
  assert.ok(['job.requeued', 'job.preempted'].includes(preempted.kind), preempted.kind);
  const done = await until(() => endOf(String(high)), { seen: () => events });
  assert.deepEqual([done.kind, done.attributes?.state], ['job.ended', 'COMPLETED']);
  cluster.run('scancel', String(job), String(low));
});

test('a drain is reported with its reason, and raises no incident', async () => {
  cluster.run('scontrol', 'update', 'NodeName=n1', 'State=DRAIN', 'Reason=kernel update');
  const event = await until(() => events.find(({ kind }) => kind === 'host.drained'), { seen: () => events });
  assert.deepEqual([event.attributes?.reason, event.attributes?.set_by], ['kernel update', 'root']);
  cluster.run('scontrol', 'update', 'NodeName=n1', 'State=RESUME');
});

test('planned ends raised nothing', () => {
  const roots = daemon.logged('incident').map((one) => String((one.root as Json | null)?.kind ?? one.title));
  assert.deepEqual(
    roots.filter((kind) => /cancelled|requeued|preempted|drained|hang/.test(kind)),
    [],
  );
});
