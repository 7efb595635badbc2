// Bench: the whole daemon on a simulated eight-GPU host: start, memory, CPU and wake-ups, latency, replay speed.
// Run: node bench/daemon.mjs [MINUTES] [--all] [--steady]   (default 10; needs `npm run build`; the daemon is dist/faultline.js)
// --all: every source, on a host with cards, chips and processors, with Prometheus scraped each 15 s and OTLP over gRPC.
// --steady: no latencies and no replay, only what it takes while nothing happens.

import { spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmdirSync,
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
import { distinctFault } from './lib/distinct-faults.mjs';
import { startCollector } from './lib/otlp-nowhere.mjs';
import { childOf, mappings, memory, usage } from './lib/process-figures.mjs';
import { sourcesOff } from './lib/sources-off.mjs';
import { unitEnvironment } from './lib/unit-environment.mjs';
import { addWholeHost } from './lib/whole-host.mjs';

const ALL = process.argv.includes('--all');
const STEADY = process.argv.includes('--steady');
const MINUTES = Number(process.argv.slice(2).find((word) => !word.startsWith('--')) ?? 10);
// Each is an incident of its own: further lines of one that is open are paced, which bench/kernel-latency.mjs shows.
const LATENCIES = 200;
/** What runs for the first time: code is compiled, pages are mapped, the file is made. */
const FIRST_LINES = 5;
const SCRAPE_MS = 15_000;
const ENTRY = join(import.meta.dirname, '../dist/faultline.js');
const CPU_GROUP = `/sys/fs/cgroup/cpuacct/faultline-bench-${process.pid}`;
const folder = mkdtempSync(join(tmpdir(), 'faultline-bench-'));

const row = (name, value) => console.log(`${name.padEnd(62)} ${value}`);
const at = (sorted, share) => sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)];
const ms = (value) => `${value.toFixed(2)} ms`;

function start(config, name) {
  const file = join(folder, `${name}.yaml`);
  writeFileSync(file, stringify(config));
  const began = performance.now();
  const child = spawn(process.execPath, [ENTRY, 'run', '--config', file], {
    env: unitEnvironment,
    stdio: ['ignore', 'ignore', openSync(join(folder, `${name}.err`), 'w')],
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

async function stopped(child) {
  child.kill('SIGTERM');
  await new Promise((resolve) => child.once('exit', resolve));
}

/** A control group of its own for the daemon and its children, where this user may make one; its CPU seconds. */
function cpuGroup(pid) {
  try {
    mkdirSync(CPU_GROUP);
    writeFileSync(join(CPU_GROUP, 'cgroup.procs'), String(pid));
  } catch {
    return null;
  }
  return {
    seconds: () => Number(readFileSync(join(CPU_GROUP, 'cpuacct.usage'), 'utf8')) / 1e9,
    remove: () => rmdirSync(CPU_GROUP),
  };
}

async function idle() {
  const kmsg = join(folder, 'idle-kmsg');
  writeFileSync(kmsg, '');
  const directories = { state: join(folder, 'idle'), log: join(folder, 'idle/log'), runtime: join(folder, 'idle/run') };
  const sources = { ...sourcesOff(), kernel_log: { path: kmsg } };
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
    appendFileSync(kmsg, `3,${1000 + i},${usec},-;${distinctFault(i).text}\n`);
    while (size() === before) if (performance.now() - began > 2000) break;
    times.push(performance.now() - began);
    await sleep(20);
  }
  const first = times.slice(0, FIRST_LINES);
  const sorted = times.slice(FIRST_LINES).toSorted((a, b) => a - b);
  row(
    `kernel line to incident on disk, the first ${FIRST_LINES} lines`,
    `${first.map((time) => time.toFixed(1)).join(', ')} ms`,
  );
  row('kernel line to incident on disk, later ones, p50', ms(at(sorted, 0.5)));
  row('kernel line to incident on disk, later ones, p90', ms(at(sorted, 0.9)));
  row('kernel line to incident on disk, later ones, p99', ms(at(sorted, 0.99)));
}

/** What `--all` adds to the demo's configuration, and how it ends. */
async function everything(config, rack, gpus) {
  addWholeHost(rack.places.sys, gpus);
  const collector = await startCollector();
  const port = 20_000 + (process.pid % 20_000);
  const found = { series: 0 };
  const scrape = () =>
    fetch(`http://127.0.0.1:${port}/metrics`)
      .then((answer) => answer.text())
      .then((text) => (found.series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length))
      .catch(() => 0);
  const timer = setInterval(scrape, SCRAPE_MS);
  return {
    config: {
      ...config,
      roots: { ...config.roots, proc: '/proc' },
      sources: { ...config.sources, system: {}, pci: {}, flight_recorder: {} },
      prometheus: { listen: `127.0.0.1:${port}` },
      otlp: { endpoint: collector.endpoint },
    },
    reported: () =>
      `${found.series} series on /metrics, ${(collector.got.bytes / 2 ** 20).toFixed(1)} MiB to the collector`,
    stop: () => {
      clearInterval(timer);
      collector.stop();
    },
  };
}

const plan = loadScenario('quiet', 0);
const clock = new RealClock();
const rackFolder = mkdtempSync(join(folder, 'rack-'));
const rack = await Rack.start({ folder: rackFolder, plan, clock, library: nativePath('libnvidia-ml.so.1'), startPdu });
const recording = join(folder, 'recording.jsonl');
const demo = parse(demoConfig(plan, rack.places, folder));
const gpus = plan.world.host.gpus.map(({ address }) => address);
const all = ALL ? await everything(demo, rack, gpus) : null;
const config = all === null ? { ...demo, record: { path: recording } } : all.config;
const { child, began } = start(config, 'busy');
const group = cpuGroup(child.pid);
try {
  let now = null;
  while (!(now?.native.samples > 0)) {
    await sleep(2);
    now = await status(config.directories.runtime);
  }
  row('start to first sample', `${(performance.now() - began).toFixed(0)} ms`);
  await sleep(30_000); // past what is done once
  const vendor = childOf(child.pid);
  const processes = { daemon: child.pid, child: vendor };
  const before = Object.values(processes).map(usage);
  const groupBefore = group?.seconds() ?? 0;
  const beganAt = performance.now();
  await sleep(MINUTES * 60_000);
  const seconds = (performance.now() - beganAt) / 1000;
  const after = Object.values(processes).map(usage);
  const groupSeconds = (group?.seconds() ?? 0) - groupBefore;
  const [daemon, vendorMemory] = [memory(child.pid), memory(vendor)];
  if (all !== null)
    row('sources', (await status(config.directories.runtime)).sources.map(({ source }) => source).join(' '));
  if (all !== null) row('sinks', all.reported());
  row(`RSS after ${MINUTES} min, daemon + child`, `${daemon.rss.toFixed(1)} + ${vendorMemory.rss.toFixed(1)} MiB`);
  row('anonymous memory, daemon + child', `${daemon.anonymous.toFixed(1)} + ${vendorMemory.anonymous.toFixed(1)} MiB`);
  const largest = mappings(child.pid).slice(0, 5);
  row('largest mappings of the daemon, MiB', largest.map(([name, size]) => `${name} ${size.toFixed(1)}`).join(', '));
  for (const [i, name] of Object.keys(processes).entries()) {
    const share = (100 * (after[i].cpuSeconds - before[i].cpuSeconds)) / seconds;
    row(`CPU of the ${name}, share of one core`, `${share.toFixed(2)} %`);
    const rates = Object.entries(after[i].threads)
      .map(([thread, count]) => [thread, (count - (before[i].threads[thread] ?? 0)) / seconds])
      .filter(([, rate]) => rate >= 0.1)
      .toSorted((a, b) => b[1] - a[1])
      .map(([thread, rate]) => `${thread} ${rate.toFixed(1)}`);
    const total = ((after[i].switches - before[i].switches) / seconds).toFixed(1);
    row(`context switches of the ${name}, per second`, `${total} (${rates.join(', ')})`);
  }
  if (group !== null)
    row('CPU of both by their control group', `${((100 * groupSeconds) / seconds).toFixed(2)} % of one core`);
  if (!STEADY) await latency(rack.places.kernelLog, join(config.directories.log, 'incidents.jsonl'));
} finally {
  await stopped(child);
  group?.remove();
  all?.stop();
  await rack.stop();
}
if (!ALL && !STEADY) {
  const options = { encoding: 'utf8', maxBuffer: 1 << 30 };
  const replayed = spawnSync(process.execPath, [ENTRY, 'replay', recording, '--json'], options);
  row('replay of that recording', replayed.stderr.trim());
  await idle();
}
rmSync(folder, { recursive: true });
process.exit();
