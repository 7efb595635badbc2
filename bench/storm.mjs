// Benchmark of the whole line: a storm of 1 M events from eight GPUs in a minute, one on 1 M invented addresses, and memory over 10 M events.
// `node --expose-gc bench/storm.mjs [EVENTS]` ; what is written per incident is the lines of its revisions in the log.

import { Pipeline } from '../src/daemon/pipeline.ts';
import { RevisionLines } from '../src/incidents/log/revision-lines.ts';
import { native } from '../src/native.ts';

const HOST = 'node-3';
const T0 = 1_790_000_000_000;
const gpus = ['1b', '29', '45', '5d', '9b', 'ad', 'c1', 'df'].map((bus) => ({
  type: 'gpu',
  id: `0000:${bus}:00.0`,
  host: HOST,
}));
const host = { type: 'host', id: HOST };

function build() {
  const core = new (native().Core)({ historySeconds: 60, maxSeries: 64, anchorMs: T0 });
  const clock = { now: T0 };
  const lines = new RevisionLines();
  const seen = { events: 0, revisions: 0, bytes: 0, incidents: new Map() };
  const pipeline = new Pipeline({
    host: HOST,
    core,
    latenessMs: 30_000,
    holdMs: 30_000,
    links: gpus.map((gpu) => ({ from: host, to: gpu, relation: 'contains', source: 'host' })),
    now: () => clock.now,
    onEvent: () => {
      seen.events += 1;
    },
    onIncident: (incident) => {
      seen.revisions += 1;
      seen.bytes += lines.line(incident).length;
      const { id, state, mergedInto, root } = incident;
      seen.incidents.delete(id);
      seen.incidents.set(id, { state, mergedInto, kind: root.kind, component: root.component?.id });
      for (const oldest of seen.incidents.keys()) {
        if (seen.incidents.size <= 1000) break;
        seen.incidents.delete(oldest);
      }
    },
  });
  return { core, pipeline, clock, seen };
}

function storm() {
  const { core, pipeline, clock, seen } = build();
  const startedMs = performance.now();
  for (let i = 0; i < 1_000_000; i += 1) {
    const timeMs = T0 + i * 0.06;
    clock.now = timeMs + 1;
    const kind =
      i === 0 ? 'gpu.lost' : i % 3 === 0 ? 'nvlink.fatal' : i % 3 === 1 ? 'gpu.gsp_timeout' : 'gpu.preemptive_cleanup';
    // The lost one alone has a silent processor; its peers lose their links to it and clean up.
    const component = i === 0 || kind === 'gpu.gsp_timeout' ? gpus[2] : gpus[i % 8];
    pipeline.event({
      kind,
      component,
      timeMs,
      observedMs: clock.now,
      trust: 'kernel',
      source: 'kernel-log',
      discriminator: i,
    });
  }
  pipeline.advance(T0 + 200_000);
  const seconds = (performance.now() - startedMs) / 1000;
  const reported = [...seen.incidents.values()].filter(({ mergedInto }) => mergedInto === null);
  console.log(
    `storm: 1 M events of a minute in ${seconds.toFixed(1)} s; ${reported.length} incident, root ${reported.map(({ kind, component }) => `${kind} ${component}`).join(', ')}; ${seen.revisions} revisions, ${(seen.bytes / 1024).toFixed(0)} KiB in the log`,
  );
  core.close();
}

const KINDS = ['gpu.app_fault', 'gpu.power_brake', 'gpu.thermal_throttle', 'gpu.memory.contained', 'nvlink.nonfatal', 'host.oom', 'net.rdma_retry_exceeded', 'job.rank_crashed']; // biome-ignore format: a list

function memory(total) {
  const { core, pipeline, clock, seen } = build();
  const startedMs = performance.now();
  for (let i = 0; i < total; i += 1) {
    const timeMs = T0 + i * 40;
    clock.now = timeMs + 1;
    const kind = KINDS[Math.floor(i / 50) % KINDS.length];
    const component =
      kind === 'host.oom'
        ? { type: 'process', id: String(i % 40) }
        : kind.startsWith('job.') || kind.startsWith('net.')
          ? { type: 'rank', id: `train/${i % 8}` }
          : gpus[i % 8];
    const state =
      kind.startsWith('gpu.power') || kind.startsWith('gpu.thermal') ? (i % 100 < 50 ? 'onset' : 'clear') : 'point';
    pipeline.event({
      kind,
      component,
      timeMs,
      observedMs: clock.now,
      trust: 'kernel',
      source: 'kernel-log',
      state,
      discriminator: i,
    });
    if (i % 25 === 0) pipeline.advance(clock.now);
    if ((i + 1) % (total / 10) === 0) {
      globalThis.gc?.();
      const { heapUsed, rss } = process.memoryUsage();
      const rate = Math.round((i + 1) / (performance.now() - startedMs));
      console.log(
        `memory: ${((i + 1) / 1e6).toFixed(1)} M events, heap ${(heapUsed / 1e6).toFixed(0)} MB, RSS ${(rss / 1e6).toFixed(0)} MB, ${seen.revisions} revisions, ${rate} k events/s`,
      );
    }
  }
  core.close();
}

/** A tenant's forgery or a broken driver: every XID on another address, taken 32 a turn as the line takes kernel records. */
async function invented() {
  const { core, pipeline, clock, seen } = build();
  const startedMs = performance.now();
  const cpu = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  const startedCpuMs = cpu();
  let longestMs = 0;
  let longestCpuMs = 0;
  for (let i = 0; i < 1_000_000; ) {
    const sliceMs = performance.now();
    const sliceCpuMs = cpu();
    for (const end = i + 32; i < end; i += 1) {
      const timeMs = T0 + i * 0.06;
      clock.now = timeMs + 1;
      const id = `${(i >> 16).toString(16).padStart(4, '0')}:${((i >> 8) & 255).toString(16).padStart(2, '0')}:${((i >> 3) & 31).toString(16).padStart(2, '0')}.${i & 7}`;
      const component = { type: 'gpu', id, host: HOST };
      pipeline.event({
        kind: 'gpu.lost',
        component,
        timeMs,
        observedMs: clock.now,
        trust: 'kernel',
        source: 'kernel-log',
        discriminator: i,
      });
    }
    longestMs = Math.max(longestMs, performance.now() - sliceMs);
    longestCpuMs = Math.max(longestCpuMs, cpu() - sliceCpuMs);
    await new Promise(setImmediate);
  }
  const seconds = (performance.now() - startedMs) / 1000;
  console.log(
    `invented: 1 M XIDs on 1 M addresses in ${seconds.toFixed(1)} s (${((cpu() - startedCpuMs) / 1000).toFixed(1)} s of CPU), longest turn of 32 ${longestMs.toFixed(1)} ms (${longestCpuMs.toFixed(1)} of CPU); ${seen.revisions} revisions, ${(seen.bytes / 1024).toFixed(0)} KiB in the log`,
  );
  core.close();
}

storm();
await invented();
memory(Number(process.argv[2] ?? 10_000_000));
