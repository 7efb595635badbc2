// One job under two names: a log configured as llama-70b, and real processes of Slurm's job 991 that write it. Incidents know one job.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'; // biome-ignore format: one line
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Pipeline } from '../../src/daemon/pipeline.ts';
import { rankDiscovery } from '../../src/identity/rank/links.ts';
import type { Incident } from '../../src/model/incident.ts';
import type { Discovery, EventInput } from '../../src/model/record.ts';
import { native, nativePath } from '../../src/native.ts';
import { FlightRecorderSource } from '../../src/sources/flight-recorder/flight-recorder-source.ts';
import { type JobLogOptions, JobLogSource } from '../../src/sources/job-log/job-log-source.ts';
import { ProcessSource } from '../../src/sources/processes/process-source.ts';
import { knowing, lookingAt } from '../identity/knowing.ts';
import { makeCase } from '../native-fr/generator/cases.ts';
import { until } from '../until.ts';

const HOST = 'node-9';
/** Ten minutes after the operations of the made dumps began, and some seconds. */
const DUMPED_MS = Date.UTC(2026, 10, 28, 1, 16, 50);

function pipelineOf(t: TestContext, now: () => number, identity = knowing([], HOST)) {
  const core = new (native().Core)({ historySeconds: 600, maxSeries: 100 });
  t.after(() => core.close());
  const incidents = new Map<string, Incident>();
  const discoveries: Discovery[] = [];
  const pipeline = new Pipeline({
    host: HOST,
    core,
    identity,
    latenessMs: 30_000,
    holdMs: 30_000,
    links: [],
    now,
    onEvent() {},
    onIncident: (incident) => incidents.set(incident.id, incident),
    onDiscovery: (discovery) => discoveries.push(discovery),
  });
  const open = () => [...incidents.values()].filter(({ mergedInto }) => mergedInto === null);
  return { pipeline, discoveries, open };
}

/** Processes that start with the test and end with it, shown in a procfs of their own. */
class Processes {
  readonly proc: string;
  readonly #started: ChildProcess[] = [];

  constructor(t: TestContext, root: string) {
    this.proc = join(root, 'proc');
    mkdirSync(this.proc);
    t.after(async () => {
      for (const child of this.#started) if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL'); // biome-ignore format: one line
      await Promise.all(this.#started.map((child) => child.exitCode ?? child.signalCode ?? once(child, 'exit')));
    });
  }

  /** In a group of their own; `out` is where they print. Each has become the program that it runs, and one writes `log`. */
  async start(
    command: string,
    env: Readonly<Record<string, string>>,
    out: number | 'ignore',
    all: number,
    log: string,
  ): Promise<void> {
    const child = spawn('sh', ['-c', command], { env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', out, out], detached: true }); // biome-ignore format: one line
    this.#started.push(child);
    const pids = await until(() => {
      const found = [child.pid ?? 0, ...childrenOf(child.pid ?? 0)];
      return found.length === all && this.#areReady(found, log) ? found : null;
    });
    for (const pid of pids) symlinkSync(`/proc/${pid}`, join(this.proc, `${pid}`));
  }

  #areReady([shell, ...others]: readonly number[], log: string): boolean {
    const pids = others.length === 0 ? [shell ?? 0] : others;
    const programs = pids.map((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8').trim());
    const files = pids.flatMap((pid) => readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`)));
    return programs.every((program) => ['sleep', 'tee'].includes(program)) && files.includes(log);
  }
}

/** Null where the file was closed meanwhile. */
function linkOf(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
}

test('a rank that writes the log, and one whose output is piped into it, are ranks of the job of the log', async (t) => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'fl-job-identity-')));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const [log, other, dumps] = ['llama-70b.log', 'eval.log', 'dumps'].map((name) => join(root, name)) as [string, string, string]; // biome-ignore format: one line
  for (const path of [log, other]) writeFileSync(path, '');
  mkdirSync(dumps);
  const processes = new Processes(t, root);
  const env = (rank: number) => ({ RANK: `${rank}`, WORLD_SIZE: '16', SLURM_JOB_ID: '991', TORCH_FR_DUMP_TEMP_FILE: join(dumps, 'nccl_trace_rank_') }); // biome-ignore format: one line
  const out = openSync(log, 'a');
  await processes.start('exec sleep 600', env(0), out, 1, log);
  closeSync(out);
  await processes.start(`env RANK=1 sleep 600 | env -u RANK tee -a ${log}`, { ...env(1), RANK: '' }, 'ignore', 3, log);

  const startMs = Date.now();
  const now = (): number => DUMPED_MS + Date.now() - startMs;
  const jobs = [{ job: 'llama-70b', ranks: [] }, { job: 'eval', ranks: [] }]; // biome-ignore format: one line
  const identity = knowing(jobs, HOST);
  const { pipeline, discoveries, open } = pipelineOf(t, now, identity);
  const settings = [{ job: 'llama-70b', path: log }, { job: 'eval', path: other }]; // biome-ignore format: one line
  // A log is read before it is known which file it is.
  const followed = new Set<string>();
  const onLog: JobLogOptions['onLog'] = (found) => {
    identity.jobs.follows(found);
    followed.add(found.path);
  };
  const logs = new JobLogSource(
    settings.map((each) => ({ ...each, framework: 'auto', ranks: [], worldSize: null })),
    { host: HOST, now, pollMs: 20, onLog },
  );
  const config = { enabled: 'on', intervalMs: 10, processes: true, folders: [], trigger: false, reader: '' } as const;
  const recorder = new FlightRecorderSource(config, { host: HOST, now, program: nativePath('faultline-fr'), identity, standard: [], graceMs: 0 }); // biome-ignore format: one line
  const ranksHere = new ProcessSource(
    { enabled: 'on', intervalMs: 20, reader: '' },
    { host: HOST, now, identity, own: async () => null, passwd: async () => null, proc: processes.proc },
  );
  lookingAt(identity, processes.proc);
  const ticks = setInterval(() => pipeline.advance(now()), 20);
  t.after(async () => {
    clearInterval(ticks);
    await Promise.all([logs.stop(), recorder.stop(), ranksHere.stop()]);
  });
  logs.start(pipeline, new AbortController().signal);
  await until(() => followed.size === settings.length, { seen: () => logs.health() });
  recorder.start(pipeline, new AbortController().signal);
  ranksHere.start(pipeline, new AbortController().signal);
  const ranks = await until(() => {
    const found = discoveries.filter(({ component }) => component.type === 'rank');
    return found.length < 2 ? null : found;
  });
  assert.deepEqual(ranks.map(({ component: { id, aliases } }) => [id, aliases]).sort(), [
    ['llama-70b/0', ['991/0']],
    ['llama-70b/1', ['991/1']],
  ]);
  assert.match(
    `${ranks.find(({ component }) => component.id.endsWith('/1'))?.attributes?.named_by}`,
    /what reads its output writes/,
  );

  let seed = 1;
  while (![0, 1].includes(makeCase('not_joined', seed).culprits[0] ?? -1)) seed += 1;
  for (const { name, bytes } of makeCase('not_joined', seed).files) {
    writeFileSync(join(dumps, name.replace(/^.*?(\d+)$/, 'nccl_trace_rank_$1')), bytes);
    utimesSync(join(dumps, name.replace(/^.*?(\d+)$/, 'nccl_trace_rank_$1')), now() / 1000, now() / 1000);
  }
  appendFileSync(log, '[rank3]:[E] [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1580, OpType=ALLREDUCE, NumelIn=4, NumelOut=4, Timeout(ms)=600000) ran for 600060 milliseconds before timing out.\n'); // biome-ignore format: one line
  await until(() => open().some(({ evidence }) => ['flight-recorder', 'job-log'].every((source) => evidence.some((each) => each.source === source))), { seen: () => [open().map(({ title }) => title), recorder.health()] }); // biome-ignore format: one line
  assert.equal(
    open().length,
    1,
    open()
      .map(({ title }) => title)
      .join('; '),
  );
  const [incident] = open();
  assert.doesNotMatch(JSON.stringify(incident?.chain.map(({ component }) => component?.id)), /991/);
  assert.ok(incident?.chain.every(({ component }) => component?.id.startsWith('llama-70b') === true));
});

test('an incident that was opened under the name of the launcher is the job’s as soon as the names are one', (t) => {
  const clock = { now: DUMPED_MS };
  const { pipeline, open } = pipelineOf(t, () => clock.now);
  const stall = (job: string, source: string): EventInput => ({
    kind: 'job.collective_timeout', component: { type: 'rank', id: `${job}/3`, host: HOST, parent: `job/${job}` }, timeMs: clock.now, observedMs: clock.now,
    trust: 'tenant', state: 'onset', source, discriminator: source,
  }); // biome-ignore format: one event
  pipeline.discovery(rankDiscovery('991', 3, HOST, null, ''));
  pipeline.event(stall('991', 'flight-recorder'));
  clock.now += 1000;
  pipeline.event(stall('llama-70b', 'job-log'));
  pipeline.advance(clock.now);
  const names = { aliases: ['991'], namedBy: 'it writes /logs/llama-70b.log' };
  pipeline.discovery(rankDiscovery('llama-70b', 3, HOST, null, '', names));
  for (let i = 0; i < 60; i += 1) {
    clock.now += 1000;
    pipeline.advance(clock.now);
  }
  assert.deepEqual(open().map(({ chain }) => chain.map(({ component }) => component?.id)), [['llama-70b/3']]); // biome-ignore format: one call
});
