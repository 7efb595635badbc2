// Benchmark: events per second through the correlator on one core, with the shipped cause graph. `node bench/correlation.mjs`; `node --expose-gc bench/correlation.mjs --soak` for memory.

import { Correlator } from '../src/correlation/correlator.ts';
import { makeEvent } from '../src/model/make-event.ts';

const HOST = 'node-3';
const T0 = 1_700_000_000_000;
const RUNS = 5;
const gpus = ['1b', '29', '45', '5d', '9b', 'ad', 'c1', 'df'].map((bus) => ({ type: 'gpu', id: `0000:${bus}:00.0` }));

function event(ms, kind, component, more = {}) {
  const timeMs = T0 + ms;
  const base = { kind, component, timeMs, observedMs: timeMs + 2, trust: 'driver', source: 'gpu', ...more };
  return makeEvent(HOST, { ...base, discriminator: ms });
}

const LOADS = {
  'a bad day: 97 % repeats, 2 % limits that come and go, 1 % new faults with their consequences, 200 k events': () => {
    return badDay().take(200_000).toArray();
  },
  'storm: XID 79 from eight GPUs, 1 M events in a minute': () => {
    const events = [];
    const kernel = { trust: 'kernel', source: 'kernel-log' };
    for (let i = 0; i < 1_000_000; i += 1) events.push(event(i * 0.06, 'gpu.lost', gpus[i % 8], kernel));
    return events;
  },
  'flapping: eight GPUs brake and release, 200 k events in ten hours': () => {
    const events = [];
    for (let i = 0; i < 200_000; i += 1) {
      const state = Math.floor(i / 8) % 2 === 0 ? 'onset' : 'clear';
      events.push(event(i * 180, 'gpu.power_brake', gpus[i % 8], { state }));
    }
    return events;
  },
  'mixed: sag, brakes, throttle, slow step, clear, every five minutes, 100 k events': () => {
    const events = [];
    const phase = { type: 'pdu_phase', id: 'pdu-b/1' };
    const job = { type: 'job', id: 'llama' };
    for (let at = 0; events.length < 100_000; at += 300_000) {
      for (const state of ['onset', 'clear']) {
        const s = at + (state === 'clear' ? 60_000 : 0);
        events.push(event(s, 'power.voltage_sag', phase, { state, trust: 'facility', source: 'pdu' }));
        for (const gpu of gpus) events.push(event(s + 500, 'gpu.power_brake', gpu, { state }));
        for (const gpu of gpus) events.push(event(s + 3000, 'gpu.thermal_throttle', gpu, { state }));
        events.push(event(s + 8000, 'job.throughput_drop', job, { state, trust: 'tenant', source: 'job-log' }));
      }
    }
    return events;
  },
};

/**
 * A bad day on one node, as a stream without an end: of a thousand events 970 are repeats of what continues already, 20 are
 * limits that come and go as expected, 10 begin, spread or end faults, each time on other ranks and processes.
 */
function* badDay() {
  const kernel = { trust: 'kernel', source: 'kernel-log' };
  const going = ['gpu.app_fault', 'gpu.memory.sbe_storm', 'pcie.corrected', 'nvlink.nonfatal'];
  for (let i = 0; ; i += 1) {
    const at = i * 20;
    const of = i % 1000;
    const gpu = gpus[i % 8];
    if (of >= 30) yield event(at, going[(i >> 3) % 4], gpu, kernel);
    else if (of >= 10) {
      const state = (i >> 3) % 2 === 0 ? 'onset' : 'clear';
      yield event(at, 'gpu.power_cap', gpu, { state, severity: 'info' });
    } else {
      const round = Math.floor(i / 1000);
      const rank = { type: 'rank', id: `llama/${round % 4096}` };
      const process = { type: 'process', id: String(1000 + round), host: HOST };
      const faults = [
        ['gpu.lost', gpus[round % 8], kernel],
        ['job.rank_crashed', rank, { trust: 'tenant', source: 'job-log' }],
        ['process.segfault', process, kernel],
        ['gpu.power_brake', gpu, { state: round % 2 === 0 ? 'onset' : 'clear' }],
        [
          'job.throughput_drop',
          { type: 'job', id: 'llama' },
          { state: round % 2 === 0 ? 'onset' : 'clear', trust: 'tenant', source: 'job-log' },
        ],
      ];
      const [kind, component, more] = faults[of % 5];
      yield event(at, kind, component, more);
    }
  }
}

const LINKS = [
  ...gpus.map((gpu) => ({ from: { type: 'host', id: HOST }, to: gpu, relation: 'contains', source: 'host' })),
  {
    from: { type: 'pdu_outlet', id: 'pdu-b/7' },
    to: { type: 'psu', id: `${HOST}/1` },
    relation: 'feeds',
    source: 'configuration',
  },
];

function build() {
  const correlator = new Correlator({ host: HOST, latenessMs: 30_000, holdMs: 30_000 });
  for (const link of LINKS) correlator.link(link);
  return correlator;
}

function run(events) {
  const correlator = build();
  let reported = 0;
  const begin = process.hrtime.bigint();
  const cpuBefore = process.threadCpuUsage();
  for (const event of events) reported += correlator.observe(event).length;
  const { user, system } = process.threadCpuUsage(cpuBefore);
  const seconds = Number(process.hrtime.bigint() - begin) / 1e9;
  const cpuRate = (events.length * 1e6) / (user + system);
  return { rate: events.length / seconds, cpuRate, reported, load: correlator.load };
}

/** From event to incident, ms, in a run of its own: reading the clock twice an event costs a tenth of the rate. */
function p99Of(events) {
  const correlator = build();
  const times = new Float64Array(events.length);
  for (let i = 0; i < events.length; i += 1) {
    const before = performance.now();
    correlator.observe(events[i]);
    times[i] = performance.now() - before;
  }
  times.sort();
  return times[Math.floor(events.length * 0.99)];
}

/** Memory over ten million events that are not kept: the heap after a collection, each two million. */
function soak() {
  const correlator = build();
  const heaps = [];
  let count = 0;
  for (const one of badDay().take(10_000_000)) {
    correlator.observe(one);
    count += 1;
    if (count % 2_000_000 !== 0) continue;
    globalThis.gc();
    heaps.push((process.memoryUsage().heapUsed / 1e6).toFixed(1));
  }
  const { conditions, dropped } = correlator.load;
  console.log(
    `ten million events of the bad day: heap ${heaps.join(', ')} MB after each two million, ${conditions} conditions, ${dropped} events without room`,
  );
}

if (process.argv.includes('--soak')) {
  soak();
  process.exit(0);
}

for (const [name, make] of Object.entries(LOADS)) {
  const events = make();
  const runs = Array.from({ length: RUNS }, () => run(events)).sort((a, b) => a.rate - b.rate);
  const { rate, cpuRate, reported, load } = runs[Math.floor(RUNS / 2)];
  const p99 = p99Of(events);
  const rss = Math.round(process.memoryUsage.rss() / 1e6);
  console.log(
    `${name}\n  ${Math.round(rate / 1000)} k events/s (median of ${RUNS}; ${Math.round(cpuRate / 1000)} k a second of CPU), p99 ${(p99 * 1000).toFixed(1)} µs, ${reported} explanations, ${load.conditions} conditions, ${rss} MB RSS with the input`,
  );
}
