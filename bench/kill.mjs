// The daemon killed with SIGKILL again and again at any moment of its work, no collector there; then one comes back.
// usage: node bench/kill.mjs [TIMES]      (default 200, about three minutes; needs `npm run build`)

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

process.env.FAULTLINE_PROGRAM ??= join(import.meta.dirname, '../dist/faultline.js');
const { DaemonUnderTest, exitOf } = await import('../test/e2e/daemon-under-test.ts');
const { Collector } = await import('../test/sinks/otlp/collector.ts');

const times = Number(process.argv[2] ?? 200);
const row = (name, value) => console.log(`${name.padEnd(66)} ${value}`);
const gone = await Collector.http();
const { port } = gone;
gone.kill();
const daemon = new DaemonUnderTest({
  extra: `otlp: {endpoint: "http://127.0.0.1:${port}", protocol: http/protobuf, metrics: {enabled: off}}\n`,
});
/** Ids of events and incidents that were on disk after any kill. */
const events = new Set();
const incidents = new Set();
let torn = 0;
let twice = 0;
let forgotten = 0;
let spool = 0;
let shrank = 0;
const startMs = [];

function spoolBytes() {
  const folder = join(daemon.folder, 'state/spool');
  let bytes = 0;
  try {
    for (const name of readdirSync(folder, { recursive: true })) bytes += statSync(join(folder, name)).size;
  } catch {}
  return bytes;
}

function logBytes() {
  return statSync(join(daemon.log, 'incidents.jsonl'), { throwIfNoEntry: false })?.size ?? 0;
}

function look() {
  const text = readFileSync(join(daemon.log, 'incidents.jsonl'), 'utf8');
  if (!text.endsWith('\n')) torn += 1;
  const found = text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line)); // throws where a whole line is none
  const now = found.filter(({ schema }) => schema === 'faultline/event/1').map(({ id }) => id);
  twice = now.length - new Set(now).size;
  forgotten = [...events].filter((id) => !now.includes(id)).length;
  for (const id of now) events.add(id);
  for (const { schema, id } of found) if (schema === 'faultline/incident/1') incidents.add(id);
}

for (let round = 0; round < times; round += 1) {
  const began = performance.now();
  const child = await daemon.start();
  startMs.push(performance.now() - began);
  const bus = `${(round >> 8).toString(16).padStart(4, '0')}:${(round & 255).toString(16).padStart(2, '0')}`;
  daemon.kernel(`NVRM: Xid (PCI:${bus}:00): 79, pid=${1000 + round}, name=python, GPU has fallen off the bus.`);
  // Every second one in the middle of what the line sets off, the others at any moment.
  const size = logBytes();
  for (const end = performance.now() + 3000; round % 2 === 0 && logBytes() === size && performance.now() < end; )
    await sleep(1);
  await sleep(Math.random() * (round % 2 === 0 ? 15 : 500));
  child.kill('SIGKILL');
  await exitOf(child);
  const before = spool;
  spool = spoolBytes();
  if (spool < before) shrank += 1;
  look();
}
const collector = await Collector.http(port);
const last = await daemon.start();
look();
const ids = [...events, ...incidents];
const delivered = () => {
  const bytes = Buffer.concat(collector.taken.map((each) => each.bytes));
  return ids.filter((id) => bytes.includes(id)).length;
};
const drain = performance.now();
while (delivered() < ids.length && performance.now() - drain < 60_000) await sleep(200);
const drainedMs = performance.now() - drain;
last.kill('SIGTERM');
const { code } = await exitOf(last);
const sorted = startMs.toSorted((a, b) => a - b);
row('kill -9, starts that were refused by a lock', `${times}, 0`);
row('start to first answer, p50 and slowest', `${sorted[times >> 1].toFixed(0)}, ${sorted.at(-1).toFixed(0)} ms`);
row(
  'lines of the kernel; events, incidents that were on disk after a kill',
  `${times}; ${events.size}, ${incidents.size}`,
);
row('of these events, gone at the end, there twice', `${forgotten}, ${twice}`);
row('logs whose last line was cut off by the kill, whole lines that are none', `${torn}, 0`);
row(
  'times the spool shrank with no collector there, its size at the end',
  `${shrank}, ${(spool / 1024).toFixed(0)} KiB`,
);
row(
  'of the two, got by the collector once it was back, in',
  `${delivered()} of ${ids.length}, ${(drainedMs / 1000).toFixed(1)} s`,
);
row('status of the last, which was asked to stop', code);
collector.kill();
await daemon.close();
