// Bench: what an equal set of series costs, ours against prometheus-node-exporter; RAPL at 1 kHz against an empty timer loop;
// system calls and context switches of the sampler. Run: node bench/host-peers.mjs [ROUNDS [PART...]] (default 5, all of
// host, rapl, fast, calls; needs `npm run build:native`)
// Set NODE_EXPORTER to the program where it is not on the PATH (Debian: prometheus-node-exporter).

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cardAddress, countOf, METER_W, makeTree, makeZones, PORT_COUNTERS } from './lib/peer-host.mjs';

const ROUNDS = Number(process.argv[2] ?? 5);
const SECONDS = 10;
const INTERVAL_MS = 500;
/** The shortest at which our slowest source can be asked to read. */
const HOST_INTERVAL_MS = 1000;
const PORT = 19_499;
const EXPORTER = process.env.NODE_EXPORTER ?? 'prometheus-node-exporter';
const SAMPLER = join(import.meta.dirname, 'peers-sampler.mjs');
const HOST = join(import.meta.dirname, 'peers-host.mjs');
const PARTS = { host, rapl, fast, calls };
const wanted = process.argv.slice(3);

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

async function startExporter(root, collectors) {
  const child = spawn(
    EXPORTER,
    [
      '--collector.disable-defaults',
      ...collectors.map((name) => `--collector.${name}`),
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

async function exporterRound(root, collectors, intervalMs) {
  const started = await startExporter(root, collectors);
  if (started === null) return null;
  const { child, text } = started;
  const before = usage(child.pid);
  for (let i = 0; i < (SECONDS * 1000) / intervalMs; i += 1) {
    await scrape();
    await sleep(intervalMs);
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

const folder = mkdtempSync(join(tmpdir(), 'faultline-peers-'));
const root = join(folder, 'zones');
const whole = join(folder, 'host');
const zoneCount = makeZones(root);
makeTree(whole);
try {
  for (const [name, part] of Object.entries(PARTS)) if (wanted.length === 0 || wanted.includes(name)) await part();
} finally {
  rmSync(folder, { recursive: true });
}

/** Rounds in turn, each in fresh processes: CPU of theirs, of ours, and the ratio. */
async function inTurn(tree, collectors, intervalMs, ownRun, compare) {
  const found = { theirs: [], ours: [], ratios: [] };
  for (let i = 0; i < ROUNDS; i += 1) {
    const peer = await exporterRound(tree, collectors, intervalMs);
    if (peer === null) {
      row('node_exporter', `not measured: ${EXPORTER} does not start (apt-get install prometheus-node-exporter)`);
      return null;
    }
    const own = ownRun();
    compare(peer.text, own);
    found.theirs.push(peer.cpuMs / SECONDS);
    found.ours.push(own.cpuMs / SECONDS);
    found.ratios.push(own.cpuMs / peer.cpuMs);
  }
  return found;
}

function tell(found, theirs, ours) {
  row(theirs, `${median(found.theirs).toFixed(3)} ms CPU/s (${spread(found.theirs)})`);
  row(ours, `${median(found.ours).toFixed(3)} ms CPU/s (${spread(found.ours)})`);
  row('CPU, ours / node_exporter (goal 0.1)', `${median(found.ratios).toPrecision(3)} (${spread(found.ratios)})`);
}

/** Cards, the board's meter and RAPL: our whole process against theirs, both with everything that they do with a value. */
async function host() {
  let series = 0;
  const command = [process.execPath, HOST, whole, String(SECONDS * 1000), String(HOST_INTERVAL_MS)];
  const [native, here] = [[], []];
  const own = () => {
    here.push(measured(['env', 'JAVASCRIPT=1', ...command]));
    native.push(measured(command));
    return native.at(-1);
  };
  const found = await inTurn(whole, ['rapl', 'infiniband', 'hwmon'], HOST_INTERVAL_MS, own, (text, ours) => {
    series = compareHost(text, ours);
    compareWays(ours, here.at(-1));
  });
  if (found === null) return;
  row('series of 8 cards, 4 zones and a meter compared first, by value', String(series));
  tell(
    found,
    'node_exporter, rapl + infiniband + hwmon, every second',
    'ours, the same files at the same interval, whole process',
  );
  const both = (of) => `${of(here)} → ${of(native)}`;
  const ratios = native.map(({ cpuMs }, i) => cpuMs / here[i].cpuMs);
  row(
    'ours with cards and chips read in JavaScript, ms CPU/s',
    both((runs) => median(runs.map(({ cpuMs }) => cpuMs / SECONDS)).toFixed(3)),
  );
  row('CPU, native / JavaScript', `${median(ratios).toPrecision(3)} (${spread(ratios)})`);
  row(
    'context switches a second',
    both((runs) => median(runs.map((run) => run.switches / SECONDS)).toFixed(1)),
  );
  row(
    'resident memory, MiB',
    both((runs) => median(runs.map(({ rss }) => rss / 2 ** 20)).toFixed(1)),
  );
}

/** Read natively or not: the same series, with the same values. */
function compareWays(ours, here) {
  const values = ({ series }) =>
    JSON.stringify(
      Object.entries(series)
        .map(([key, { last }]) => [key, last])
        .sort(),
    );
  if (values(ours) !== values(here)) throw new Error(`native: ${values(ours)}\nJavaScript: ${values(here)}`);
}

/** Each series that both have: its value, and that ours was read as often as theirs was asked for. */
function compareHost(text, { series, events }) {
  if (events.length > 0) throw new Error(`ours tells events on a quiet host: ${events}`);
  const theirs = (name, labels) => {
    const line = text
      .split('\n')
      .find((one) => one.startsWith(`${name}{`) && labels.every((label) => one.includes(label)));
    return Number(line?.split(' ').at(-1));
  };
  const names = { symbol_error: 'symbol_errors', link_downed: 'link_downs', link_error_recovery: 'link_recoveries' };
  const least = (0.9 * SECONDS * 1000) / HOST_INTERVAL_MS;
  let compared = 0;
  const equal = (key, own, peer) => {
    const read = series[key];
    if (read === undefined || read.count < least || own(read.last) !== peer) {
      throw new Error(`${key}: ours ${JSON.stringify(read)}, theirs ${peer}`);
    }
    compared += 1;
  };
  for (let card = 0; card < 8; card += 1) {
    const nic = (quantity) => `nic/${cardAddress(card)}#${quantity}`;
    const device = [`device="mlx5_${card}"`];
    for (const [file, quantity] of Object.entries(names)) {
      const peer = theirs(`node_infiniband_${file}_total`, device);
      if (peer !== countOf(card, file)) throw new Error(`theirs: ${file} of card ${card} is ${peer}`);
      equal(nic(quantity), (value) => value, peer);
    }
    for (const [file, quantity] of [
      ['local_link_integrity_errors', 'link_integrity_errors'],
      ['excessive_buffer_overrun_errors', 'buffer_overruns'],
    ]) {
      equal(nic(quantity), (value) => value, theirs(`node_infiniband_${file}_total`, device));
    }
    equal(nic('link_rate'), (value) => value / 8, theirs('node_infiniband_rate_bytes_per_second', device));
    equal(nic('ports_up'), (value) => value + 3, theirs('node_infiniband_state_id', device)); // 4: active
    // Ours are rates, of counters that stand still.
    for (const way of ['receive', 'transmit']) equal(nic(`rdma_${way}_rate`), (value) => value, 0);
  }
  equal('host/h#acpi_power', (value) => value, theirs('node_hwmon_power_average_watt', []));
  if (theirs('node_hwmon_power_average_watt', []) !== METER_W) throw new Error('theirs has another power of the board');
  const zones = Object.keys(series).filter((key) => key.endsWith('energy'));
  const joules = [...text.matchAll(/^node_rapl_(package|dram)_joules_total/gm)];
  if (zones.length !== zoneCount || joules.length !== zoneCount)
    throw new Error(`zones: ${zones.length}, ${joules.length}`);
  const files = 8 * (PORT_COUNTERS.length + 2) + 1 + zoneCount;
  if (compared + zoneCount !== files) throw new Error(`${compared} series compared of ${files} files`);
  return files;
}

async function rapl() {
  const found = await inTurn(root, ['rapl'], INTERVAL_MS, () => ownRound('rapl'), compareZones);
  if (found === null) return;
  row('zones compared first, by number', `${zoneCount} each`);
  tell(
    found,
    `node_exporter, rapl only, every ${INTERVAL_MS} ms`,
    'ours, the same zones at the same interval, its thread',
  );
}

/** Both must have found the same zones, and ours must have read them as often as theirs were asked for. */
function compareZones(text, { zones, samples }) {
  const found = [...text.matchAll(/^node_rapl_(package|dram)_joules_total\{.*\} [\d.e+]+$/gm)];
  if (found.length !== zones.length || found.length !== zoneCount) {
    throw new Error(`node_exporter shows ${found.length} zones, ours ${zones.length}`);
  }
  const least = (0.9 * SECONDS * 1000) / INTERVAL_MS;
  if (samples.some((count) => count < least)) throw new Error(`ours has only ${samples} samples`);
}

function fast() {
  const ratios = [];
  const loops = [];
  const readings = [];
  const timer = join(folder, 'timer');
  const built = spawnSync('cc', ['-O2', join(import.meta.dirname, 'peers-timer.c'), '-o', timer], { encoding: 'utf8' });
  if (built.status !== 0) throw new Error(`the empty loop does not build: ${built.stderr}`);
  for (let i = 0; i < ROUNDS; i += 1) {
    const loop = measured([timer, String(SECONDS * 1000)]);
    const reading = ownRound('fast');
    loops.push(loop.cpuMs / SECONDS);
    readings.push(reading.cpuMs / SECONDS);
    ratios.push(reading.cpuMs / loop.cpuMs);
  }
  row('empty timer loop at 1 kHz', `${median(loops).toFixed(2)} ms CPU/s (${spread(loops)})`);
  row(`RAPL at 1 kHz, ${zoneCount} zones`, `${median(readings).toFixed(2)} ms CPU/s (${spread(readings)})`);
  row('CPU, RAPL at 1 kHz / empty loop (goal 1.3)', `${median(ratios).toPrecision(3)} (${spread(ratios)})`);
}

/** Calls of a sampling thread in a long and a short run: the difference is what the ticks cost. */
function callsOf(run, isIt, intervalMs) {
  const counted = (seconds) => {
    const file = join(folder, 'strace');
    run(seconds, ['strace', '-f', '-qq', '-o', file]);
    const lines = readFileSync(file, 'utf8').split('\n');
    const threads = new Set(lines.filter((line) => isIt.test(line)).map((line) => /^\d+/.exec(line)?.[0]));
    const seen = new Map();
    for (const line of lines) {
      const [, pid, call] = /^(\d+) +(\w+)\(/.exec(line) ?? [];
      if (threads.has(pid) && call !== undefined) seen.set(call, (seen.get(call) ?? 0) + 1);
    }
    return seen;
  };
  const [short, long] = [counted(4), counted(14)];
  const ticks = 10_000 / intervalMs;
  const names = [...long.keys()].filter((name) => (long.get(name) ?? 0) > (short.get(name) ?? 0));
  return names.map((name) => `${name} ${((long.get(name) - (short.get(name) ?? 0)) / ticks).toFixed(2)}`).join(', ');
}

function calls() {
  if (spawnSync('strace', ['-V']).status !== 0) {
    row('system calls a tick', 'not measured: strace is not installed');
    return;
  }
  const rapl = callsOf((seconds, wrap) => ownRound('rapl', seconds, wrap), /^\d+ +pread64\(\d+, "26\d{7}/, INTERVAL_MS);
  row(`system calls a tick of ${zoneCount} zones (goal: a read a zone, no open)`, rapl);
  const cards = (seconds, wrap) =>
    measured([...wrap, process.execPath, HOST, whole, String(seconds * 1000), String(HOST_INTERVAL_MS)]);
  // Only the native thread refuses links.
  const read = callsOf(cards, /openat\(.*ports\/1\/state", .*O_NOFOLLOW/, HOST_INTERVAL_MS);
  row('system calls a tick of 8 cards (goal: a read a file, no open)', read);
  const { switches } = ownRound('rapl', 10);
  row('context switches of the sampling thread a tick', (switches / (10_000 / INTERVAL_MS)).toFixed(2));
}
