// Bench: 5,000 points from what the line has of them to the bytes of a request — ours against the SDK's collect and serialise,
// by CPU of the thread.
// Run: node bench/otlp.mjs   (each side in a process of its own, in turn; outputs are compared before anything is timed)

import { spawnSync } from 'node:child_process';
import { ProtobufMetricsSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import { seriesMetric } from '../src/sinks/metric-table.ts';
import { MetricFeed } from '../src/sinks/otlp/metrics/metric-feed.ts';
import { readMetrics } from '../test/sinks/otlp/otlp-proto.ts';

const POINTS = 5_000;
const RUNS = 300;
const WARM = 15;
const ROUNDS = 5;
/** Series without companions and of no hardware, so that both sides have one point a series and nothing else. */
const QUANTITIES = ['samples_per_second', 'tflops_per_gpu', 'iteration', 'loss', 'memory_used'];
const keys = Array.from({ length: POINTS }, (_, index) => {
  const rank = Math.floor(index / QUANTITIES.length);
  return `rank/llama-70b-pretrain/${rank}#${QUANTITIES[index % QUANTITIES.length]}`;
});
const resource = resourceFromAttributes({ 'service.name': 'faultline', 'host.name': 'node-3' });
const valueAt = (index, run) => index + run * 0.5;

function ours() {
  let nowMs = 1_800_000_000_000;
  const feed = new MetricFeed({ resource, version: '1', intervalMs: 10_000, maxSeries: POINTS, now: () => nowMs });
  return {
    prepare(run) {
      nowMs += 10_000;
      feed.series(
        keys.map((key, index) => {
          const last = valueAt(index, run);
          return { key, count: 20, min: last, max: last, mean: last, last, lastTimeMs: nowMs - (index % 997) };
        }),
      );
    },
    bytes: () => feed.next().map(({ bytes }) => bytes),
  };
}

class Reader extends MetricReader {
  async onForceFlush() {}
  async onShutdown() {}
}

function sdk() {
  const reader = new Reader({ cardinalityLimits: { default: POINTS } });
  const meter = new MeterProvider({ resource, readers: [reader] }).getMeter('faultline', '1');
  const values = new Map();
  const scales = [];
  const byMetric = new Map();
  for (const [index, key] of keys.entries()) {
    const { metric, attributes, scale } = seriesMetric(key);
    scales.push(scale);
    const known = byMetric.get(metric.name) ?? { metric, series: [] };
    known.series.push({ index, attributes });
    byMetric.set(metric.name, known);
  }
  for (const { metric, series } of byMetric.values()) {
    const make = metric.instrument === 'counter' ? 'createObservableCounter' : 'createObservableGauge';
    meter[make](metric.name, { unit: metric.unit, description: metric.description }).addCallback((result) => {
      for (const { index, attributes } of series) result.observe(values.get(index), attributes);
    });
  }
  return {
    prepare(run) {
      for (const [index, scale] of scales.entries()) values.set(index, valueAt(index, run) * scale);
    },
    async bytes() {
      const { resourceMetrics } = await reader.collect();
      return [ProtobufMetricsSerializer.serializeRequest({ ...resourceMetrics, resource })];
    },
  };
}

/** Points as comparable text, without times (the SDK has none of its own). */
function pointsOf(requests) {
  return requests
    .flatMap((bytes) => readMetrics(bytes).points)
    .map(({ metric, unit, is, attributes, value }) =>
      JSON.stringify([metric, unit, is, Object.entries(attributes).sort(), value]),
    )
    .sort();
}

/** The mean of all runs: a kernel may count the time of a thread by ticks of 4 ms, of which one run sees none or a whole one. */
async function measure(side) {
  let used = 0;
  let size = 0;
  for (let run = 0; run < WARM + RUNS; run += 1) {
    side.prepare(run);
    const start = process.threadCpuUsage();
    const requests = await side.bytes();
    const { user, system } = process.threadCpuUsage(start);
    if (run >= WARM) used += (user + system) / 1000;
    size = requests.reduce((sum, bytes) => sum + bytes.length, 0);
  }
  return { ms: used / RUNS, size };
}

const SIDES = { ours, sdk };
const asked = process.argv[2];
if (asked !== undefined) {
  console.log(JSON.stringify(await measure(SIDES[asked]())));
} else {
  const [a, b] = await Promise.all(
    Object.values(SIDES).map(async (make) => {
      const side = make();
      side.prepare(1);
      return pointsOf(await side.bytes());
    }),
  );
  if (a.length !== POINTS || a.join() !== b.join())
    throw new Error(`outputs differ: ${a.length} and ${b.length} points`);
  console.log(
    `${POINTS} points, the same on both sides; means of ${RUNS} runs after ${WARM}, ${ROUNDS} rounds in fresh processes`,
  );
  const rounds = Array.from({ length: ROUNDS }, () =>
    Object.fromEntries(
      Object.keys(SIDES).map((name) => {
        const { stdout, stderr, status } = spawnSync(process.execPath, [process.argv[1], name], { encoding: 'utf8' });
        if (status !== 0) throw new Error(stderr);
        return [name, JSON.parse(stdout)];
      }),
    ),
  );
  const middle = (name) => rounds.map((round) => round[name]).toSorted((x, y) => x.ms - y.ms)[Math.floor(ROUNDS / 2)];
  for (const [name, title] of [
    ['ours', 'aggregates → bytes'],
    ['sdk', 'SDK collect → serialise'],
  ]) {
    const { ms, size } = middle(name);
    const all = rounds.map((round) => round[name].ms.toFixed(2)).join(', ');
    const rate = Math.round(POINTS / ms);
    console.log(`${title.padEnd(26)} median ${ms.toFixed(2)} ms (${all}), ${rate} points/ms, ${size} bytes`);
  }
  console.log(`ratio in points per second: ${(middle('sdk').ms / middle('ours').ms).toFixed(2)}`);
}
