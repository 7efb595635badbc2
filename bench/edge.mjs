// Bench: from a GPU's power brake to the event, while eight GPUs are sampled at 10 Hz: native sampler, detectors and
// hand-over, with the shipped detectors; --busy: next to a process on each core that computes without end.
// Run: node bench/edge.mjs [EDGES] [--busy]   (default 200; needs `npm run build:native`)

import { spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Detection } from '../src/detection/detection.ts';
import { native, nativePath } from '../src/native.ts';
import { nativeOrigins } from '../src/sources/native-origins.ts';
import { SOURCES } from '../src/sources/registry.ts';

const BUSY = process.argv.includes('--busy');
const EDGES = Number(process.argv.slice(2).find((word) => !word.startsWith('--')) ?? 200);
const PERIOD_MS = 100;
const GPUS = 8;
const MOST_MISSED = 5;
const BRAKE = 0x80; // nvml.h: HwPowerBrakeSlowdown
/** What a stand-in's change may wait for before a look at it can see it. */
const LATEST_MS = 2000;

const folder = mkdtempSync(join(tmpdir(), 'faultline-edge-'));
const library = join(folder, 'libnvidia-ml.so.1');
copyFileSync(nativePath('libnvidia-ml.so.1'), library);

/** Replaced, so that the stand-in never reads half of it. Gives the moment from which it is the new one. */
function control(lines) {
  writeFileSync(join(folder, 'new'), `devices ${GPUS}\n${lines.join('\n')}\n`);
  renameSync(join(folder, 'new'), join(folder, 'nvml.control'));
  return core.now();
}

const { Core, Vendor } = native();
const core = new Core({ historySeconds: 60, maxSeries: 8192 });
const detection = new Detection(core, 'h', { origins: nativeOrigins(SOURCES) });
let heard = () => {};
core.onWake(() => {
  for (const { event } of detection.edges(core.drain().edges, core.now())) heard(event);
});
control([]);
const executable = nativePath('faultline-vendor');
const vendor = new Vendor(core, {
  executable,
  library,
  intervalMs: PERIOD_MS,
  burstIntervalMs: PERIOD_MS,
  callDeadlineMs: 2000,
});

/** Ms from the change to the event of this state; null when none came. */
function wait(state, sinceMs) {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(null), LATEST_MS + 3000);
    heard = (event) => {
      if (event.kind !== 'gpu.power_brake' || event.state !== state) return;
      clearTimeout(timer);
      resolve(core.now() - sinceMs());
    };
  });
}

const jobs = BUSY
  ? Array.from({ length: availableParallelism() }, () =>
      // As any job, also where this runs at real-time priority.
      spawn('chrt', ['-o', '0', process.execPath, '-e', 'for (;;);'], { stdio: 'ignore' }),
    )
  : [];
process.on('exit', () => jobs.map((job) => job.kill('SIGKILL')));
while (core.stats().samples < 1000) await sleep(50);
const times = [];
let missed = 0;
for (let i = 0; i < EDGES; i += 1) {
  await sleep(PERIOD_MS * ((i * 0.618) % 1)); // every phase of the period alike
  let since = 0;
  const onset = wait('onset', () => since);
  since = control([`gpu.${i % GPUS}.reasons ${BRAKE}`]);
  const took = await onset;
  if (took === null) missed += 1;
  if (missed > MOST_MISSED) throw new Error(`${missed} of ${i + 1} edges became no event`);
  else times.push(took);
  const clear = wait('clear', () => since);
  since = control([]);
  await clear;
}
const sorted = times.toSorted((a, b) => a - b);
const at = (share) => sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)];
const row = (name, value) => console.log(`${name.padEnd(62)} ${value}`);
const periods = (ms) => `${(ms / PERIOD_MS).toFixed(2)} periods (${ms.toFixed(1)} ms)`;
row(`edges of ${GPUS} GPUs at ${1000 / PERIOD_MS} Hz, reported and not reported`, `${times.length}, ${missed}`);
row('power brake to event, p50', periods(at(0.5)));
row('power brake to event, p99 (goal 1.2 periods)', periods(at(0.99)));
row('power brake to event, slowest', periods(at(1)));
vendor.stop();
core.close();
rmSync(folder, { recursive: true });
process.exit();
