// Bench: what an equal set of series costs, ours against prometheus-node-exporter; RAPL at 1 kHz against an empty timer loop;
// system calls and context switches of the sampler. Run: node bench/peers.mjs [ROUNDS] (default 5; needs `npm run build`)
// Set NODE_EXPORTER to the program where it is not on the PATH (Debian: prometheus-node-exporter).

import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const ROUNDS = Number(process.argv[2] ?? 5);
const SECONDS = 10;
const INTERVAL_MS = 500;
const PACKAGES = 2;
const PORT = 19_499;
const EXPORTER = process.env.NODE_EXPORTER ?? 'prometheus-node-exporter';
const SAMPLER = join(import.meta.dirname, 'peers-sampler.mjs');

const row = (name, value) => console.log(`${name.padEnd(62)} ${value}`);
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const spread = (values) => `${Math.min(...values).toPrecision(3)} … ${Math.max(...values).toPrecision(3)}`;

/** CPU time in ms and voluntary context switches of a process, all threads. */
function usage(pid) {
  let cpuMs = 0;
  let switches = 0;
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    cpuMs += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
    const status = readFileSync(`/proc/${pid}/task/${task}/status`, 'utf8');
    switches += Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  }
  return { cpuMs, switches };
}

function makeTree(root) {
  for (let i = 0; i < PACKAGES; i += 1) {
    for (const [entry, name] of [
      [`intel-rapl:${i}`, `package-${i}`],
      [`intel-rapl:${i}:0`, 'dram'],
    ]) {
      const folder = join(root, 'class/powercap', entry);
      mkdirSync(folder, { recursive: true });
      const files = { name, energy_uj: 262_000_000 + i, max_energy_range_uj: 262_143_328_850 };
      for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), `${text}\n`);
    }
  }
}

async function startExporter(root) {
  const child = spawn(
    EXPORTER,
    [
      '--collector.disable-defaults',
      '--collector.rapl',
      `--path.sysfs=${root}`,
      '--web.disable-exporter-metrics',
      `--web.listen-address=127.0.0.1:${PORT}`,
    ],
    { stdio: 'ignore' },
  );
  child.on('error', () => {});
  for (let i = 0; i < 100; i += 1) {
    try {
      return { child, text: await scrape() };
    } catch {
      await sleep(50);
    }
  }
  child.kill();
  return null;
}

const scrape = async () => (await fetch(`http://127.0.0.1:${PORT}/metrics`)).text();

async function exporterRound(root) {
  const started = await startExporter(root);
  if (started === null) return null;
  const { child, text } = started;
  const before = usage(child.pid);
  for (let i = 0; i < (SECONDS * 1000) / INTERVAL_MS; i += 1) {
    await scrape();
    await sleep(INTERVAL_MS);
  }
  const after = usage(child.pid);
  child.kill();
  await new Promise((resolve) => child.once('exit', resolve));
  return { cpuMs: after.cpuMs - before.cpuMs, switches: after.switches - before.switches, text };
}

/** Runs a program of one measurement; what it says at its end. */
function measured(command) {
  const run = spawnSync(command[0], command.slice(1), { encoding: 'utf8' });
  if (run.status !== 0) throw new Error(run.stderr);
  return JSON.parse(run.stdout);
}

/** Our reader in a fresh process, the use of its own thread. */
function ownRound(mode, seconds = SECONDS, wrap = []) {
  return measured([...wrap, process.execPath, SAMPLER, mode, root, String(seconds * 1000), String(INTERVAL_MS)]);
}

const root = mkdtempSync(join(tmpdir(), 'faultline-peers-'));
makeTree(root);
try {
  await againstExporter();
  thousandHertz();
  systemCalls();
} finally {
  rmSync(root, { recursive: true });
}

async function againstExporter() {
  const ratios = [];
  const theirs = [];
  const ours = [];
  for (let i = 0; i < ROUNDS; i += 1) {
    const peer = await exporterRound(root);
    if (peer === null) {
      row('node_exporter', `not measured: ${EXPORTER} does not start (apt-get install prometheus-node-exporter)`);
      return;
    }
    const own = ownRound('rapl');
    compare(peer.text, own);
    theirs.push(peer.cpuMs / SECONDS);
    ours.push(own.cpuMs / SECONDS);
    ratios.push(own.cpuMs / peer.cpuMs);
  }
  row('zones compared first, by number', `${2 * PACKAGES} each`);
  row(`node_exporter, rapl only, every ${INTERVAL_MS} ms`, `${median(theirs).toFixed(3)} ms CPU/s (${spread(theirs)})`);
  row('ours, the same zones at the same interval', `${median(ours).toFixed(3)} ms CPU/s (${spread(ours)})`);
  row('CPU, ours / node_exporter (goal 0.1)', `${median(ratios).toPrecision(3)} (${spread(ratios)})`);
}

/** Both must have found the same zones, and ours must have read them as often as theirs were asked for. */
function compare(text, { zones, samples }) {
  const found = [...text.matchAll(/^node_rapl_(package|dram)_joules_total\{.*\} [\d.e+]+$/gm)];
  if (found.length !== zones.length || found.length !== 2 * PACKAGES) {
    throw new Error(`node_exporter shows ${found.length} zones, ours ${zones.length}`);
  }
  const least = (0.9 * SECONDS * 1000) / INTERVAL_MS;
  if (samples.some((count) => count < least)) throw new Error(`ours has only ${samples} samples`);
}

function thousandHertz() {
  const ratios = [];
  const loops = [];
  const readings = [];
  const timer = join(root, 'timer');
  const built = spawnSync('cc', ['-O2', join(import.meta.dirname, 'peers-timer.c'), '-o', timer], { encoding: 'utf8' });
  if (built.status !== 0) throw new Error(`the empty loop does not build: ${built.stderr}`);
  for (let i = 0; i < ROUNDS; i += 1) {
    const loop = measured([timer, String(SECONDS * 1000)]);
    const fast = ownRound('fast');
    loops.push(loop.cpuMs / SECONDS);
    readings.push(fast.cpuMs / SECONDS);
    ratios.push(fast.cpuMs / loop.cpuMs);
  }
  row('empty timer loop at 1 kHz', `${median(loops).toFixed(2)} ms CPU/s (${spread(loops)})`);
  row(`RAPL at 1 kHz, ${2 * PACKAGES} zones`, `${median(readings).toFixed(2)} ms CPU/s (${spread(readings)})`);
  row('CPU, RAPL at 1 kHz / empty loop (goal 1.5)', `${median(ratios).toPrecision(3)} (${spread(ratios)})`);
}

/** Calls of the sampling thread in a long and a short run: the difference is what the ticks cost. */
function systemCalls() {
  const counted = (seconds) => {
    const file = join(root, 'strace');
    ownRound('rapl', seconds, ['strace', '-f', '-qq', '-o', file]);
    const lines = readFileSync(file, 'utf8').split('\n');
    const reads = lines.find((line) => /^\d+ +pread64\(\d+, "26\d{7}/.test(line));
    const thread = /^\d+/.exec(reads ?? '')?.[0];
    const calls = new Map();
    for (const line of lines) {
      const [, pid, call] = /^(\d+) +(\w+)\(/.exec(line) ?? [];
      if (pid === thread && call !== undefined) calls.set(call, (calls.get(call) ?? 0) + 1);
    }
    return calls;
  };
  if (spawnSync('strace', ['-V']).status !== 0) {
    row('system calls a tick', 'not measured: strace is not installed');
    return;
  }
  const [short, long] = [counted(4), counted(14)];
  const ticks = 10_000 / INTERVAL_MS;
  const names = [...long.keys()].filter((name) => (long.get(name) ?? 0) > (short.get(name) ?? 0));
  const text = names
    .map((name) => `${name} ${((long.get(name) - (short.get(name) ?? 0)) / ticks).toFixed(2)}`)
    .join(', ');
  row(`system calls a tick of ${2 * PACKAGES} zones (goal: a read a zone, no open)`, text);
  const { switches } = ownRound('rapl', 10);
  row('context switches of the sampling thread a tick', (switches / ticks).toFixed(2));
}
