// What the labels of jobs cost: ticks, exports and scrapes of eight GPUs with and without them, in turn; and a changed view.
// usage: node bench/work-labels.mjs

import { resourceFromAttributes } from '@opentelemetry/resources';
import { WhoseBook } from '../src/identity/whose/whose-book.ts';
import { MetricFeed } from '../src/sinks/otlp/metrics/metric-feed.ts';
import { PrometheusSink } from '../src/sinks/prometheus/prometheus-sink.ts';
import { LabelBook } from '../src/sinks/work/label-book.ts';
import { pod, rank, use, view, work } from '../test/identity/whose/made-view.ts';

const QUANTITIES = [
  ...['utilization', 'power', 'temperature', 'memory_used', 'sm_clock', 'memory_clock', 'fan_speed', 'energy'],
  ...['pcie_tx', 'pcie_rx', 'nvlink_tx', 'nvlink_rx', 'power_limit', 'memory_utilization', 'clock', 'ecc'],
];
const GPUS = Array.from({ length: 8 }, (_, n) => `0000:${n}b:00.0`);
const JOB = work('991', {
  user: 'alice',
  pods: [pod('a')],
  ranks: GPUS.map((id, n) => rank(n, { pid: 400 + n, gpus: [id] })),
});
const BUSY = view({
  works: [JOB],
  devices: GPUS.map((id, n) => use(`gpu/${id}`, '991', { pod: pod('a'), ranks: [n] })),
});
const IDLE = view();
const TICKS = 6000;

async function measure(shown) {
  let now = 1_790_000_000_000;
  const labels = new LabelBook();
  const common = { version: '1', maxSeries: 5000, labels, now: () => now };
  const feed = new MetricFeed({ ...common, resource: resourceFromAttributes({}), intervalMs: 10_000 });
  const self = { collect: async () => ({ scopeMetrics: [] }) };
  const sink = new PrometheusSink({ ...common, host: 'h', dcgmNames: true, self });
  for (const [n, id] of GPUS.entries())
    sink.discovery({ component: { type: 'gpu', id, aliases: [`gpu ${n}`] }, links: [], attributes: {} });
  const spent = { tick: 0, export: 0, scrape: 0 };
  const timed = async (name, what) => {
    const start = performance.now();
    await what();
    spent[name] += performance.now() - start;
  };
  const tick = () => {
    now += 1000;
    const of = (id) => (quantity) => ({ key: `gpu/${id}#${quantity}`, count: 2, min: 1, max: 2, mean: 1.5, last: 1.5, lastTimeMs: now }); // biome-ignore format: one line
    const list = GPUS.flatMap((id) => QUANTITIES.map(of(id)));
    labels.take(shown);
    feed.series(list);
    sink.series(list, now);
  };
  for (let n = 0; n < TICKS; n += 1) {
    if (n === TICKS / 3) Object.assign(spent, { tick: 0, export: 0, scrape: 0 });
    await timed('tick', tick);
    if (n % 10 !== 9) continue;
    await timed('export', () => feed.next());
    await timed('scrape', () => sink.scrape(undefined));
  }
  const counted = (TICKS * 2) / 3;
  return [spent.tick / counted, (spent.export / counted) * 10, (spent.scrape / counted) * 10].map((ms) => ms * 1000);
}

for (let round = 0; round < 3; round += 1) {
  for (const [name, shown] of [
    ['none', IDLE],
    ['labels', BUSY],
  ]) {
    const [tick, exported, scrape] = await measure(shown);
    console.log(
      `${name.padEnd(7)} tick ${tick.toFixed(1)} µs, export ${exported.toFixed(0)} µs, scrape ${scrape.toFixed(0)} µs`,
    );
  }
}

function perCall(name, times, call) {
  const start = performance.now();
  for (let n = 0; n < times; n += 1) call(n);
  console.log(`${name.padEnd(44)} ${(((performance.now() - start) / times) * 1000).toFixed(1)} µs`);
}

const newer = (of, n) => ({ ...of, version: -n - 1 });
const [labels, whose] = [new LabelBook(), new WhoseBook(() => BUSY, () => 1)]; // biome-ignore format: one line
perCall('labels of a view that is new and the same', 2000, (n) => labels.take(newer(BUSY, n)));
perCall('whose of a view that is new and the same', 2000, (n) => whose.saw(newer(BUSY, n)));
const fault = { component: { type: 'gpu', id: GPUS[0] }, timeMs: 1, trust: 'kernel', attributes: {} };
perCall('whose an event is', 20_000, () => whose.of(fault));
const crowd = view({ works: Array.from({ length: 200 }, (_, k) => work(`${k}`, { ranks: Array.from({ length: 8 }, (__, n) => rank(n, { pid: 8 * k + n })) })) }); // biome-ignore format: one line
perCall('whose of a view of 200 jobs with 1,600 ranks', 50, (n) => whose.saw(newer(crowd, n)));
