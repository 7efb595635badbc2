// Bench: what the export over OTLP costs the whole daemon, and what a collector that is away costs it.
// Run: node bench/otlp-daemon.mjs [cost MINUTES | off SECONDS | latency LINES | outage SECONDS]   (default: all of them, with
// 5 minutes, 10 seconds, 200 lines and 600 seconds; needs `npm run build` and the collector that ./scripts/test builds)

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
import { DaemonUnderTest } from '../test/e2e/daemon-under-test.ts';
import { ledger } from '../test/e2e/otlp-ledger.ts';
import { freePort } from '../test/e2e/prometheus-under-test.ts';
import { CollectorUnderTest } from '../test/otlp-collector/collector-under-test.ts';
import { distinctFault } from './lib/distinct-faults.mjs';
import { sourcesOff } from './lib/sources-off.mjs';
import { unitEnvironment } from './lib/unit-environment.mjs';

const ENTRY = join(import.meta.dirname, '../dist/faultline.js');
const TICKS_PER_SECOND = 100;
const folder = mkdtempSync(join(tmpdir(), 'faultline-bench-'));
const undo = [() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })];

const row = (name, value) => console.log(`${name.padEnd(64)} ${value}`);

/** The bundled daemon with this configuration, from a folder of its own. */
function start(name, config) {
  const file = join(folder, `${name}.yaml`);
  const own = join(folder, name);
  const directories = { state: own, log: join(own, 'log'), runtime: join(own, 'run') };
  writeFileSync(file, stringify({ ...config, directories }));
  const child = spawn(process.execPath, [ENTRY, 'run', '--config', file], {
    stdio: ['ignore', 'ignore', openSync(join(folder, `${name}.log`), 'w')],
    env: unitEnvironment,
  });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  };
  undo.push(stop);
  return { name, child, directories, stop, log: join(directories.log, 'incidents.jsonl') };
}

function ask(socketPath, path) {
  return new Promise((resolve) => {
    request({ socketPath, path }, (response) => response.resume().on('end', () => resolve(response.statusCode)))
      .on('error', () => resolve(null))
      .end();
  });
}

async function answers({ directories, child, name }) {
  while ((await ask(join(directories.runtime, 'faultline.sock'), '/v1/status')) !== 200) {
    if (child.exitCode !== null) throw new Error(readFileSync(join(folder, `${name}.log`), 'utf8'));
    await sleep(20);
  }
}

function memory(pid) {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const mib = (field) => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(rollup)?.[1] ?? 0) / 1024;
  return { rss: mib('Rss'), anonymous: mib('Anonymous') };
}

function cpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

function children(pid) {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
  );
}

async function quietRack() {
  const plan = loadScenario('quiet', 0);
  const clock = new RealClock();
  const rack = await Rack.start({
    folder: mkdtempSync(join(folder, 'rack-')),
    plan,
    clock,
    library: nativePath('libnvidia-ml.so.1'),
    startPdu,
  });
  undo.push(() => rack.stop());
  return parse(demoConfig(plan, rack.places, folder));
}

/** Two daemons watch the same quiet rack at the same time, so that the machine's other load falls on both. */
async function cost(minutes) {
  const collector = await CollectorUnderTest.started();
  undo.push(() => collector.close());
  const config = await quietRack();
  const otlp = { endpoint: collector.grpc };
  const port = await freePort();
  const everything = {
    ...config,
    roots: { ...config.roots, proc: '/proc' },
    sources: { ...config.sources, system: {} },
    prometheus: { listen: `127.0.0.1:${port}`, dcgm_names: true },
    otlp,
  };
  const daemons = [start('without', config), start('with', { ...config, otlp }), start('everything', everything)];
  for (const daemon of daemons) await answers(daemon);
  const scraping = setInterval(() => void fetch(`http://127.0.0.1:${port}/metrics`).then((r) => r.text()), 15_000);
  undo.push(() => clearInterval(scraping));
  await sleep(15_000);
  const before = daemons.map(({ child }) => cpuSeconds(child.pid));
  await sleep(minutes * 60_000);
  const used = daemons.map(({ child }, i) => (1000 * (cpuSeconds(child.pid) - before[i])) / minutes);
  for (const [i, name] of ['without otlp', 'with otlp', 'with every source and sink'].entries()) {
    const { pid } = daemons[i].child;
    const [own, ...others] = [pid, ...children(pid)].map(memory);
    const sum = (field) => [own, ...others].reduce((total, one) => total + one[field], 0);
    row(`${name}: CPU of a minute, daemon alone`, `${used[i].toFixed(0)} ms`);
    row(`${name}: RSS, daemon + child`, `${sum('rss').toFixed(1)} MiB (daemon ${own.rss.toFixed(1)})`);
    row(
      `${name}: anonymous, daemon + child`,
      `${sum('anonymous').toFixed(1)} MiB (daemon ${own.anonymous.toFixed(1)})`,
    );
  }
  row('CPU of a minute of export at defaults', `${(used[1] - used[0]).toFixed(0)} ms`);
  const points = collector.points().length;
  row('points that the collector got in that time', `${points}`);
  for (const daemon of daemons) await daemon.stop();
}

const NOT_LISTENING = 'http://127.0.0.1:9'; // discard: nothing listens there

/** System calls and sockets of an idle daemon that watches only a kernel log. */
async function off(seconds) {
  const collector = await CollectorUnderTest.started();
  undo.push(() => collector.close());
  const kmsg = join(folder, 'idle-kmsg');
  writeFileSync(kmsg, '');
  const config = { host: 'idle', sources: { ...sourcesOff(), kernel_log: { path: kmsg } } };
  for (const [name, more] of [
    ['otlp off', {}],
    ['otlp on', { otlp: { endpoint: collector.grpc } }],
  ]) {
    const daemon = start(name.replace(' ', '-'), { ...config, ...more });
    await answers(daemon);
    await sleep(70_000); // past the lateness bound and hold, after which nothing is waited for
    const { pid } = daemon.child;
    row(`${name}: TCP sockets`, tcpSockets(pid).length);
    row(`${name}: RSS of the daemon`, `${memory(pid).rss.toFixed(1)} MiB`);
    const out = join(folder, `${name}.strace`);
    const strace = spawnSync('timeout', [`${seconds}`, 'strace', '-c', '-f', '-q', '-o', out, '-p', `${pid}`]);
    const table = strace.error === undefined ? calls(out) : null;
    row(`${name}: system calls in ${seconds} s`, table === null ? 'strace is not installed' : reported(table));
    await daemon.stop();
  }
}

function tcpSockets(pid) {
  const text = ['tcp', 'tcp6'].map((name) => readFileSync(`/proc/${pid}/net/${name}`, 'utf8')).join('\n');
  const inodes = new Set(text.split('\n').map((line) => line.trim().split(/\s+/)[9]));
  return readdirSync(`/proc/${pid}/fd`).filter((fd) => {
    const link = spawnSync('readlink', [`/proc/${pid}/fd/${fd}`], { encoding: 'utf8' }).stdout;
    return inodes.has(/^socket:\[(\d+)\]/.exec(link)?.[1] ?? '-');
  });
}

function calls(path) {
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return null;
  }
  return text.split('\n').flatMap((line) => {
    const columns = line.trim().split(/\s+/);
    return /^\d/.test(line.trim()) && columns.at(-1) !== 'total' ? [[columns.at(-1), Number(columns[3])]] : [];
  });
}

function reported(table) {
  const total = table.reduce((sum, [, count]) => sum + count, 0);
  const each = table.toSorted((a, b) => b[1] - a[1]).map(([name, count]) => `${name} ${count}`);
  return `${total} (${each.join(', ')})`;
}

/** From the line in the kernel log to the incident on disk, in turn: no otlp, a collector that works, one that is away. */
async function latency(lines) {
  const collector = await CollectorUnderTest.started();
  undo.push(() => collector.close());
  const sides = [];
  for (const [name, more] of [
    ['without otlp', {}],
    ['with a collector', { otlp: { endpoint: collector.grpc } }],
    ['with a collector that is away', { otlp: { endpoint: NOT_LISTENING } }],
  ]) {
    const kmsg = join(folder, `${name}.kmsg`);
    writeFileSync(kmsg, '');
    const sources = { ...sourcesOff(), kernel_log: { path: kmsg } };
    // Incidents end soon, so that their number is the same at every line.
    const correlation = { hold: '1s', lateness: '1s' };
    const daemon = start(`latency-${sides.length}`, { host: 'node-3', sources, correlation, ...more });
    await answers(daemon);
    sides.push({ name, kmsg, daemon, times: [] });
  }
  await sleep(5_000);
  // The order changes at every line: what one daemon leaves to the disk and the caches meets each of the others alike.
  for (let i = 0; i < lines; i += 1) {
    for (let j = 0; j < sides.length; j += 1) {
      const side = sides[(i + j * (1 + (i % 2))) % sides.length];
      side.times.push(await oneLine(side, i));
    }
  }
  for (const { name, times } of sides) {
    const sorted = times.toSorted((a, b) => a - b);
    const [p10, p50, p99] = [0.1, 0.5, 0.99].map((share) => sorted[Math.floor(sorted.length * share)].toFixed(2));
    row(`kernel line to incident on disk, ${name}`, `median ${p50} ms, p10 ${p10} ms, p99 ${p99} ms`);
  }
  for (const { daemon } of sides) await daemon.stop();
}

async function oneLine({ kmsg, daemon }, number) {
  const size = () => statSync(daemon.log, { throwIfNoEntry: false })?.size ?? 0;
  await sleep(30);
  const before = size();
  const began = performance.now();
  appendFileSync(
    kmsg,
    `3,${number + 1},${Math.round(Number(process.hrtime.bigint()) / 1000)},-;${distinctFault(number).text}\n`,
  );
  while (size() === before) if (performance.now() - began > 2000) break;
  return performance.now() - began;
}

const oom = (number) =>
  `Out of memory: Killed process ${50_000 + number} (python) total-vm:1kB, anon-rss:1kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:1kB oom_score_adj:0`;

/** Ten incidents a second for two daemons at once: the collector of one goes away and comes back, the other's stays. */
async function outage(seconds) {
  const sides = [];
  for (const name of ['stays', 'goes away']) {
    const collector = await CollectorUnderTest.started();
    const daemon = new DaemonUnderTest({
      gpus: 8,
      extra: `correlation: {hold: 1s, lateness: 1s}\notlp: {endpoint: "${collector.grpc}"}\n`,
    });
    undo.push(
      () => collector.close(),
      () => daemon.close(),
    );
    const { pid } = await daemon.start();
    sides.push({ name, collector, daemon, pid, samples: [] });
  }
  let number = 0;
  const load = setInterval(() => {
    number += 1;
    for (const { daemon } of sides) daemon.kernel(oom(number));
  }, 100);
  undo.push(() => clearInterval(load));
  await sleep(30_000);
  const sample = () => sides.forEach(({ pid, samples }) => void samples.push(memory(pid)));
  sample();
  const [, gone] = sides;
  await gone.collector.kill();
  for (const end = performance.now() + seconds * 1000; performance.now() < end; sample()) await sleep(10_000);
  const sinks = (await gone.daemon.status()).sinks;
  row('before the collector comes back', sinks.find(({ sink }) => sink === 'otlp').detail.slice(0, 300));
  await gone.collector.start();
  clearInterval(load);
  row(`incidents in ${seconds + 30} s`, number);
  const began = performance.now();
  for (const { name, collector, daemon, samples } of sides) {
    const got = () => ({ records: collector.records(), spans: collector.spans() });
    await daemon
      .until('everything is there', () => ledger(daemon, got()).missing.length === 0, 300_000)
      .catch(() => null);
    const took = (performance.now() - began) / 1000;
    const { missing, doubtful, compared } = ledger(daemon, got());
    const of = (field) => samples.filter((_, i) => i % 6 === 0).map((one) => one[field].toFixed(0));
    row(`collector ${name}: RSS every minute, MiB`, of('rss').join(' '));
    row(`collector ${name}: anonymous every minute, MiB`, of('anonymous').join(' '));
    row(
      `collector ${name}: ids compared, missing, under a second id`,
      `${compared}, ${missing.length}, ${doubtful.length}`,
    );
    if (name !== 'stays') row(`collector ${name}: everything there after`, `${took.toFixed(1)} s`);
  }
}

const parts = { cost: [cost, 5], off: [off, 10], latency: [latency, 200], outage: [outage, 600] };
const [only, amount] = process.argv.slice(2);
try {
  for (const [name, [run, usual]] of Object.entries(parts)) {
    if (only === undefined || only === name) await run(Number(amount ?? usual));
  }
} finally {
  for (const step of undo.reverse()) await step();
}
process.exit();
