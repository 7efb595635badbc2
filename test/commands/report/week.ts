// A week of one node with eight GPUs, made of a seed: jobs, faults and a stop of the daemon, of which all is known by construction;
// played through the ledger, the book of incidents and the log as the daemon would, and written as Slurm's accounting would.

import { JobLedger } from '../../../src/daemon/job-ledger.ts';
import type { Work } from '../../../src/identity/work/work.ts';
import { IncidentBook } from '../../../src/incidents/lifecycle.ts';
import type { IncidentLog } from '../../../src/incidents/log/incident-log.ts';
import { loadRuns } from '../../../src/incidents/log/load-runs.ts';
import type { Loss } from '../../../src/model/incident.ts';
import type { Kind } from '../../../src/model/kind.ts';
import { makeEvent } from '../../../src/model/make-event.ts';
import { pickOne, type RandomStream, randomStream } from '../../../src/simulator/random.ts';
import { use, view, work } from '../../identity/whose/made-view.ts';
import { event, explanation } from '../../incidents/sample.ts';

export const MONDAY = Date.UTC(2026, 10, 16, 0, 0, 0);
export const HOUR = 3_600_000;
const MINUTE = 60_000;
/** The daemon does not run from then on for this long. */
const OUTAGE = { fromMs: MONDAY + 75 * HOUR, toMs: MONDAY + 78 * HOUR };
const LANES = [[0, 1, 2, 3], [4, 5], [6], [7]] as const;
const CAUSES: readonly Kind[] = ['gpu.thermal_throttle', 'nic.port_down', 'gpu.lost', 'gpu.memory.dbe'];

export interface Fault {
  readonly cause: Kind;
  /** False: what it was cannot be told. */
  readonly rootKnown: boolean;
  readonly fromMs: number;
  readonly toMs: number;
  readonly share: number;
  /** A second incident reports the same. */
  readonly twice: boolean;
}

export interface Job {
  readonly id: string;
  readonly attempt: number;
  readonly user: string;
  readonly gpus: readonly number[];
  readonly nodes: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly state: string;
  readonly faults: readonly Fault[];
  /** Last checkpoint before it stopped; null where it saves none. */
  readonly savedMs: number | null;
}

export interface Truth {
  readonly accounted: number;
  readonly lost: number;
  readonly undecided: number;
  /** The daemon did not run in a part of it. */
  readonly isInOutage: boolean;
}

export function makeWeek(seed: number): Job[] {
  const random = randomStream(seed, 'week');
  let number = 900;
  return LANES.flatMap((gpus, lane) => {
    const jobs: Job[] = [];
    for (let atMs = MONDAY + lane * 7 * MINUTE; ; ) {
      const startMs = atMs + Math.round((2 + random() * 40) * MINUTE);
      const endMs = startMs + Math.round((0.8 + random() * 7) * HOUR);
      if (endMs > MONDAY + 165 * HOUR) return jobs;
      number += 1;
      const made = makeJob(random, idOf(number), gpus, startMs, endMs);
      // Some of those that end well make way for others first.
      const job = made.state === 'COMPLETED' && number % 4 === 0 ? { ...made, state: 'PREEMPTED' } : made;
      jobs.push(job);
      atMs = job.endMs;
      if (job.state !== 'NODE_FAIL' && job.state !== 'PREEMPTED') continue;
      // Slurm queues it again under the same number.
      const againMs = job.endMs + 3 * MINUTE;
      jobs.push({
        ...job,
        attempt: 1,
        startMs: againMs,
        endMs: againMs + 2 * HOUR,
        state: 'COMPLETED',
        faults: [],
        savedMs: null,
      });
      atMs = againMs + 2 * HOUR;
    }
  });
}

/** Each fifth is a task of an array, which has a number of its own besides. */
const idOf = (number: number): string => (number % 5 === 0 ? `${number - 600}_${number % 7}` : `${number}`);
const rawOf = (id: string): string => (id.includes('_') ? `${Number(id.split('_')[0]) + 600}` : id);

function makeJob(random: RandomStream, id: string, gpus: readonly number[], startMs: number, endMs: number): Job {
  const user = pickOne(random, ['alice', 'bob', 'carol']) ?? '';
  const nodes = gpus.length === 4 && random() < 0.3 ? 2 : 1;
  const plain = { id, attempt: 0, user, gpus, nodes, startMs, endMs, state: 'COMPLETED', faults: [], savedMs: null };
  const draw = random();
  const cause = pickOne(random, CAUSES) ?? 'gpu.lost';
  const atMs = startMs + (0.3 + random() * 0.3) * (endMs - startMs);
  const slow = {
    cause,
    fromMs: atMs,
    toMs: atMs + 0.2 * (endMs - startMs),
    share: 0.2 + random() * 0.5,
    twice: random() < 0.4,
  };
  if (draw < 0.45) return plain;
  if (draw < 0.6) return { ...plain, faults: [{ ...slow, rootKnown: true }] };
  if (draw < 0.72) return { ...plain, faults: [{ ...slow, rootKnown: false }] };
  const stop = { ...slow, toMs: endMs, share: 1, rootKnown: draw < 0.95 };
  // It saves every half hour, if at all.
  const savedMs = random() < 0.7 ? startMs + Math.floor((atMs - startMs) / (30 * MINUTE)) * 30 * MINUTE : null;
  return { ...plain, state: draw < 0.85 ? 'CANCELLED' : 'NODE_FAIL', faults: [stop], savedMs };
}

export function truthOf(jobs: readonly Job[]): Map<string, Truth> {
  const byId = Map.groupBy(jobs, ({ id }) => id);
  return new Map([...byId].map(([id, own]) => [id, own.map(truthOfRun).reduce(add)]));
}

function truthOfRun({ gpus, startMs, endMs, faults, savedMs }: Job): Truth {
  const hours = (fromMs: number, toMs: number, share = 1) => (gpus.length * share * (toMs - fromMs)) / HOUR;
  const of = (known: boolean) =>
    faults
      .filter(({ rootKnown }) => rootKnown === known)
      .reduce((sum, { fromMs, toMs, share }) => {
        const again = share === 1 && savedMs !== null ? hours(savedMs, fromMs) : 0;
        return sum + hours(fromMs, toMs, share) + again;
      }, 0);
  const isInOutage = startMs < OUTAGE.toMs && endMs > OUTAGE.fromMs;
  return { accounted: hours(startMs, endMs), lost: of(true), undecided: of(false), isInOutage };
}

function add(a: Truth, b: Truth): Truth {
  return {
    accounted: a.accounted + b.accounted,
    lost: a.lost + b.lost,
    undecided: a.undecided + b.undecided,
    isInOutage: a.isInOutage || b.isInOutage,
  };
}

const gpuText = (index: number) => `gpu/0000:${index}b:00.0`;

function workOf({ id, attempt, user, startMs }: Job): Work {
  return work(`job-${id}`, { aliases: [id, rawOf(id)], user, attempt, startedMs: startMs, name: `train-${id}` });
}

/** Plays the week into the log of a directory, which the caller opens; the daemon looks every five seconds around each change. */
export async function playWeek(jobs: readonly Job[], log: IncidentLog, directory: string): Promise<void> {
  let nowMs = MONDAY;
  let shown = view();
  const options = { host: 'node-3', work: () => shown, log, now: () => nowMs };
  let ledger = new JobLedger({ ...options, earlier: [] });
  const looks = new Set(Array.from({ length: 168 }, (_, hour) => MONDAY + hour * HOUR));
  // A change is seen up to five seconds late.
  for (const { startMs, endMs } of jobs) for (const ms of [startMs, endMs]) looks.add(ms + 1000 + (ms % 4000));
  for (const { savedMs } of jobs) if (savedMs !== null) looks.add(savedMs);
  for (const ms of [OUTAGE.fromMs, OUTAGE.toMs, OUTAGE.toMs + 10_000, OUTAGE.toMs + 70_000]) looks.add(ms);
  for (const ms of [...looks].sort((a, b) => a - b)) {
    if (ms > OUTAGE.fromMs && ms < OUTAGE.toMs) continue;
    nowMs = ms;
    const running = jobs.filter(({ startMs, endMs }) => startMs <= nowMs && nowMs < endMs);
    // Right after its start no source has looked yet.
    const seen = ms === OUTAGE.toMs ? [] : running;
    const devices = seen.flatMap((job) => job.gpus.map((index) => use(gpuText(index), `job-${job.id}`)));
    shown = view({ works: seen.map(workOf), devices });
    if (ms === OUTAGE.toMs) ledger = new JobLedger({ ...options, earlier: await loadRuns(directory) });
    if (ms === MONDAY || ms === OUTAGE.toMs) ledger.start();
    ledger.look();
    for (const { id, savedMs } of jobs)
      if (savedMs === nowMs) ledger.heard(makeEvent('node-3', { kind: 'job.checkpoint_saved', component: { type: 'job', id: `job-${id}` }, timeMs: nowMs, observedMs: nowMs, trust: 'tenant', source: 'job-log' })); // biome-ignore format: one call
    if (ms === OUTAGE.fromMs) await ledger.stop();
  }
  await ledger.stop();
  await report(jobs, log);
}

/** Each fault as an incident that opens a moment after it began and is resolved when it is over. */
async function report(jobs: readonly Job[], log: IncidentLog): Promise<void> {
  const book = new IncidentBook('node-3', []);
  const all = jobs.flatMap((job) => job.faults.map((fault) => ({ job, fault })));
  all.sort((a, b) => a.fault.fromMs - b.fault.fromMs);
  for (const [at, { job, fault }] of all.entries()) {
    for (const again of fault.twice ? [0, 1] : [0]) {
      const openMs = fault.fromMs + again * 20_000;
      const own = event(`e-${at}-${again}`, fault.cause, { type: 'gpu', id: '0000:0b:00.0' }, { timeMs: openMs });
      const loss: Loss = { gpus: job.gpus.length, share: fault.share, fromMs: openMs, toMs: null, rate: null };
      const impact = [{ component: { type: 'job' as const, id: `job-${job.id}` }, quantity: 'step_time', before: null, after: null, unit: '', text: '', loss }]; // biome-ignore format: one line
      const believed = { events: [own], impact, rootKnown: fault.rootKnown, firstEventMs: openMs, asOfMs: openMs };
      // What stopped the job is reported until it starts again or the incident is resolved, which is later than its end.
      const endMs = fault.toMs + (fault.share === 1 ? 10 * MINUTE : 0);
      for (const one of [
        explanation(believed),
        explanation({
          ...believed,
          ended: true,
          asOfMs: endMs,
          impact: impact.map((each) => ({ ...each, loss: { ...loss, toMs: endMs } })),
        }),
      ]) {
        // biome-ignore format: one line
        const incident = book.apply(one);
        if (incident !== null) await log.append(incident);
      }
    }
  }
}

/** As sacct -P -D would write it, steps included. */
export function accountingOf(jobs: readonly Job[]): string {
  const time = (ms: number) => String(Math.round(ms / 1000));
  const head = 'JobID|JobIDRaw|User|Account|State|Start|End|AllocTRES|NNodes|NodeList';
  const lines = jobs.flatMap(({ id, user, state, startMs, endMs, gpus, nodes }) => {
    const tres = `billing=8,cpu=${8 * nodes},gres/gpu:h100=${gpus.length * nodes},gres/gpu=${gpus.length * nodes},node=${nodes}`;
    const rest = `${state === 'CANCELLED' ? 'CANCELLED by 0' : state}|${time(startMs)}|${time(endMs)}|${tres}|${nodes}|${nodes === 1 ? 'node-3' : 'node-[3-4]'}`;
    const raw = rawOf(id);
    return [
      `${id}|${raw}|${user}|nlp|${rest}`,
      `${id}.batch|${raw}.batch||nlp|${rest}`,
      `${id}.0|${raw}.0||nlp|${rest}`,
    ];
  });
  return [
    head,
    ...lines,
    `77|77|dave|nlp|COMPLETED|${time(MONDAY)}|${time(MONDAY + HOUR)}|gres/gpu=8|1|node-9`,
    '',
  ].join('\n');
}
