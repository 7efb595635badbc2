// Bench: two builds against each other, in turn: start, memory, correlation, replay, storm, sizes.
// Run: node bench/before-after.mjs FOLDER [ROUNDS]   (FOLDER: a checkout of the build before; both need `npm run build`)

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { memory, usage } from './lib/process-figures.mjs';
import { unitEnvironment } from './lib/unit-environment.mjs';

const [before, rounds = '3'] = process.argv.slice(2);
const BUILDS = [before, join(import.meta.dirname, '..')];
const ROUNDS = Number(rounds);
const STARTS = ROUNDS * 3;
/** Past the first time that memory is given back. */
const SETTLED_MS = 40_000;

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** Prints one figure of both builds, and by how much it changed. */
function row(name, figures, unit, digits) {
  const [a, b] = figures.map(median);
  const change = 100 * (b / a - 1);
  const sign = change < 0 ? '−' : '+';
  const values = `${a.toFixed(digits).padStart(8)} → ${b.toFixed(digits).padStart(8)} ${unit}`;
  console.log(`${name.padEnd(58)} ${values.padEnd(36)} ${sign}${Math.abs(change).toFixed(1)} %`);
}

/** A daemon with the stand-in library and a kernel log; `read` looks at it some time after it has started. */
async function daemon(root, afterMs, read) {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-before-after-'));
  const file = join(folder, 'faultline.yaml');
  writeFileSync(join(folder, 'kmsg'), '');
  writeFileSync(
    file,
    `directories: {state: ${folder}/state, log: ${folder}/log, runtime: ${folder}/run}
sources: {gpu: {library: ${root}/build/Release/libnvidia-ml.so.1}, kernel_log: {path: ${folder}/kmsg}}\n`,
  );
  const began = performance.now();
  const child = spawn(process.execPath, [join(root, 'dist/faultline.js'), 'run', '--config', file], {
    env: unitEnvironment,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${root}: the daemon ended with ${code}`)));
    child.stderr.on('data', (text) => String(text).includes('started') && resolve());
  });
  const start = { wallMs: performance.now() - began, cpuMs: usage(child.pid).cpuSeconds * 1000 };
  await sleep(afterMs);
  const found = { ...start, ...read(child.pid) };
  child.removeAllListeners('exit').kill('SIGTERM');
  await new Promise((resolve) => child.once('exit', resolve));
  rmSync(folder, { recursive: true });
  return found;
}

/** The output of a benchmark of each build, `ROUNDS` times in turn. */
function outputs(words) {
  const found = BUILDS.map(() => []);
  for (let i = 0; i < ROUNDS; i += 1) {
    for (const [k, root] of BUILDS.entries()) {
      const run = spawnSync(process.execPath, words, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 });
      if (run.status !== 0) throw new Error(`${root}: ${words.join(' ')} ended with ${run.status}: ${run.stderr}`);
      found[k].push(run.stdout);
    }
  }
  return found;
}

/** One figure of all outputs: the first group of `pattern`. */
const figure = (texts, pattern) => texts.map((runs) => runs.map((text) => Number(pattern.exec(text)[1])));

function sizeOf(folder) {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

const starts = BUILDS.map(() => []);
for (let i = 0; i < STARTS; i += 1) {
  for (const [k, root] of BUILDS.entries()) starts[k].push(await daemon(root, 500, () => ({})));
}
const ofStarts = (name) => starts.map((runs) => runs.map((run) => run[name]));
row('start of the daemon, to "started"', ofStarts('wallMs'), 'ms', 0);
row('CPU of it', ofStarts('cpuMs'), 'ms', 0);

const settled = BUILDS.map(() => []);
for (let i = 0; i < ROUNDS; i += 1) {
  const both = await Promise.all(BUILDS.map((root) => daemon(root, SETTLED_MS, memory)));
  for (const [k, found] of both.entries()) settled[k].push(found);
}
const ofSettled = (name) => settled.map((runs) => runs.map((run) => run[name]));
row(`resident memory after ${SETTLED_MS / 1000} s`, ofSettled('rss'), 'MiB', 1);
row('anonymous memory of it', ofSettled('anonymous'), 'MiB', 1);

const correlation = outputs(['bench/correlation.mjs']);
for (const load of ['a bad day', 'storm', 'flapping', 'mixed']) {
  const pattern = new RegExp(`^${load}:.*\\n.*; (\\d+) k a second of CPU`, 'm');
  row(`correlation, ${load}, events a second of CPU`, figure(correlation, pattern), 'k', 0);
}

const replay = outputs(['bench/replay.mjs', '3']);
const short = replay.map((runs) =>
  runs.map((text) => [...text.matchAll(/by CPU without the start (\d+) times life/g)]),
);
for (const [i, name] of ['two minutes with a sag', 'a quiet hour', 'an hour with a sag', 'a sag a minute'].entries()) {
  row(`replay, ${name}, times life by CPU`, short.map((runs) => runs.map((all) => Number(all[i][1]))), '', 0); // biome-ignore format: one figure
}

const storm = outputs(['bench/storm.mjs', '1000000']);
row('storm of 1 M events of a minute', figure(storm, /1 M events of a minute in ([\d.]+) s/), 's', 1);
row('1 M XIDs on 1 M addresses, CPU', figure(storm, /\(([\d.]+) s of CPU\)/), 's', 1);

const mib = (path) => BUILDS.map((root) => [statSync(join(root, path)).size / 2 ** 20]);
row('addon', mib('build/Release/faultline.node'), 'MiB', 3);
row('vendor child', mib('build/Release/faultline-vendor'), 'MiB', 3);
row('bundle', BUILDS.map((root) => [sizeOf(join(root, 'dist')) / 2 ** 20]), 'MiB', 2); // biome-ignore format: one figure
