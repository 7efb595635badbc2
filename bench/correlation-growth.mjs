// Benchmark: how the correlator's work grows with GPUs, conditions and members of an incident, with the exponent of each.
// `node bench/correlation-growth.mjs [gpus|conditions|members]... [--once]`; times are CPU of the thread, medians of three runs or of one.

import { Correlator } from '../src/correlation/correlator.ts';
import { Pipeline } from '../src/daemon/pipeline.ts';
import { RevisionLines } from '../src/incidents/log/revision-lines.ts';
import { makeEvent } from '../src/model/make-event.ts';
import { native } from '../src/native.ts';

const HOST = 'node-3';
const T0 = 1_790_000_000_000;
const host = { type: 'host', id: HOST };
const RUNS = process.argv.includes('--once') ? 1 : 3;
const KERNEL = { trust: 'kernel', source: 'kernel-log' };
const FLOOD = ['gpu.app_fault', 'gpu.power_brake', 'gpu.thermal_throttle', 'gpu.memory.contained', 'nvlink.nonfatal', 'gpu.lost', 'pcie.corrected', 'gpu.gsp_timeout', 'nvlink.fatal', 'gpu.preemptive_cleanup', 'gpu.memory.sbe_storm', 'gpu.memory.row_remap_failed', 'pcie.uncorrected', 'gpu.fifo_error', 'gpu.memory.dbe', 'nvlink.degraded']; // biome-ignore format: a list

const gpuAt = (i) => ({ type: 'gpu', id: `0000:${(16 + i).toString(16)}:00.0`, host: HOST });
const inHost = (gpu) => ({ from: host, to: gpu, relation: 'contains', source: 'host' });

/** CPU of this thread so far, ms. */
function cpuMs() {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function event(ms, kind, component, more) {
  const timeMs = T0 + ms;
  return makeEvent(HOST, { kind, component, timeMs, observedMs: timeMs + 2, discriminator: ms, ...more });
}

function build(gpus) {
  const correlator = new Correlator({ host: HOST, latenessMs: 30_000, holdMs: 30_000 });
  for (const gpu of gpus) correlator.link(inHost(gpu));
  return correlator;
}

/** The slope of the line through the logarithms: 1 is linear. */
function exponentOf(points) {
  const logs = points.map(([x, y]) => [Math.log(x), Math.log(y)]);
  const mean = (i) => logs.reduce((sum, each) => sum + each[i], 0) / logs.length;
  const [mx, my] = [mean(0), mean(1)];
  const along = logs.reduce((sum, [x, y]) => sum + (x - mx) * (y - my), 0);
  return (along / logs.reduce((sum, [x]) => sum + (x - mx) ** 2, 0)).toFixed(2);
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

/** A sag, brakes, throttling and slow steps of all GPUs that come and go every five minutes. */
function mixed(gpus, count) {
  const events = [];
  const phase = { type: 'pdu_phase', id: 'pdu-b/1' };
  const job = { type: 'job', id: 'llama' };
  for (let at = 0; events.length < count; at += 300_000) {
    for (const state of ['onset', 'clear']) {
      const from = at + (state === 'clear' ? 60_000 : 0);
      events.push(event(from, 'power.voltage_sag', phase, { state, trust: 'facility', source: 'pdu' }));
      for (const gpu of gpus) events.push(event(from + 500, 'gpu.power_brake', gpu, { state, ...KERNEL }));
      for (const gpu of gpus) events.push(event(from + 3000, 'gpu.thermal_throttle', gpu, { state, ...KERNEL }));
      events.push(event(from + 8000, 'job.throughput_drop', job, { state, trust: 'tenant', source: 'job-log' }));
    }
  }
  return events;
}

function byGpus() {
  const points = [2, 4, 8, 16, 32, 64].map((count) => {
    const gpus = Array.from({ length: count }, (_, i) => gpuAt(i));
    const events = mixed(gpus, 20_000);
    const each = Array.from({ length: RUNS }, () => {
      const correlator = build(gpus);
      const before = cpuMs();
      for (const one of events) correlator.observe(one);
      return ((cpuMs() - before) * 1000) / events.length;
    });
    const us = median(each);
    console.log(`mixed, ${count} GPUs: ${us.toFixed(1)} µs an event, ${Math.round(1000 / us)} k events/s of CPU`);
    return [count, us];
  });
  console.log(
    `  CPU an event grows with GPUs^${exponentOf(points)}, from 16 on with GPUs^${exponentOf(points.slice(3))}`,
  );
}

/** What a forger or a broken driver can fill the store with: kinds on invented addresses, 50 a second. */
function byConditions() {
  const points = [[10, 26], [10, 64], [10, 128], [16, 256]].map(([kinds, places]) => {
    const runs = Array.from({ length: RUNS }, () => {
      const correlator = build([gpuAt(0)]);
      let longest = 0;
      const begin = cpuMs();
      for (let i = 0; i < kinds * places; i += 1) {
        const place = Math.floor(i / kinds);
        const gpu = { type: 'gpu', id: `0000:${(place >> 3).toString(16).padStart(2, '0')}:${(place & 7) + 8}.0` };
        const one = event(i * 20, FLOOD[i % kinds], gpu, KERNEL);
        const before = cpuMs();
        correlator.observe(one);
        longest = Math.max(longest, cpuMs() - before);
      }
      return { all: cpuMs() - begin, longest, held: correlator.load.conditions };
    });
    const [all, longest] = [median(runs.map((run) => run.all)), median(runs.map((run) => run.longest))];
    const { held } = runs[0];
    console.log(
      `flood of ${kinds} kinds on ${places} places: ${held} conditions, ${Math.round(all)} ms in all, longest turn ${longest.toFixed(1)} ms`,
    );
    return { held, all, longest };
  }); // biome-ignore format: the sizes are a table
  const of = (what) => exponentOf(points.map((point) => [point.held, point[what]]));
  console.log(
    `  the whole flood grows with conditions^${of('all')}, its longest turn with conditions^${of('longest')}`,
  );
}

const INCIDENTS = {
  'a GPU is lost, ranks crash one by one': (i) =>
    i === 0
      ? { kind: 'gpu.lost', component: gpuAt(0), ...KERNEL }
      : {
          kind: 'job.rank_crashed',
          component: { type: 'rank', id: `llama/${i - 1}` },
          trust: 'tenant',
          source: 'job-log',
        },
  'a GPU is lost, links and programs of its peers fail': (i) => ({
    kind: i === 0 ? 'gpu.lost' : i % 2 === 1 ? 'nvlink.fatal' : 'gpu.app_fault',
    component: gpuAt(i >> 1),
    ...KERNEL,
  }),
};

/** What one incident costs and writes while its members come one a second, each of which is a revision. */
function byMembers() {
  for (const [name, memberAt] of Object.entries(INCIDENTS)) {
    const points = [8, 15, 30, 60, 120].map((members) => {
      const { bytes, revisions, ms } = written(members, memberAt);
      console.log(
        `${name}: ${members} members, ${revisions} revisions, ${(bytes / 1000).toFixed(1)} kB in the log, ${ms.toFixed(0)} ms`,
      );
      return { members, bytes, ms };
    });
    const of = (what) => exponentOf(points.map((point) => [point.members, point[what]]));
    console.log(`  the log grows with members^${of('bytes')}, the time with members^${of('ms')}`);
  }
}

/** The lines of revisions of all incidents; lines of events are one for each member. */
function written(members, memberAt) {
  const core = new (native().Core)({ historySeconds: 60, maxSeries: 64, anchorMs: T0 });
  const gpus = Array.from({ length: 64 }, (_, i) => gpuAt(i));
  const runsOn = gpus.map((from, i) => ({
    from,
    to: { type: 'rank', id: `llama/${i}` },
    relation: 'runs',
    source: 'host',
  }));
  const lines = new RevisionLines();
  let now = T0;
  const found = { bytes: 0, revisions: 0, ms: 0 };
  const pipeline = new Pipeline({
    host: HOST,
    core,
    latenessMs: 30_000,
    holdMs: 30_000,
    links: [...gpus.map(inHost), ...runsOn],
    now: () => now,
    onEvent: () => {},
    onIncident: (incident) => {
      found.bytes += lines.line(incident).length;
      found.revisions += 1;
    },
  });
  const begin = cpuMs();
  for (let i = 0; i < members; i += 1) {
    const timeMs = T0 + i * 1100;
    now = timeMs + 5;
    pipeline.advance(now);
    pipeline.event({ ...memberAt(i), state: 'point', timeMs, observedMs: now, discriminator: i });
  }
  pipeline.advance(now + 600_000);
  found.ms = cpuMs() - begin;
  core.close();
  return found;
}

const PARTS = { gpus: byGpus, conditions: byConditions, members: byMembers };
const asked = process.argv.slice(2).filter((name) => name in PARTS);
for (const [name, part] of Object.entries(PARTS)) if (asked.length === 0 || asked.includes(name)) part();
