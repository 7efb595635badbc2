// Real PyTorch over Gloo with injected faults: its own dumps, read from its own recorder, name the rank.
// Runs alone: with other tests at work its four ranks run out of patience before they reach their fault.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, describe, test } from 'node:test';
import type { FlightRecorderDocument } from '../../src/model/documents/flight-recorder.ts';
import type { EventInput } from '../../src/model/record.ts';
import { installationRoot, nativePath } from '../../src/native.ts';
import { analyseFlightRecorder } from '../../src/sources/flight-recorder/dumps/analyse.ts';
import { FlightRecorderSource } from '../../src/sources/flight-recorder/flight-recorder-source.ts';
import { knowing } from '../identity/knowing.ts';
import { randomOf } from '../native-fr/generator/cases.ts';
import { runs } from '../runs.ts';
import { PATIENCE_MS, until } from '../until.ts';

const WORLD = 4;
const python = process.env.FAULTLINE_TORCH_PYTHON ?? join(installationRoot(), '.tools/torch/bin/python');

/** Why there is no PyTorch; false where there is. CI installs it where it can be had: scripts/lib/ci-peers.sh. */
function obstacle(): string | false {
  const remedy = 'python3 -m venv .tools/torch && .tools/torch/bin/pip install torch, or set FAULTLINE_TORCH_PYTHON';
  if (!existsSync(python)) return `needs PyTorch: ${remedy}`;
  const tried = spawnSync(python, ['-c', 'import torch.distributed as d; assert d.is_gloo_available()'], {
    stdio: 'ignore',
  });
  return tried.status === 0 ? false : `PyTorch with Gloo does not load in ${python}: ${remedy}`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Beginnings of a dump, and some of it with up to three of its bytes changed; each is a run of the child that reads dumps. */
function* damages(whole: Buffer, random: (below: number) => number): Generator<Buffer> {
  for (let length = 0; length < whole.length; length += runs(977, 61)) yield whole.subarray(0, length);
  for (let count = 0; count < runs(40, 800); count += 1) {
    const changed = Buffer.from(whole);
    for (let left = 1 + random(3); left > 0; left -= 1) changed[random(changed.length)] = random(256);
    yield changed;
  }
}

describe('dumps of real PyTorch', { skip: obstacle(), concurrency: 1 }, () => {
  const root = mkdtempSync(join(tmpdir(), 'fl-pytorch-'));
  after(() => rmSync(root, { recursive: true }));

  const env = { PATH: process.env.PATH, TORCH_FR_BUFFER_SIZE: '2000', OMP_NUM_THREADS: '1', GLOO_SOCKET_IFNAME: 'lo' };
  const script = join(import.meta.dirname, 'ranks.py');
  const ranks = spawn(python, ['-B', script], { env, stdio: ['pipe', 'pipe', 'ignore'] });
  after(() => ranks.kill('SIGTERM'));
  const said: string[] = [];
  createInterface(ranks.stdout).on('line', (line) => said.push(line));

  async function dumpsOf(fault: string): Promise<string> {
    const folder = mkdtempSync(join(root, `${fault}-`));
    said.length = 0;
    ranks.stdin.write(`${fault} ${folder} ${await freePort()} ${WORLD}\n`);
    // A dump appears whole, and its rank may then wait for peers that are gone. A rank that ends or is stopped leaves none.
    const isDone = (rank: number): boolean =>
      existsSync(join(folder, `nccl_trace_rank_${rank}`)) ||
      said.includes(`gone ${rank}`) ||
      (fault === 'stopped' && rank === 1);
    // PyTorch is imported first: half a minute of CPU where other work takes most of it.
    await until(() => Array.from({ length: WORLD }, (_, rank) => rank).every(isDone), {
      what: 'the dumps',
      seen: () => [readdirSync(folder), said],
      limitMs: 4 * PATIENCE_MS,
    });
    ranks.stdin.write('end\n');
    await until(() => said.includes('ended'), { what: 'the end of the ranks', seen: () => said });
    return folder;
  }
  const runJob = async (fault: string): Promise<FlightRecorderDocument> =>
    analyseFlightRecorder([await dumpsOf(fault)]);

  /** What the daemon's source makes of the dumps: the ranks are of this host, so a dump that is missing should be here. */
  async function eventsOf(folder: string): Promise<EventInput[]> {
    const events: EventInput[] = [];
    // The ranks waited four seconds before they were dumped; an event asks for ten.
    const laterS = Date.now() / 1000 + 15;
    for (const file of readdirSync(folder)) utimesSync(join(folder, file), laterS, laterS);
    const config = { enabled: 'on', intervalMs: 50, processes: false, folders: [{ path: folder, pattern: '*', job: 'gloo' }], trigger: false } as const; // biome-ignore format: one line
    const source = new FlightRecorderSource(config, {
      host: 'node-3',
      now: () => Date.now() + 20_000,
      program: nativePath('faultline-fr'),
      identity: knowing([{ job: 'gloo', ranks: [0, 1, 2, 3] }]),
      standard: [],
      graceMs: 0,
    });
    const emit = { samples() {}, text() {}, discovery() {}, event: (event: EventInput) => events.push(event) };
    source.start(emit, new AbortController().signal);
    await until(() => events.some(({ kind }) => kind === 'job.collective_desync'), { what: 'an event', seen: () => source.health() }); // biome-ignore format: one line
    await source.stop();
    return events;
  }

  const named = (document: FlightRecorderDocument): number[] => document.culprits.map(({ rank }) => rank);

  test('a job that ended well accuses no rank', async () => {
    const document = await runJob('healthy');
    assert.deepEqual([document.job.dumps.length, named(document), document.stragglers], [WORLD, [], []]);
  });

  test('the rank that did not enter a collective is named', async () => {
    const document = await runJob('not_joined');
    assert.deepEqual([document.verdicts[0]?.type, named(document)], ['not_joined', [1]]);
    assert.match(JSON.stringify(document.verdicts[0]?.frames), /rank\.py/);
  });

  test('of a stall that went from a pair to the world the pair is reported', async () => {
    const document = await runJob('cascade');
    assert.deepEqual([named(document), document.verdicts[0]?.group?.ranks], [[2], [2, 3]]);
  });

  test('the rank that came with another operation is named', async () => {
    const document = await runJob('mismatch');
    assert.deepEqual([document.verdicts[0]?.type, named(document)], ['mismatch', [2]]);
  });

  test('a dump that is cut or changed crashes nothing, and makes no other rank as suspicious as the true one was', async () => {
    const folder = await dumpsOf('cascade');
    const intact = await analyseFlightRecorder([folder]);
    assert.deepEqual(named(intact), [2]);
    const [truth] = intact.verdicts;
    const random = randomOf(1);
    let read = 0;
    for (let rank = 0; rank < WORLD; rank += 1) {
      const path = join(folder, `nccl_trace_rank_${rank}`);
      const whole = readFileSync(path);
      const { mtimeMs } = statSync(path);
      for (const damaged of damages(whole, random)) {
        writeFileSync(path, damaged);
        utimesSync(path, mtimeMs / 1000, mtimeMs / 1000);
        const { verdicts } = await analyseFlightRecorder([folder]);
        read += 1;
        for (const { type, culprits, confidence } of verdicts) {
          // A dump may say other things than were, and who did meet it differs from that: never surer than the truth.
          const wrong = culprits.filter((each) => each !== 2 && each !== rank);
          const weaker = confidence < (truth?.confidence ?? 0);
          assert.ok(wrong.length === 0 || weaker, `${type} ${confidence} names ${culprits} where rank ${rank} has ${damaged.toString('base64')}`); // biome-ignore format: one line
        }
      }
      writeFileSync(path, whole);
      utimesSync(path, mtimeMs / 1000, mtimeMs / 1000);
    }
    assert.ok(read > runs(160, 3000), `${read}`);
  });

  test('a stopped process leaves no dump, and its rank is named; the daemon reports it too', async () => {
    const folder = await dumpsOf('stopped');
    const document = await analyseFlightRecorder([folder]);
    assert.deepEqual(
      [document.verdicts[0]?.type, named(document), document.job.missing_ranks],
      ['silent_rank', [1], [1]],
    );
    const events = await eventsOf(folder);
    assert.deepEqual(
      events.filter(({ kind }) => kind === 'job.collective_desync').map(({ component }) => component?.id),
      ['gloo/1'],
    );
  });

  test('a killed process leaves no dump, and its rank is named', async () => {
    const document = await runJob('crash');
    assert.deepEqual(
      [document.verdicts[0]?.type, named(document), document.job.missing_ranks],
      ['silent_rank', [1], [1]],
    );
  });

  test('the rank that came with another size is named', async () => {
    // Gloo ends the process that gets another size than it expects, where it notices: then its dump is missing.
    const document = await runJob('size');
    assert.deepEqual(named(document), [2]);
    assert.match(document.verdicts[0]?.type ?? '', /^(?:mismatch|silent_rank)$/);
  });

  test('the rank that comes late in most steps is a straggler', async () => {
    const document = await runJob('straggler');
    assert.deepEqual([named(document), document.stragglers.map(({ rank }) => rank)], [[], [3]]);
  });
});
