// The process that bench/host-peers.mjs measures against node_exporter: our sources of cards, chips and RAPL on one tree, from
// the read to the detectors. Run: node bench/peers-host.mjs SYS_ROOT DURATION_MS INTERVAL_MS

import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { keepHeapSmall } from '../src/commands/small-heap.ts';

keepHeapSmall(); // as the daemon does, before its modules are loaded
const { native } = await import('../src/native.ts');
const { Detection } = await import('../src/detection/detection.ts');
const { CpuSource } = await import('../src/sources/cpu/cpu-source.ts');
const { HwmonSource } = await import('../src/sources/hwmon/hwmon-source.ts');
const { NicSource } = await import('../src/sources/nic/nic-source.ts');
const { watchInto } = await import('../src/sources/files/watched-source.ts');
const { SmallFiles } = await import('../src/sources/files/small-files.ts');

const [sys, durationMs, interval] = process.argv.slice(2);
const intervalMs = Number(interval);
const core = new (native().Core)({ historySeconds: 300, maxSeries: 16_384 });
const detection = new Detection(core, 'h');
const events = [];
const emit = {
  samples: (batch) => detection.samples(batch),
  text() {},
  failed: (error) => {
    throw error;
  },
  event: (event) => events.push(event.kind),
  discovery: (discovery) => detection.discovered(discovery),
};
const now = () => core.now();
const common = { enabled: 'on', intervalMs };
// JAVASCRIPT=1: cards and chips read on this thread, as they are while something changes or a recording is made.
const look = { host: 'h', sys, now, ...(process.env.JAVASCRIPT === '1' ? {} : { watch: watchInto(core) }) };
const hwmon = new HwmonSource(common, { ...look, files: new SmallFiles() });
const nic = new NicSource({ ...common, fabric: [] }, { ...look, files: new SmallFiles() });
const sources = [
  new CpuSource({ ...common, fastIntervalMs: null }, { proc: '/proc', sys }, 'h', core, new SmallFiles()),
  hwmon,
  nic,
];
core.onWake(() => {
  const { edges, notices } = core.drain();
  detection.edges(edges, now());
  for (const source of [hwmon, nic]) for (const notice of notices) source.handleNotice(notice);
});
for (const source of sources) source.start(emit, new AbortController().signal);
/** Voluntary context switches so far, all threads. */
function switches() {
  const texts = readdirSync('/proc/self/task').map((task) => readFileSync(`/proc/self/task/${task}/status`, 'utf8'));
  return texts.reduce((sum, text) => sum + Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(text)?.[1]), 0);
}

// What is done once is done, and what runs often is compiled; V8 collects once more ten seconds after it fell still.
await sleep(20 * intervalMs);
const switched = switches();
const before = process.cpuUsage();
await sleep(Number(durationMs));
const used = process.cpuUsage(before);
const after = switches();
const keys = core.seriesKeys();
const of = (key) => core.history(key, 0, Number.POSITIVE_INFINITY).values;
process.stdout.write(
  JSON.stringify({
    cpuMs: (used.user + used.system) / 1000,
    switches: after - switched,
    rss: process.memoryUsage.rss(),
    events,
    series: Object.fromEntries(keys.map((key) => [key, { count: of(key).length, last: of(key).at(-1) }])),
  }),
  () => process.exit(0),
);
