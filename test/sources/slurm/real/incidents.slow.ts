// A fault during each way to run a job on a real Slurm: the incident names job, user, rank and GPU, as a new user's daemon would
// say it, with logs that it found by itself.

import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import { renderIncidentText } from '../../../../src/incidents/report/text.ts';
import { incidentFromDocument } from '../../../../src/model/documents/incident.ts';
import type { JobDocument, JobsDocument } from '../../../../src/model/documents/jobs.ts';
import { DaemonUnderTest, type Json } from '../../../e2e/daemon-under-test.ts';
import { until } from '../../../until.ts';
import { Cluster, USER } from './cluster.ts';

const unpacked = process.env.FAULTLINE_SLURM ?? assert.fail('started by scripts/test-slurm');
const SRUN = 'srun -K1 --overcommit -n2 --gpus-per-task=1 sh -c "echo rank $SLURM_PROCID; exec sleep 600"';
const GPUS = 4;
let cluster: Cluster;

before(async () => {
  cluster = await Cluster.start(unpacked);
});
after(() => cluster?.stop());

interface Named {
  readonly id: string;
  readonly user: string;
  readonly name: string;
  readonly ranks: readonly number[];
  readonly devices?: readonly string[];
}

async function daemonOf(t: TestContext): Promise<DaemonUnderTest> {
  const slurm = `{conf: "${cluster.conf}", programs: "${cluster.programs}", interval: 1s}`;
  const daemon = new DaemonUnderTest({ gpus: 4, foundLogs: true, extra: `  slurm: ${slurm}\n` });
  t.after(() => daemon.close());
  await daemon.start();
  return daemon;
}

/** A job that is over with its test. */
function submit(t: TestContext, name: string, script: string, ...words: string[]): number {
  const job = cluster.submit(name, script, ...words);
  t.after(() => cluster.cancel(job));
  return job;
}

/** The job as it is known once user, GPUs and as many ranks are; the scheduler may name its processes before they were looked at. */
function known(daemon: DaemonUnderTest, id: string, gpus: number, ranks: number): Promise<JobDocument> {
  let seen: readonly JobDocument[] = [];
  const found = daemon.until(`job ${id} is known`, async () => {
    const { jobs } = (await daemon.get('/v1/jobs')) as unknown as JobsDocument; // that document of the API
    seen = jobs;
    const complete = (job: JobDocument): boolean =>
      job.user === USER.name &&
      job.name !== null &&
      job.ranks.length === ranks &&
      job.devices.length === gpus &&
      (gpus < ranks || job.ranks.every((rank) => rank.gpus.length > 0));
    return jobs.find((job) => job.id === id && complete(job));
  });
  return found.catch((error: unknown) => {
    throw new Error(`${String(error).slice(0, 80)}: ${JSON.stringify(seen)}`);
  });
}

/** The incident that is about this component, as JSON and in its first lines. */
async function incidentOn(daemon: DaemonUnderTest, place: string, id: string) {
  const found = await daemon.until(`an incident on ${place} names job ${id}`, () =>
    daemon
      .logged('incident')
      .find(({ root, jobs }) => JSON.stringify(root).includes(place) && JSON.stringify(jobs ?? []).includes(`"${id}"`)),
  );
  const incident = incidentFromDocument(found) ?? assert.fail('no incident');
  const text = renderIncidentText(incident, { width: 120, colour: false, nowMs: Date.now(), timeZone: 'UTC' });
  const head = text.split('\n').slice(0, 6).join('\n');
  const whose = (found.jobs as Named[]).find((one) => one.id === id) ?? assert.fail(JSON.stringify(found.jobs));
  return { whose, head };
}

/** A GPU of the job falls off the bus. */
async function breaks(daemon: DaemonUnderTest, job: JobDocument, at: number) {
  const gpu = job.devices[at] ?? assert.fail(`no GPU ${at}: ${job.devices.join()}`);
  const address = gpu.slice('gpu/'.length);
  // What incidents are given is as old as a second: one that is known just now would be named all the same.
  daemon.kernel(`NVRM: Xid (PCI:${address.slice(0, -2)}): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.`); // biome-ignore format: one line
  const { whose, head } = await incidentOn(daemon, address, job.id);
  assert.deepEqual([whose.user, whose.name, whose.devices], [USER.name, job.name, [gpu]]);
  for (const word of [job.id, job.name ?? '', USER.name, address]) assert.ok(head.includes(word), `${word}: ${head}`);
  return { whose, head };
}

describe('a GPU is lost under a job', { concurrency: false }, () => {
  test('srun: the rank that has it is named', async (t) => {
    const daemon = await daemonOf(t);
    const id = String(submit(t, 'train', SRUN, '-n2', '--gres=gpu:2', '-o', 'train-%j.out'));
    const job = await known(daemon, id, 2, 2);
    assert.equal(job.logs[0]?.path, `${cluster.scratch}/train-${id}.out`);
    const { whose, head } = await breaks(daemon, job, 1);
    assert.deepEqual(whose.ranks, [1]);
    assert.match(head, /, rank 1,/);
  });

  test('sbatch without srun: what the script started has no rank, and with RANK it has that one', async (t) => {
    const daemon = await daemonOf(t);
    const plain = String(submit(t, 'plain', 'sleep 600', '--gres=gpu:1', '-o', 'plain-%j.out'));
    const { whose } = await breaks(daemon, await known(daemon, plain, 1, 0), 0);
    assert.deepEqual(whose.ranks, []);
    const torch = String(submit(t, 'torch', 'RANK=0 LOCAL_RANK=0 WORLD_SIZE=1 sleep 600', '--gres=gpu:1')); // biome-ignore format: one line
    const own = await breaks(daemon, await known(daemon, torch, 1, 1), 0);
    assert.deepEqual(own.whose.ranks, [0]);
  });

  test('an array: the task that has it, and none of its siblings', async (t) => {
    const daemon = await daemonOf(t);
    const array = submit(t, 'sweep', 'sleep 600', '--array=0-1', '--gres=gpu:1', '-o', 'sweep-%A_%a.out');
    const jobs = await Promise.all([0, 1].map((task) => known(daemon, `${array}_${task}`, 1, 0)));
    const second = jobs[1] ?? assert.fail();
    assert.equal(second.logs[0]?.path, `${cluster.scratch}/sweep-${array}_1.out`);
    await breaks(daemon, second, 0);
    const incident = daemon.logged('incident').at(-1) as Json;
    assert.deepEqual((incident.jobs as Named[]).map(({ id }) => id), [`${array}_1`]); // biome-ignore format: one line
  });

  test('a requeue: before it and after it, the job is named, and its restart counted', async (t) => {
    const daemon = await daemonOf(t);
    const id = String(submit(t, 'again', SRUN, '-n2', '--gres=gpu:2', '-o', 'again-%j.out'));
    const first = await known(daemon, id, 2, 2);
    await breaks(daemon, first, 0);
    cluster.run('scontrol', 'requeue', id);
    const pids = new Set(first.ranks.map(({ pid }) => pid));
    // Slurm lets it wait for two minutes.
    const job = await daemon.until(
      'it runs again',
      async () => {
        const again = await known(daemon, id, 2, 2).catch(() => null);
        return again?.attempt === 1 && again.ranks.every(({ pid }) => !pids.has(pid)) ? again : null;
      },
      180_000,
    );
    const { whose } = await breaks(daemon, job, 1);
    assert.deepEqual(whose.ranks, [1]);
  });

  test('a preemption: the job that is put off is named for its fault, and the one that took its place for its own', async (t) => {
    const daemon = await daemonOf(t);
    const low = String(submit(t, 'low', 'sleep 600', '--exclusive', '--gres=gpu:2', '-o', 'low-%j.out'));
    // Slurm gives a job that has a node alone all of its GPUs.
    await breaks(daemon, await known(daemon, low, GPUS, 0), 0);
    const high = String(submit(t, 'high', SRUN, '-n2', '--gres=gpu:2', '--exclusive', '-p', 'high'));
    const { whose } = await breaks(daemon, await known(daemon, high, GPUS, 2), 1);
    assert.deepEqual([whose.id, whose.ranks], [high, [1]]);
  });

  test('a time limit: the fault before it names the job, and the end is not an incident', async (t) => {
    const daemon = await daemonOf(t);
    const id = String(submit(t, 'limit', SRUN, '-t', '1', '-n2', '--gres=gpu:2', '-o', 'limit-%j.out'));
    await breaks(daemon, await known(daemon, id, 2, 2), 1);
    const isHere = async (): Promise<boolean> => {
      const { jobs } = (await daemon.get('/v1/jobs')) as unknown as JobsDocument; // that document of the API
      return jobs.some((job) => job.id === id);
    };
    await daemon.until('its time is over', async () => !(await isHere()), 150_000);
    assert.deepEqual(daemon.logged('incident').filter(({ root }) => !/gpu/.test(String((root as Json).kind))), []); // biome-ignore format: one line
  });
});

test('a rank that is killed is the root, with its GPU, though Slurm reports the end of its step as a cancellation', async (t) => {
  const daemon = await daemonOf(t);
  const job = submit(t, 'killed', SRUN, '-n2', '--gres=gpu:2', '-o', 'killed-%j.out');
  const id = String(job);
  const { ranks } = await known(daemon, id, 2, 2);
  await daemon.until('its log is read', async () => JSON.stringify(await daemon.status()).includes(`killed-${id}.out`));
  process.kill(cluster.ranks(job).get(1) ?? 0, 'SIGKILL');
  const { whose, head } = await incidentOn(daemon, `${id}/1`, id);
  const gpu = ranks.find(({ rank }) => rank === 1)?.gpus[0] ?? assert.fail();
  assert.ok(whose.ranks.includes(1) && whose.devices?.includes(`gpu/${gpu}`), JSON.stringify(whose));
  assert.match(head, /rank killed/);
  assert.ok(head.includes(gpu) && head.includes(USER.name), head);
});

test('names of output files are those that Slurm makes of every sign', async (t) => {
  const daemon = await daemonOf(t);
  const script = 'srun --overcommit -n2 -o step-%j.%s_%J_%2t_%N_%n_%A_%a_%u_%x sh -c "echo here; exec sleep 600"';
  const id = String(submit(t, 'signs', script, '-n2', '-o', 'batch-%5j_%J_%s_%N_%n_%t_%u_%x_%A'));
  const job = await known(daemon, id, 0, 2);
  const paths = await until(async () => {
    const { jobs } = (await daemon.get('/v1/jobs')) as unknown as JobsDocument; // that document of the API
    const logs = jobs.find((each) => each.id === job.id)?.logs.map(({ path }) => path) ?? [];
    return logs.length === 6 ? logs : null;
  });
  // Of the two names that the node has, this release writes one: the others are files that are not there.
  const there = paths.map((path) => path.slice(cluster.scratch.length + 1)).filter((name) => cluster.written(/./).includes(name)); // biome-ignore format: one line
  assert.deepEqual([there.sort(), there.length], [cluster.written(/^(?:batch|step)-/), 3]);
});
