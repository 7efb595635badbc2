// Costs of the addon, as medians: a call, a hand-over, samples through detectors, memory. Run: node native/bench/native.mjs

import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const bareMiB = process.memoryUsage().rss / 2 ** 20;
const addon = createRequire(import.meta.url)(join(root, 'build', 'Release', 'faultline.node'));

const RUNS = 31;

function median(numbers) {
  return numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

/** Median nanoseconds of one call, over runs of `count` calls. */
function nsPerCall(count, body) {
  const runs = [];
  for (let run = 0; run < RUNS; run++) {
    const start = process.hrtime.bigint();
    for (let i = 0; i < count; i++) body();
    runs.push(Number(process.hrtime.bigint() - start) / count);
  }
  return median(runs);
}

function show(what, value, unit) {
  console.log(`${what.padEnd(58)} ${value.toFixed(value < 10 ? 2 : 0).padStart(10)} ${unit}`);
}

const select = { componentType: 'gpu', quantity: 'power' };
const DETECTORS = [
  { name: 'level', select, type: 'level', when: 'above', limit: 1e9, clear: 1e9, dwellMs: 0, clearDwellMs: 0 },
  { name: 'mask', select, type: 'mask', bits: 2 ** 40, dwellMs: 0, clearDwellMs: 0 },
  { name: 'rate', select, type: 'rate', perSecond: 1e9, windowMs: 60_000, clearDwellMs: 0 },
  {
    name: 'drop',
    select,
    type: 'drop',
    when: 'below',
    ratio: 0.01,
    clearRatio: 0.02,
    windowMs: 60_000,
    minSamples: 10,
    dwellSamples: 3,
  },
  { name: 'trend', select, type: 'trend', when: 'above', limit: 1e12, horizonMs: 1, windowMs: 60_000, minSamples: 10 },
  { name: 'peers', select, type: 'peers', when: 'below', ratio: 0.99, minPeers: 3, dwellMs: 1e6, clearDwellMs: 0 },
];

/** Eight GPUs at 10 Hz, one batch per second of their time. */
function samplesPerSecond(detectors) {
  const core = new addon.Core({ historySeconds: 600, maxSeries: 100, anchorMs: 0 });
  core.setDetectors(detectors);
  const gpus = Array.from({ length: 8 }, (_, gpu) => core.series(`gpu/${gpu}#power`));
  const ids = new Uint32Array(80);
  const times = new Float64Array(80);
  const values = new Float64Array(80);
  let second = 0;
  const ns = nsPerCall(200, () => {
    for (let i = 0; i < 80; i++) {
      ids[i] = gpus[i % 8];
      times[i] = second * 1000 + Math.floor(i / 8) * 100;
      values[i] = 500 + ((i * 7919 + second) % 100);
    }
    second += 1;
    core.push(ids, times, values);
  });
  core.drain();
  core.close();
  return (80 / ns) * 1e9;
}

async function handOverUs() {
  const core = new addon.Core({ historySeconds: 0, maxSeries: 10 });
  core.setDetectors([{ ...DETECTORS[0], limit: 1, clear: 1 }]);
  const ids = Uint32Array.of(core.series('gpu/a#power'));
  const keepAlive = setInterval(() => {}, 1000);
  let woken = () => {};
  core.onWake(() => {
    core.drain();
    woken();
  });
  const runs = [];
  for (let i = 0; i < 2000; i++) {
    const start = process.hrtime.bigint();
    const wake = new Promise((resolve) => {
      woken = resolve;
    });
    core.push(ids, Float64Array.of(core.now()), Float64Array.of(i % 2 === 0 ? 2 : 0));
    await wake;
    runs.push(Number(process.hrtime.bigint() - start) / 1000);
  }
  clearInterval(keepAlive);
  core.close();
  return { p50: median(runs), p99: runs[Math.floor(runs.length * 0.99)] };
}

const core = new addon.Core({ historySeconds: 60, maxSeries: 100 });
const id = Uint32Array.of(core.series('host/h#load'));
const time = Float64Array.of(core.now());
show(
  'a call: now()',
  nsPerCall(100_000, () => core.now()),
  'ns',
);
show(
  'a call: push() of one sample, no detector',
  nsPerCall(50_000, () => core.push(id, time, time)),
  'ns',
);
show(
  'a call: drain() of nothing',
  nsPerCall(20_000, () => core.drain()),
  'ns',
);
const handOver = await handOverUs();
show('hand-over, push to drained, p50', handOver.p50, 'us');
show('hand-over, push to drained, p99', handOver.p99, 'us');
show('samples a second, no detector', samplesPerSecond([]), '/s');
for (const detector of DETECTORS) show(`samples a second, ${detector.name}`, samplesPerSecond([detector]), '/s');
show('samples a second, all six detectors', samplesPerSecond(DETECTORS), '/s');

const large = new addon.Core({ historySeconds: 600, maxSeries: 1000 });
const before = process.memoryUsage().rss / 2 ** 20;
const keys = Array.from({ length: 96 }, (_, i) => large.series(`gpu/${i % 8}#quantity-${Math.floor(i / 8)}`));
for (let sample = 0; sample < 1200; sample++) {
  const now = new Float64Array(96).fill(large.now() + sample * 500);
  large.push(Uint32Array.from(keys), now, now);
}
show('memory: 96 series at 2 Hz for 10 minutes', process.memoryUsage().rss / 2 ** 20 - before, 'MiB');
show('memory: bare Node', bareMiB, 'MiB');
show('memory: at the end of this run', process.memoryUsage().rss / 2 ** 20, 'MiB');
