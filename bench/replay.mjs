// Bench: how fast a recording is replayed, with the start of the process measured apart from the replay itself.
// Run: node bench/replay.mjs [RUNS]   (default 5; needs `npm run build`; replays with dist/faultline.js)

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { EPOCH_MS, linksOf, play } from '../src/simulator/corpus/play.ts';
import { corpus } from '../src/simulator/corpus/scenario-family.ts';
import { Recorder } from '../src/sources/recording/recorder.ts';

const RUNS = Number(process.argv[2] ?? 5);
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const MAX_BYTES = 1 << 30;
const ENTRY = join(import.meta.dirname, '../dist/faultline.js');
const folder = mkdtempSync(join(tmpdir(), 'faultline-replay-'));

const row = (name, value) => console.log(`${name.padEnd(58)} ${value}`);
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

const sag = corpus()
  .find(({ name }) => name === 'sag-without-redundancy')
  .plan(0);
const quiet = { ...sag, steps: [] };
const again = (times) =>
  Array.from({ length: times }, (_, i) =>
    sag.steps.map((step) => ({ ...step, atMs: step.atMs + i * MINUTE_MS })),
  ).flat();

/** Everything the sources of a simulated eight-GPU host emit, every sample twice a second. */
async function record(name, plan) {
  const path = join(folder, `${name}.flrec`);
  const header = {
    schema: 'faultline/recording/1',
    host: plan.world.host.name,
    version: 'bench',
    started_ms: EPOCH_MS,
    lateness_ms: 30_000,
    hold_ms: 30_000,
    links: linksOf(plan),
  };
  const recorder = await Recorder.create(path, header, MAX_BYTES);
  // All of it emits within one turn: what waits would pass the recorder's bound, so each piece is written at once.
  const lines = [];
  const keep = (kind) => (value, at) => lines.push(JSON.stringify({ at, [kind]: value }));
  const recording = Object.fromEntries(
    ['samples', 'text', 'event', 'discovery', 'background'].map((k) => [k, keep(k)]),
  );
  const { simulatedMs } = await play(plan, { recorder: recording });
  await recorder.close(EPOCH_MS + simulatedMs);
  const [head, ...end] = readFileSync(path, 'utf8').trimEnd().split('\n');
  writeFileSync(path, `${[head, ...lines, ...end].join('\n')}\n`);
  return path;
}

/** ms: of the whole process by the clock and of the processor, and what the replay itself took by its own word. */
function replay(path) {
  const began = performance.now();
  const command = ['-c', 'TIMEFORMAT="cpu %U %S"; time "$0" "$@"', process.execPath, ENTRY, 'replay', path, '--json'];
  const run = spawnSync('bash', command, { encoding: 'utf8', maxBuffer: 1 << 30 });
  const wallMs = performance.now() - began;
  assert.equal(run.status, 0, run.stderr);
  const said = /replayed ([\d.]+) s of .*: (\d+) entries, (\d+) incidents?, ([\d.]+) s.*cpu ([\d.]+) ([\d.]+)/s.exec(
    run.stderr,
  );
  assert.ok(said, run.stderr);
  const [lifeS, entries, incidents, tookS, user, system] = said.slice(1).map(Number);
  return { wallMs, lifeS, entries, incidents, tookMs: tookS * 1000, cpuMs: (user + system) * 1000 };
}

async function measure(title, name, plan) {
  const path = await record(name, plan);
  const runs = Array.from({ length: RUNS }, () => replay(path));
  const [first] = runs;
  const [wall, took, cpu] = ['wallMs', 'tookMs', 'cpuMs'].map((of) => median(runs.map((run) => run[of])));
  const speed = Math.round((first.lifeS * 1000) / took);
  const own = Math.round((first.lifeS * 1000) / Math.max(1, cpu - startCpuMs));
  const size = `${first.entries} entries, ${(statSync(path).size / 2 ** 20).toFixed(1)} MiB, incidents ${first.incidents}`;
  row(title, `${first.lifeS.toFixed(0)} s of life in ${took.toFixed(0)} ms: ${speed} times life`);
  row('', `${size}; whole process ${wall.toFixed(0)} ms; by CPU without the start ${own} times life`);
}

let startCpuMs = 0;
try {
  const empty = await record('empty', { ...quiet, durationMs: 0, world: { ...quiet.world, jobs: [], pdus: [] } });
  writeFileSync(empty, `${readFileSync(empty, 'utf8').split('\n', 1)[0]}\n`);
  const starts = Array.from({ length: RUNS }, () => replay(empty));
  row(
    'a recording with nothing in it: start and end of the process',
    `${median(starts.map(({ wallMs }) => wallMs)).toFixed(0)} ms`,
  );
  row('', `of it in the replay ${median(starts.map(({ tookMs }) => tookMs)).toFixed(0)} ms`);
  startCpuMs = median(starts.map(({ cpuMs }) => cpuMs));
  row('', `of the processor ${startCpuMs.toFixed(0)} ms`);
  await measure('two minutes with a power sag (compiles as it goes)', 'short', sag);
  await measure('an hour with nothing wrong', 'quiet', { ...quiet, durationMs: HOUR_MS });
  await measure('an hour with one power sag', 'hour', { ...sag, durationMs: HOUR_MS });
  await measure('an hour with a power sag every minute', 'bad', { ...sag, durationMs: HOUR_MS, steps: again(58) });
} finally {
  rmSync(folder, { recursive: true });
}
