// The source from dump files and a fake procfs to events of the right ranks, once each, and its health.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Identity } from '../../../src/identity/identity.ts';
import type { Kind } from '../../../src/model/kind.ts';
import type { Discovery, EventInput } from '../../../src/model/record.ts';
import { nativePath } from '../../../src/native.ts';
import {
  type FlightRecorderOptions,
  FlightRecorderSource,
} from '../../../src/sources/flight-recorder/flight-recorder-source.ts';
import type { FlightRecorderSettings } from '../../../src/sources/flight-recorder/settings.ts';
import { workDiscoveries } from '../../../src/sources/processes/work-discoveries.ts';
import { knowing, lookingAt } from '../../identity/knowing.ts';
import { type CaseKind, makeCase } from '../../native-fr/generator/cases.ts';
import { until } from '../../until.ts';

const root = mkdtempSync(join(tmpdir(), 'fl-fr-source-'));
after(() => rmSync(root, { recursive: true }));
const CONFIG = { enabled: 'on', intervalMs: 5, processes: true, folders: [], trigger: false } as const;

interface Running {
  readonly source: FlightRecorderSource;
  readonly events: EventInput[];
  /** What is known of the ranks here, as the source of processes reports it. */
  ranksHere(): Promise<readonly Discovery[]>;
  until(wanted: () => boolean): Promise<true>;
}

function start(
  folders: readonly string[],
  proc: string,
  more: Partial<FlightRecorderOptions> = {},
  settings: Partial<FlightRecorderSettings> = {},
): Running {
  const events: EventInput[] = [];
  const identity = lookingAt(more.identity ?? knowing([]), proc);
  const source = new FlightRecorderSource(
    { ...CONFIG, folders: folders.map((path) => ({ path, pattern: '*', job: 'llama' })), ...settings },
    {
      host: 'node-3',
      now: Date.now,
      program: nativePath('faultline-fr'),
      standard: [],
      graceMs: 0,
      ...more,
      identity,
    },
  );
  const emit = {
    samples() {},
    text() {},
    event: (event: EventInput) => events.push(event),
    discovery() {},
  };
  source.start(emit, new AbortController().signal);
  const ranksHere = async () => {
    await identity.processes.look();
    const found = workDiscoveries(identity.work.fresh(), 'node-3', () => null);
    return found.filter(({ component }) => component.type === 'rank');
  };
  return { source, events, ranksHere, until };
}

function job(kind: CaseKind, seed = 1): { folder: string; culprits: readonly number[] } {
  const made = makeCase(kind, seed);
  const folder = mkdtempSync(join(root, 'job-'));
  for (const { name, bytes } of made.files) writeFileSync(join(folder, name), bytes);
  return { folder, culprits: made.culprits };
}

function procOf(ranks: readonly number[], folder: string, ...more: string[]): string {
  const proc = mkdtempSync(join(root, 'proc-'));
  for (const [index, rank] of ranks.entries()) {
    mkdirSync(join(proc, `${100 + index}`));
    const lines = [`RANK=${rank}`, 'WORLD_SIZE=16', `LOCAL_RANK=${index}`, 'SLURM_JOB_ID=981', `TORCH_FR_DUMP_TEMP_FILE=${folder}/nccl_trace_rank_`, ...more]; // biome-ignore format: one line
    // The same mount namespace as ours, which this fake does not say: its root is then asked for.
    mkdirSync(join(proc, `${100 + index}`, 'root'));
    writeFileSync(join(proc, `${100 + index}`, 'environ'), `${lines.join('\0')}\0`);
  }
  return proc;
}

/** As if the ranks saw the same file systems as we do. */
function shareFiles(proc: string, ranks: number): void {
  for (const at of ['self', ...Array.from({ length: ranks }, (_, index) => `${100 + index}`)]) {
    mkdirSync(join(proc, at, 'ns'), { recursive: true });
    symlinkSync('mnt:[1]', join(proc, at, 'ns/mnt'));
  }
}

/** All ranks of the job are configured to run here. */
const ALL_HERE = [{ job: 'llama', ranks: [...Array(16).keys()] }];

const ranksOf = (events: readonly EventInput[], kind: string): string[] =>
  events.filter((event) => event.kind === kind).map(({ component }) => `${component?.type}/${component?.id}`).sort(); // biome-ignore format: one line

test('the rank that did not come is reported, with those that wait for it, once', async () => {
  const { folder, culprits } = job('not_joined');
  const { source, events, until } = start([folder], mkdtempSync(join(root, 'proc-')), { identity: knowing(ALL_HERE) });
  await until(() => events.length === 16);
  await source.stop();
  assert.deepEqual(
    ranksOf(events, 'job.collective_desync'),
    culprits.map((rank) => `rank/llama/${rank}`),
  );
  const waiting = ranksOf(events, 'job.collective_timeout');
  assert.equal(waiting.length, 15);
  assert.ok(!waiting.includes(`rank/llama/${culprits[0]}`));
  const desync = events.find(({ kind }) => kind === 'job.collective_desync');
  assert.deepEqual([desync?.trust, desync?.source, desync?.component?.host], ['tenant', 'flight-recorder', 'node-3']);
  const { job: name, verdict, operation, culprits: named, rank } = desync?.attributes ?? {};
  assert.deepEqual(
    [name, verdict, operation, named, rank],
    ['llama', 'not_joined', 'all_reduce', `${culprits[0]}`, culprits[0]],
  );
  assert.match(JSON.stringify(desync?.evidence?.[0]), new RegExp(`rank ${culprits[0]} did not enter all_reduce`));
  assert.equal(new Set(events.map(({ kind, component }) => `${kind} ${component?.id}`)).size, events.length);
});

test('a stall lasts while the ranks of this host stand there, and is over when they are gone', async () => {
  const { folder, culprits } = job('not_joined');
  const here = [...new Set([culprits[0] ?? 0, 0, 1])];
  const proc = procOf(here, folder);
  shareFiles(proc, here.length);
  let aheadMs = 0;
  const { source, events, until } = start([folder], proc, { now: () => Date.now() + aheadMs });
  await until(() => events.length >= here.length);
  assert.ok(events.every(({ state }) => state === 'onset'));
  const reported = events.length;
  rmSync(join(proc, '100'), { recursive: true });
  aheadMs += 11_000;
  await until(() => source.health()[0]?.detail.includes(`${here.length - 1} ranks`) ?? false);
  assert.equal(events.length, reported);
  for (const pid of here.keys()) rmSync(join(proc, `${100 + pid}`), { recursive: true, force: true });
  aheadMs += 11_000;
  await until(() => events.length >= 2 * reported);
  await source.stop();
  const of = (state: string) => events.filter((each) => each.state === state).map(({ kind, component }) => `${kind} ${component?.id}`); // biome-ignore format: one line
  assert.deepEqual(of('clear'), of('onset'));
});

test('a stall is over when its job is seen to make steps again, and no other job is', async () => {
  const { folder, culprits } = job('not_joined');
  const proc = procOf([culprits[0] ?? 0], folder);
  shareFiles(proc, 1);
  const { source, events, until } = start([folder], proc);
  await until(() => events.length > 0);
  source.continues('another');
  assert.ok(events.every(({ state }) => state === 'onset'));
  const reported = events.length;
  source.continues('llama');
  source.continues('llama');
  await source.stop();
  assert.deepEqual(events.slice(reported).map(({ state }) => state), Array(reported).fill('clear')); // biome-ignore format: one line
});

test('a stall of many ranks does not hand over all of its events in one turn of the loop', async () => {
  const { folder } = job('not_joined');
  const { source, events, until } = start([folder], mkdtempSync(join(root, 'proc-')), { identity: knowing(ALL_HERE) });
  let most = 0;
  let before = 0;
  let stopped = false;
  const turn = (): void => {
    most = Math.max(most, events.length - before);
    before = events.length;
    if (!stopped) setImmediate(turn);
  };
  setImmediate(turn);
  await until(() => events.length === 16);
  stopped = true;
  await source.stop();
  assert.ok(most > 0 && most <= 8, `${most} in one turn`);
});

test('a mismatch names what was expected and what came', async () => {
  const { folder, culprits } = job('mismatch_dtype');
  const { source, events, until } = start([folder], mkdtempSync(join(root, 'proc-')), { identity: knowing(ALL_HERE) });
  await until(() => events.length > 0);
  await source.stop();
  assert.deepEqual(ranksOf(events, 'job.collective_mismatch'), [`rank/llama/${culprits[0]}`]);
  const { expected, found } = events.find(({ kind }) => kind === 'job.collective_mismatch')?.attributes ?? {};
  assert.match(`${expected} / ${found}`, /BFloat16 \/ .*Half/);
});

test('a healthy job is read and says nothing', async () => {
  const { folder } = job('healthy');
  const identity = knowing([]);
  const { source, events, until } = start([folder], mkdtempSync(join(root, 'proc-')), { identity });
  await until(() => (source.counts()[0]?.reads ?? 0) > 0);
  await source.stop();
  assert.deepEqual(events, []);
  // Whose processes they are may be inferred from them, where nothing else says so.
  const [dumped, ...others] = identity.work.dumped.values();
  const named = readdirSync(folder).map((name) => Number(/\d+$/.exec(name)?.[0])).sort((a, b) => a - b); // biome-ignore format: one list
  assert.deepEqual([dumped?.user, dumped?.job, dumped?.ranks, others], [statSync(folder).uid, 'llama', named, []]);
  assert.equal(source.health()[0]?.status, 'works');
});

test('ranks of this host get events of their own, the others one of the job', async () => {
  const { folder, culprits } = job('not_joined');
  const [culprit = 0] = culprits;
  const local = [0, 1, 2, 3, 4].filter((rank) => rank !== culprit).slice(0, 4);
  const { source, events, until } = start([folder], mkdtempSync(join(root, 'proc-')), {
    identity: knowing([{ job: 'llama', ranks: local }]),
  });
  await until(() => events.length > 0);
  await source.stop();
  assert.deepEqual(ranksOf(events, 'job.collective_desync'), ['job/llama']);
  assert.deepEqual(
    ranksOf(events, 'job.collective_timeout'),
    local.map((rank) => `rank/llama/${rank}`),
  );
  assert.equal(events[0]?.attributes?.ranks_elsewhere, `${culprit}`);
});

test("of a job that has no rank here each stall is reported once, as the job's, however often its dumps are read", async () => {
  const cases: readonly (readonly [CaseKind, Kind])[] = [
    ['not_joined', 'job.collective_desync'],
    ['mismatch_dtype', 'job.collective_mismatch'],
    ['silent_rank', 'job.collective_desync'],
    ['late_completer', 'job.collective_desync'],
  ];
  for (const [kind, reported] of cases) {
    const { folder } = job(kind);
    const { source, events, until } = start([folder], mkdtempSync(join(root, 'proc-')));
    await until(() => (source.counts()[0]?.reads ?? 0) > 0);
    for (let again = 1; again <= 3; again += 1) {
      // Written again, as a copy over a shared file system is.
      for (const { name, bytes } of makeCase(kind, 1).files) writeFileSync(join(folder, name), bytes);
      await until(() => (source.counts()[0]?.reads ?? 0) > again);
    }
    await source.stop();
    const stalls = events.filter((event) => event.kind !== 'job.straggler');
    assert.ok(stalls.length >= 1 && stalls.length <= 2, `${kind}: ${stalls.length} events`);
    assert.equal(stalls[0]?.kind, reported, kind);
    // A GPU that does not finish what the others finished is not the program's doing.
    const hardware = stalls.some(({ attributes }) => String(attributes?.next).startsWith('XID, ECC and NVLink'));
    assert.equal(hardware, kind === 'late_completer', kind);
    assert.ok(
      events.every(({ component }) => component?.type === 'job' && component.id === 'llama'),
      kind,
    );
    assert.ok(
      events.every(({ attributes }) => attributes?.ranks !== undefined),
      kind,
    );
  }
});

test('a rank without a dump is accused only where its dump would have to be here', async () => {
  const { folder, culprits } = job('silent_rank');
  const [culprit = 0] = culprits;
  const others = [...Array(16).keys()].filter((rank) => rank !== culprit).slice(0, 12);
  const accused = async (ranks: readonly number[]): Promise<readonly string[]> => {
    const { source, events, until } = start([folder], mkdtempSync(join(root, 'proc-')), { identity: knowing([{ job: 'llama', ranks }]) }); // biome-ignore format: one line
    await until(() => events.some(({ kind }) => kind !== 'job.straggler'));
    await source.stop();
    assert.ok(events.some(({ attributes }) => attributes?.culprits === `${culprit}`));
    return ranksOf(events, 'job.collective_desync');
  };
  assert.deepEqual(await accused([culprit, ...others]), [`rank/llama/${culprit}`]);
  // Ranks of another host dump here too: its dump would be among them.
  assert.deepEqual(await accused(others), ['job/llama']);
  for (const { name } of makeCase('silent_rank', 1).files) {
    if (!others.some((rank) => name.endsWith(`_${rank}`))) rmSync(join(folder, name));
  }
  assert.deepEqual(await accused(others), []);
});

test('ranks are asked for dumps at the fault of a device, and once more when the job has stopped', async () => {
  const folder = mkdtempSync(join(root, 'asked-'));
  execFileSync('mkfifo', [join(folder, 'pipe_0.pipe')]);
  const pipe = openSync(join(folder, 'pipe_0.pipe'), constants.O_RDWR | constants.O_NONBLOCK);
  const proc = procOf([0], folder, `TORCH_NCCL_DEBUG_INFO_PIPE_FILE=${folder}/pipe_`);
  shareFiles(proc, 1);
  const running = start([folder], proc, {}, { trigger: true });
  try {
    await running.until(() => running.source.health()[0]?.detail.includes('1 ranks') ?? false);
    for (const why of ['device', 'job', 'device', 'job'] as const) running.source.suspect(why);
    let got = '';
    const read = Buffer.alloc(64);
    await running.until(() => {
      try {
        got += read.toString('latin1', 0, readSync(pipe, read));
      } catch {
        // Empty so far.
      }
      return got.length >= 2;
    });
    assert.equal(got, '11');
  } finally {
    await running.source.stop();
    closeSync(pipe);
  }
});

test('the environment of the ranks tells folder, job, places and GPUs', async () => {
  const { folder, culprits } = job('cascade');
  const [culprit = 0] = culprits;
  const proc = procOf([culprit], folder);
  // In its own mount namespace the path is under the process's root.
  const inside = join(proc, '100', 'root', folder);
  mkdirSync(inside, { recursive: true });
  for (const { name, bytes } of makeCase('cascade', 1).files) writeFileSync(join(inside, name), bytes);
  writeFileSync(join(proc, '100', 'cmdline'), ['python', '-u', '/job/train.py', '--pp-size', '4', ''].join('\0'));
  const gpu = { type: 'gpu', id: '0000:9b:00.0', host: 'node-3', aliases: ['gpu 0'] } as const;
  const identity = new Identity('node-3');
  identity.gpus.found(gpu, 'NVIDIA H100');
  const { source, events, ranksHere, until } = start([], proc, { identity });
  await until(() => events.length > 0);
  await source.stop();
  assert.deepEqual(ranksOf(events, 'job.collective_desync'), [`rank/981/${culprit}`]);
  const [found] = await ranksHere();
  assert.deepEqual(
    found?.links.map(({ from, to, relation }) => `${from.type}/${from.id} ${relation} ${to.type}/${to.id}`),
    ['host/node-3 runs job/981', `gpu/0000:9b:00.0 runs rank/981/${culprit}`, `rank/981/${culprit} member_of job/981`],
  );
  assert.equal(found?.attributes?.role, `train.py stage ${Math.floor(culprit / 4)}/4`);
});

test('a folder of the configuration into which ranks dump is reported once, under the configured name', async () => {
  const { folder, culprits } = job('not_joined');
  const proc = procOf(
    Array.from({ length: 16 }, (_, rank) => rank),
    folder,
  );
  shareFiles(proc, 16);
  const { source, events, ranksHere, until } = start([folder], proc);
  await until(() => events.length >= 16);
  await until(() => (source.counts()[0]?.reads ?? 0) > 0);
  await source.stop();
  assert.equal(events.length, 16);
  assert.deepEqual(ranksOf(events, 'job.collective_desync'), [`rank/llama/${culprits[0]}`]);
  const found = await ranksHere();
  assert.equal(found.length, 16);
  assert.deepEqual(new Set(found.map(({ component }) => component.parent)), new Set(['job/llama']));
  const { did } = events.find(({ kind }) => kind === 'job.collective_desync')?.attributes ?? {};
  assert.match(String(did), /^did not enter all_reduce number \d+ of /);
  const waits = events.find(({ kind }) => kind === 'job.collective_timeout')?.attributes?.did;
  assert.match(String(waits), /^in all_reduce number \d+ of /);
  assert.match(source.health()[0]?.detail ?? '', /^16 ranks here, 16 dumps in 1 folders, 1 analyses/);
});

test('a job that switched its recorder or its dumps off is reported once, with the setting', async () => {
  for (const setting of ['TORCH_NCCL_TRACE_BUFFER_SIZE=0', 'TORCH_NCCL_DUMP_ON_TIMEOUT=False']) {
    let nowMs = 1000;
    const { source, events, until } = start([], procOf([4, 3], '/dumps', setting), { now: () => (nowMs += 30_000) });
    const looks = nowMs + 6 * 30_000;
    await until(() => nowMs > looks);
    await source.stop();
    assert.deepEqual(
      events.map(({ kind, component, attributes }) => [kind, component?.id, attributes?.setting, attributes?.ranks]),
      [['config.flight_recorder_off', '981', setting, '3, 4']],
    );
  }
  const { source, events, until } = start([], procOf([4], '/dumps', 'TORCH_NCCL_DUMP_ON_TIMEOUT=1'));
  await until(() => !source.health()[0]?.detail.startsWith('starting'));
  await source.stop();
  assert.deepEqual(events, []);
});

test('a reader that dies is reported in health and ends nothing', async () => {
  const { folder } = job('not_joined');
  const { source, until } = start([folder], mkdtempSync(join(root, 'proc-')), { program: '/bin/false' });
  await until(() => source.health()[0]?.status === 'failed');
  await source.stop();
  assert.match(source.health()[0]?.detail ?? '', /^FL2411 .*status 1/);
});

test('a job that is too large for the reader is reported with its folder, and what reads it', async () => {
  const { folder } = job('not_joined');
  const program = join(mkdtempSync(join(root, 'full-')), 'reader');
  writeFileSync(program, '#!/bin/sh\nexit 4\n', { mode: 0o755 });
  const { source, until } = start([folder], mkdtempSync(join(root, 'proc-')), { program });
  await until(() => source.health()[0]?.status === 'failed');
  await source.stop();
  const [health] = source.health();
  assert.ok(health?.detail.startsWith(`FL2411 dumps in ${folder} were not analysed: `), health?.detail);
  assert.match(health?.detail ?? '', /16 files need more memory than the 1 GiB/);
  assert.ok(health?.remedy?.startsWith(`faultline fr ${folder} reads them by hand`), `${health?.remedy}`);
});

test('without jobs and dumps it is absent, and says what would fix it', async () => {
  const { source, until } = start([], mkdtempSync(join(root, 'proc-')));
  assert.match(source.health()[0]?.detail ?? '', /^starting/);
  await until(() => !source.health()[0]?.detail.startsWith('starting'));
  await source.stop();
  assert.match(source.health()[0]?.remedy ?? '', /TORCH_FR_DUMP_TEMP_FILE/);
});
