// Bench: how much longer a fixed job takes next to the whole daemon, against the same job twice without it (A/A). A process on each
// core does a fixed amount of work: computing, streaming through memory, or starting small processes.
// Run: node bench/harm.mjs [ROUNDS]   (default 12, about 20 minutes; needs `npm run build` and a machine that does nothing else)

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { startWholeRack } from './lib/whole-rack.mjs';

/** Each takes two to four seconds alone. */
const JOBS = {
  'CPU-bound job': () => {
    let x = 1;
    for (let i = 0; i < 1.2e9; i += 1) x = (Math.imul(x, 1_103_515_245) + 12_345) | 0;
    return x;
  },
  'memory-bound job': () => {
    const words = new Float64Array(1 << 25);
    let sum = 0;
    for (let pass = 0; pass < 72; pass += 1) for (let i = 0; i < words.length; i += 8) sum += words[i]++;
    return sum;
  },
  'many small processes': () => {
    for (let i = 0; i < 600; i += 1) spawnSync('/bin/true');
  },
};
const ENTRY = join(import.meta.dirname, '../dist/faultline.js');
/** A daemon that has found its devices and does what it does for days. */
const SETTLE_MS = 15_000;

const [first = '12', job] = process.argv.slice(2);
if (first === 'job') {
  const began = performance.now();
  JOBS[job]();
  process.stdout.write(String(performance.now() - began));
  process.exit();
}

const folder = mkdtempSync(join(tmpdir(), 'fl-harm-'));
const rack = await startWholeRack(folder);
const file = join(folder, 'faultline.yaml');
writeFileSync(file, stringify(rack.config));
const ways = ['without', 'without again', 'with'];
const times = Object.fromEntries(
  Object.keys(JOBS).map((name) => [name, { without: [], 'without again': [], with: [] }]),
);
try {
  for (let round = 0; round < Number(first); round += 1) {
    // Each comes first, second and third as often as the others: a machine warms up and slows down.
    for (let i = 0; i < ways.length; i += 1) await measure(ways[(round + i) % ways.length]);
    console.error(`round ${round + 1} of ${first}, load ${loadavg()[0].toFixed(1)}`);
  }
} finally {
  await rack.stop();
  rmSync(folder, { recursive: true });
}
console.log(
  `${first} rounds on ${availableParallelism()} cores, a process on each; medians of the ratio within a round, and their quartiles`,
);
for (const [name, of] of Object.entries(times)) {
  console.log(`${name.padEnd(40)} ${percent(of.with, of.without)}`);
  console.log(`${`${name}, A/A`.padEnd(40)} ${percent(of['without again'], of.without)}`);
}
process.exit();

async function measure(way) {
  const daemon = way === 'with' ? spawn(process.execPath, [ENTRY, 'run', '--config', file], { stdio: 'ignore' }) : null;
  await sleep(daemon === null ? 1000 : SETTLE_MS);
  for (const name of Object.keys(JOBS)) times[name][way].push(await timeOf(name));
  if (daemon === null) return;
  if (daemon.exitCode !== null) throw new Error(`the daemon ended by itself with ${daemon.exitCode}`);
  daemon.kill('SIGTERM');
  await once(daemon, 'exit');
}

/** Mean ms of the processes, one a core, which begin together. */
async function timeOf(name) {
  const all = Array.from({ length: availableParallelism() }, async () => {
    const child = spawn(process.execPath, [import.meta.filename, 'job', name], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout.on('data', (text) => {
      said += text;
    });
    await once(child, 'close');
    return Number(said);
  });
  const each = await Promise.all(all);
  return each.reduce((sum, ms) => sum + ms, 0) / each.length;
}

function percent(some, others) {
  const ratios = some.map((ms, i) => 100 * (ms / others[i] - 1)).toSorted((a, b) => a - b);
  const at = (share) => ratios[Math.floor((ratios.length - 1) * share)].toFixed(2);
  return `${at(0.5)} % (${at(0.25)} … ${at(0.75)})`;
}
