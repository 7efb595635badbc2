// Bench: from the start of the process to an answer on the socket, and to the first line of every source, wall and CPU.
// Run: node bench/start.mjs [STARTS] [FOLDER...]   (default 15; other checkouts are started in turn; needs `npm run build`)

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { usage } from './lib/process-figures.mjs';
import { unitEnvironment } from './lib/unit-environment.mjs';

const [count = '15', ...others] = process.argv.slice(2);
const STARTS = Number(count);
const roots = [join(import.meta.dirname, '..'), ...others];

/** The daemon with the stand-in library, a kernel log and every source that needs no address; each start on an empty folder. */
async function start(root) {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-start-'));
  const file = join(folder, 'faultline.yaml');
  writeFileSync(join(folder, 'kmsg'), '');
  writeFileSync(
    file,
    `directories: {state: ${folder}/state, log: ${folder}/log, runtime: ${folder}/run}
sources: {gpu: {library: ${root}/build/Release/libnvidia-ml.so.1}, kernel_log: {path: ${folder}/kmsg}}
prometheus: {listen: "127.0.0.1:${20_000 + (process.pid % 20_000)}"}
otlp: {endpoint: "http://127.0.0.1:9"}\n`,
  );
  const began = performance.now();
  // As the unit starts it.
  const child = spawn(
    process.execPath,
    ['--disable-sigusr1', join(root, 'dist/faultline.js'), 'run', '--config', file],
    {
      env: unitEnvironment,
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  child.stderr.resume();
  const exited = new Promise((resolve) => child.once('exit', resolve));
  while (!(await answers(join(folder, 'run/faultline.sock')))) {
    if (child.exitCode !== null) throw new Error(`${root}: the daemon ended with ${child.exitCode}`);
    await sleep(1);
  }
  const found = { wallMs: performance.now() - began, cpuMs: usage(child.pid).cpuSeconds * 1000 };
  child.kill('SIGTERM');
  await exited;
  rmSync(folder, { recursive: true });
  return found;
}

function answers(path) {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** Node alone, with an empty script: what no daemon in it can be faster than. */
function bare() {
  const began = performance.now();
  spawnSync(process.execPath, ['-e', '0']);
  return { wallMs: performance.now() - began, cpuMs: Number.NaN };
}

const rounds = Array.from({ length: STARTS }, () => [bare]);
const found = new Map([['bare Node', []], ...roots.map((root) => [root, []])]);
for (const [round] of rounds.entries()) {
  found.get('bare Node').push(bare());
  for (const root of roots) found.get(root).push(await start(root));
  if (round === 0) for (const each of found.values()) each.length = 0; // what only the first start of all pays: pages from the disk
}
const at = (values, share) => values.toSorted((a, b) => a - b)[Math.floor(values.length * share)];
for (const [name, each] of found) {
  const wall = each.map(({ wallMs }) => wallMs);
  const cpu = at(
    each.map(({ cpuMs }) => cpuMs),
    0.5,
  );
  const of = Number.isNaN(cpu) ? '' : `, CPU ${cpu.toFixed(0)} ms`;
  const label = name === roots[0] ? 'start to socket' : name === 'bare Node' ? name : `start to socket, ${name}`;
  console.log(
    `${label.padEnd(40)} median ${at(wall, 0.5).toFixed(0)} ms, fastest ${Math.min(...wall).toFixed(0)} ms${of}`,
  );
}
