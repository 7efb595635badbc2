// Benchmark: `correlate --scorer powertrace` against PowerTrace itself, on the inputs that are worst for it, outputs compared.
// `node bench/powertrace.mjs FOLDER_OF_POWERTRACE` (a checkout; python3 with pydantic). CPU, not wall time; each run in a new process.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { median } from '../src/helpers/median.ts';

const RUNS = 5;
/** What is compared: of PowerTrace, which has one thread, and of this program. */
const PARTS = [
  ['the work, main thread', 'work', 'main'],
  ['the work, all threads', 'work', 'work'],
  ['reading the files', 'read', 'read'],
  ['writing the report', 'write', 'write'],
  ['the whole process', 'whole', 'whole'],
];
const WIDTH = 22;
const [peer] = process.argv.slice(2);
if (peer === undefined) throw new Error('which folder has PowerTrace? node bench/powertrace.mjs FOLDER');
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const START_MS = Date.parse('2024-01-15T00:00:00Z');
const utc = (s) => new Date(START_MS + s * 1000).toISOString();
const SOURCES = [
  ['pdu_snmp', 'voltage_sag'],
  ['redfish', 'psu_failover'],
  ['rapl', 'cpu_power_cap'],
  ['nvml', 'thermal_throttle'],
];

/** Numbers from 0 to below 1, the same in each run. */
function randomly(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function point(service, at, p99, errors = 0.1, rps = 140) {
  const latencies = { p50_latency_ms: p99 / 4, p95_latency_ms: p99 / 2, p99_latency_ms: p99 };
  return { service_name: service, timestamp: utc(at), ...latencies, error_rate_percent: errors, throughput_rps: rps };
}

function event(index, at, device) {
  const [source, type] = SOURCES[index % SOURCES.length];
  const severity = ['critical', 'high', 'medium', 'low'][index % 4];
  return { id: `evt_${index}`, timestamp: utc(at), source, type, severity, device_id: device, raw_message: 'x' };
}

/** One service whose points are further apart than the baseline reaches back: it is never locked. */
function neverLocked(count) {
  return {
    events: [event(0, 100, 'host-0')],
    points: Array.from({ length: count }, (_, i) => point('svc-0', i * 700, 500)),
    mappings: [{ physical_device_id: 'host-0', services: ['svc-0'] }],
  };
}

/** Many services, of whose points one in twenty is slow: more windows and events than can be looked at pair by pair. */
function manyWindows(count, services) {
  const random = randomly(7);
  const each = count / services;
  const points = [];
  for (let s = 0; s < services; s += 1)
    for (let i = 0; i < each; i += 1) {
      const slow = i > 5 && random() < 0.05;
      points.push(
        point(`svc-${s}`, i * 10 + s / 7, slow ? 1500 + 500 * random() : 490 + 20 * random(), slow ? 4 : 0.1),
      );
    }
  const events = Array.from({ length: count / 10 }, (_, i) =>
    event(i, (i * each * 100) / count, `host-${Math.floor(random() * services)}`),
  );
  const mappings = Array.from({ length: services }, (_, s) => ({
    physical_device_id: `host-${s}`,
    services: [`svc-${s}`],
  }));
  return { events, points, mappings };
}

const INPUTS = {
  '8,000 points of a service that is never locked': neverLocked(8000),
  '40,000 points of 5 services, 4,000 events': manyWindows(40_000, 5),
  '40,000 points of 10 services, 4,000 events': manyWindows(40_000, 10),
  '40,000 points of 20 services, 4,000 events': manyWindows(40_000, 20),
};

/** What of a report must be the same: all but the ids, which PowerTrace draws again, times without their milliseconds, words. */
function comparable(text) {
  const seconds = (time) => time.slice(0, 19);
  const { incidents, summary } = JSON.parse(text).report;
  return {
    summary: { ...summary, total_warnings: undefined },
    incidents: incidents.map(({ id, window_start, window_end, warnings, causal_chain, unmapped_devices, ...rest }) => ({
      ...rest,
      start: seconds(window_start),
      end: seconds(window_end),
      warnings: warnings.length,
      unmapped: unmapped_devices.toSorted(),
      chain: causal_chain.map(({ timestamp, ...step }) => ({ ...step, at: seconds(timestamp) })),
    })),
  };
}

function run(command, args) {
  const { stdout, stderr, status } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 2 ** 30 });
  assert.equal(status, 0, stderr);
  return { stdout, parts: JSON.parse(stderr.trim().split('\n').at(-1)) };
}

const folder = mkdtempSync(join(tmpdir(), 'powertrace-'));
try {
  // Bundled, as it is installed: out of a checkout Node spends more on taking the types out of its files.
  const parts = join(folder, 'parts.mjs');
  const bundle = { bundle: true, platform: 'node', format: 'esm', minifyWhitespace: true, minifySyntax: true };
  await build({ ...bundle, entryPoints: [here('lib/correlate-parts.mjs')], outfile: parts });
  for (const [name, { events, points, mappings }] of Object.entries(INPUTS)) {
    const files = { events: { events }, traces: { service_metrics: points }, topology: { mappings } };
    const paths = Object.keys(files).map((file) => join(folder, `${file}.json`));
    Object.values(files).forEach((content, index) => {
      writeFileSync(paths[index], JSON.stringify(content));
    });
    const flags = ['--events', paths[0], '--traces', paths[1], '--topology', paths[2]];
    const rows = [];
    for (let i = 0; i < RUNS; i += 1) {
      const theirs = run('python3', [here('lib/powertrace-parts.py'), peer, ...flags, '--output', 'json']);
      const ours = run(process.execPath, [parts, ...paths]);
      const [one, other] = [comparable(theirs.stdout), comparable(ours.stdout)];
      assert.deepEqual(other, one);
      rows.push({ theirs: theirs.parts, ours: ours.parts, incidents: one.incidents.length });
    }
    console.log(`${name}: ${rows[0].incidents} incidents, outputs the same, CPU, medians of ${RUNS} runs in turn`);
    for (const [part, theirs, ours] of PARTS) {
      const of = (side, name) => median(rows.map((row) => row[side][name]));
      const ratio = median(rows.map((row) => row.theirs[theirs] / row.ours[ours]));
      const times = `${of('theirs', theirs).toFixed(2)} s there, ${of('ours', ours).toFixed(3)} s here`;
      console.log(`  ${part.padEnd(WIDTH)} ${times}: ${ratio.toFixed(ratio < 10 ? 1 : 0)} times`);
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}
