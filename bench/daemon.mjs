// Bench: the whole daemon on a simulated eight-GPU host: start, latency, memory, CPU and wake-ups, replay speed.
// Run: node bench/daemon.mjs [minutes]   (default 10; needs `npm run build`; the daemon is dist/faultline.js)

import { spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse, stringify } from 'yaml';
import { nativePath } from '../src/native.ts';
import { demoConfig } from '../src/simulator/demo-config.ts';
import { startPdu } from '../src/simulator/rack/pdu.ts';
import { Rack } from '../src/simulator/rack/rack.ts';
import { loadScenario } from '../src/simulator/scenario/load.ts';
import { RealClock } from '../src/simulator/scenario-clock.ts';

const MINUTES = Number(process.argv[2] ?? 10);
// Under the 256 conditions of one kind that correlation keeps: past them a line waits for room, which is another question.
const LATENCIES = 200;
const TICKS_PER_SECOND = 100;
const ENTRY = join(import.meta.dirname, '../dist/faultline.js');
const folder = mkdtempSync(join(tmpdir(), 'faultline-bench-'));

const row = (name, value) => console.log(`${name.padEnd(58)} ${value}`);
const at = (sorted, share) => sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)];

function start(config, name) {
  const file = join(folder, `${name}.yaml`);
  writeFileSync(file, stringify(config));
  const began = performance.now();
  const child = spawn(process.execPath, [ENTRY, 'run', '--config', file], {
    env: { ...process.env, MALLOC_ARENA_MAX: '1' }, // as the systemd unit has it
    stdio: ['ignore', 'ignore', openSync(join(folder, `${name}.log`), 'w')],
  });
  return { child, began };
}

function status(runtime) {
  return new Promise((resolve) => {
    const ask = request({ socketPath: join(runtime, 'faultline.sock'), path: '/v1/status' }, (response) => {
      let body = '';
      response.on('data', (part) => (body += part)).on('end', () => resolve(JSON.parse(body)));
    });
    ask.on('error', () => resolve(null)).end();
  });
}

function memory(pid) {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const kib = (field) => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(rollup)?.[1] ?? 0);
  return { rss: kib('Rss') / 1024, anonymous: kib('Anonymous') / 1024 };
}

function usage(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  let switches = 0;
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const text = readFileSync(`/proc/${pid}/task/${task}/status`, 'utf8');
    switches += Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(text)?.[1] ?? 0);
  }
  return { cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND, switches };
}

function childOf(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  if (children.length > 0) return Number(children[0]);
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const pids = readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim();
    if (pids !== '') return Number(pids.split(' ')[0]);
  }
  return null;
}

async function stopped(child) {
  child.kill('SIGTERM');
  await new Promise((resolve) => child.once('exit', resolve));
}

async function idle() {
  const kmsg = join(folder, 'idle-kmsg');
  writeFileSync(kmsg, '');
  const directories = { state: join(folder, 'idle'), log: join(folder, 'idle/log'), runtime: join(folder, 'idle/run') };
  const off = Object.fromEntries(
    ['gpu', 'cpu', 'system', 'nic', 'hwmon', 'pci', 'flight_recorder'].map((name) => [name, { enabled: 'off' }]),
  );
  const sources = { ...off, kernel_log: { path: kmsg } };
  const { child } = start({ host: 'idle', directories, sources }, 'idle');
  await sleep(70_000); // past the lateness bound and hold, after which nothing is waited for
  const before = usage(child.pid);
  await sleep(30_000);
  const after = usage(child.pid);
  row(
    'wake-ups when idle, kernel log only (all threads, per second)',
    ((after.switches - before.switches) / 30).toFixed(2),
  );
  await stopped(child);
}

async function latency(kmsg, log) {
  const times = [];
  const size = () => {
    try {
      return statSync(log).size;
    } catch {
      return 0;
    }
  };
  for (let i = 0; i < LATENCIES; i += 1) {
    const usec = Math.round(Number(process.hrtime.bigint()) / 1000);
    const before = size();
    const began = performance.now();
    appendFileSync(
      kmsg,
      `3,${1000 + i},${usec},-;Out of memory: Killed process ${50_000 + i} (python) total-vm:1kB, anon-rss:1kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:1kB oom_score_adj:0\n`,
    );
    while (size() === before) if (performance.now() - began > 2000) break;
    times.push(performance.now() - began);
    await sleep(20);
  }
  const sorted = times.toSorted((a, b) => a - b);
  row('kernel line to incident on disk, p50', `${at(sorted, 0.5).toFixed(2)} ms`);
  row('kernel line to incident on disk, p99', `${at(sorted, 0.99).toFixed(2)} ms`);
}

const rackFolder = mkdtempSync(join(folder, 'rack-'));
const plan = loadScenario('quiet', 0);
const clock = new RealClock();
const rack = await Rack.start({ folder: rackFolder, plan, clock, library: nativePath('libnvidia-ml.so.1'), startPdu });
const recording = join(folder, 'recording.jsonl');
const config = { ...parse(demoConfig(plan, rack.places, folder)), record: { path: recording } };
const { child, began } = start(config, 'busy');
try {
  let now = null;
  while (!(now?.native.samples > 0)) {
    await sleep(2);
    now = await status(config.directories.runtime);
  }
  row('start to first sample', `${(performance.now() - began).toFixed(0)} ms`);
  await sleep(5_000);
  const vendor = childOf(child.pid);
  const before = [usage(child.pid), usage(vendor)];
  const beganAt = performance.now();
  await sleep(MINUTES * 60_000);
  const seconds = (performance.now() - beganAt) / 1000;
  const after = [usage(child.pid), usage(vendor)];
  const [daemon, vendorMemory] = [memory(child.pid), memory(vendor)];
  row(`RSS after ${MINUTES} min, daemon + child`, `${daemon.rss.toFixed(1)} + ${vendorMemory.rss.toFixed(1)} MiB`);
  row('anonymous memory, daemon + child', `${daemon.anonymous.toFixed(1)} + ${vendorMemory.anonymous.toFixed(1)} MiB`);
  for (const [i, name] of ['daemon', 'child'].entries()) {
    const share = (100 * (after[i].cpuSeconds - before[i].cpuSeconds)) / seconds;
    row(`CPU of the ${name}, share of one core`, `${share.toFixed(2)} %`);
    row(`context switches of the ${name}, per second`, ((after[i].switches - before[i].switches) / seconds).toFixed(1));
  }
  await latency(rack.places.kernelLog, join(config.directories.log, 'incidents.jsonl'));
} finally {
  await stopped(child);
  await rack.stop();
}
const replayed = spawnSync(process.execPath, [ENTRY, 'replay', recording, '--json'], {
  encoding: 'utf8',
  maxBuffer: 1 << 30,
});
row('replay of that recording', replayed.stderr.trim());
await idle();
rmSync(folder, { recursive: true });
