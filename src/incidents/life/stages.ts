// Stages: the life of one incident, from what was done and from what became of it. Pure: the same acts in any order give the same.

import type { Incident } from '../../model/incident.ts';
import { type Outcome, OWN_SOURCE, type Stage, type StageError } from '../../model/stage.ts';
import { type Act, conditionOfAct, isOwn } from './act.ts';
import { beganMs, concerns } from './concerns.ts';

/** A fault that is still there so long after its remedy is not remedied: a device has a minute after a reset, a host five to boot. */
export const VERIFY_MS = 900_000;
const MOST_ACTS = 48;
/** A source sees what this daemon did itself within a poll of the scheduler. */
const SAME_MS = 600_000;
/** The longest that a driver tries. */
const RESET_MS = 180_000;

type Step = Omit<Stage, 'waitMs'>;

/** Empty where nothing was done about it. `nowMs`: how far event time has come. */
export function stagesOf(incident: Incident, acts: readonly Act[], nowMs: number): readonly Stage[] {
  const ends = acts.filter(({ name }) => name === 'returned');
  const did = ({ name }: Act): boolean => name === 'quarantined' || name === 'remediated';
  const done = joined(acts.filter((act) => did(act) && concerns(incident, act)), ends); // biome-ignore format: one call
  if (done.length === 0) return [];
  const quarantines = done.filter(({ name, outcome }) => name === 'quarantined' && counts(outcome));
  const follow = (name: Act['name']): Act[] => acts.filter((act) => act.name === name && (act.incidentId ?? incident.id) === incident.id); // biome-ignore format: one call
  const steps: Step[] = [
    detected(incident),
    ...done.slice(0, MOST_ACTS).map((act) => asStep(failedReset(incident, act))),
    ...drained(quarantines, follow('drained')),
    ...returned(quarantines, follow('returned')),
  ];
  const verified = verifications(incident, steps, nowMs);
  return waited([...cancelled(steps), ...verified]);
}

const counts = (outcome: Outcome): boolean => outcome === 'succeeded' || outcome === 'in_progress';

/** What is logged as a reset is where it begins: only what follows says that one failed. */
function failedReset({ chain }: Incident, act: Act): Act {
  if (act.action !== 'gpu_reset' || act.source === OWN_SOURCE || !counts(act.outcome)) return act;
  const failed = chain.find(
    ({ kind, component, interval: { latestMs: atMs } }) =>
      kind === 'gpu.reset_failed' &&
      component?.id === act.component?.id &&
      atMs >= act.beganMs &&
      atMs - act.beganMs <= RESET_MS,
  );
  if (failed === undefined) return act;
  return { ...act, endedMs: failed.interval.latestMs, outcome: 'failed', error: null };
}

function asStep({ eventId, kind, incidentId, ...step }: Act): Step {
  return step;
}

/** Its onset and its end are one; what this daemon did itself, or what is in force already, is not shown again as seen. */
function joined(acts: readonly Act[], ends: readonly Act[]): Act[] {
  const own = acts.filter(({ source, outcome }) => source === OWN_SOURCE && counts(outcome));
  const byCondition = new Map<string, Act>();
  const all: Act[] = [];
  for (const act of [...acts].sort((a, b) => a.beganMs - b.beganMs || (a.id < b.id ? -1 : 1))) {
    const seenAgain = act.source !== OWN_SOURCE && (isOwn(act) || act.name === 'remediated');
    if (seenAgain && own.some((one) => one.action === act.action && Math.abs(one.beganMs - act.beganMs) < SAME_MS))
      continue;
    if (act.name === 'quarantined' && all.some((one) => isInForce(one, act, ends))) continue;
    const key = conditionOfAct(act);
    const open = byCondition.get(key);
    if (open !== undefined && act.name === 'remediated' && act.source !== OWN_SOURCE) {
      all[all.indexOf(open)] = { ...open, endedMs: act.endedMs, outcome: act.outcome };
      byCondition.delete(key);
      continue;
    }
    if (act.outcome === 'in_progress') byCondition.set(key, act);
    all.push(act);
  }
  return all;
}

/** The same quarantine, seen by a later look or an earlier run. */
function isInForce(one: Act, act: Act, ends: readonly Act[]): boolean {
  if (one.name !== act.name || one.action !== act.action || one.reason !== act.reason || !counts(one.outcome)) return false; // biome-ignore format: one line
  return !ends.some(({ beganMs: at }) => at >= one.beganMs && at <= act.beganMs);
}

function detected(incident: Incident): Step {
  const { openedMs, root, events } = incident;
  const first = events.find(({ id }) => id === root.eventId);
  const began = Math.min(beganMs(incident), openedMs);
  return {
    id: 'detected',
    name: 'detected',
    action: 'detect',
    component: root.component,
    by: null,
    source: first?.source ?? 'correlation',
    beganMs: began,
    endedMs: Math.max(began, first?.observedMs ?? openedMs),
    outcome: 'succeeded',
    reason: null,
    error: null,
  };
}

/** From each quarantine until the last work is gone, as far as that was seen. */
function drained(quarantines: readonly Act[], acts: readonly Act[]): Step[] {
  return quarantines.slice(0, 1).flatMap((quarantine) => {
    const after = acts.filter(({ beganMs: at }) => at >= quarantine.beganMs);
    const evicted = new Set(after.flatMap(({ action, reason }) => (action === 'evict' ? [reason ?? ''] : []))).size;
    const empty = after.find(({ action }) => action === 'drain') ?? null;
    if (evicted === 0 && empty === null) return [];
    const count = evicted === 0 ? (empty?.reason ?? null) : `${evicted} ${evicted === 1 ? 'pod' : 'pods'} taken away`;
    // While it lasts each pod would be news.
    const words = empty === null ? null : count;
    const nothing = evicted === 0 && empty?.endedMs != null && empty.endedMs - quarantine.beganMs < 1000;
    return [
      {
        id: `drained ${quarantine.id}`,
        name: 'drained' as const,
        action: evicted > 0 ? ('evict' as const) : ('drain' as const),
        component: quarantine.component,
        by: quarantine.by,
        source: (empty ?? after[0])?.source ?? quarantine.source,
        beganMs: quarantine.endedMs ?? quarantine.beganMs,
        endedMs: empty?.endedMs ?? null,
        outcome: nothing ? ('skipped' as const) : empty === null ? ('in_progress' as const) : ('succeeded' as const),
        reason: nothing ? 'nothing ran there' : words,
        error: null,
      },
    ];
  });
}

/** Every way by which it was taken out of service has one end. */
function returned(quarantines: readonly Act[], acts: readonly Act[]): Step[] {
  const [first] = quarantines;
  if (first === undefined) return [];
  const after = acts.filter(({ beganMs: at }) => at > first.beganMs);
  const own = after.filter(({ source }) => source === OWN_SOURCE);
  const seenAgain = (act: Act): boolean => act.source !== OWN_SOURCE && own.some((one) => one.action === act.action && Math.abs(one.beganMs - act.beganMs) < SAME_MS); // biome-ignore format: one line
  return after.filter((act) => !seenAgain(act)).slice(0, MOST_ACTS).map(asStep); // biome-ignore format: one chain
}

/** A quarantine that ended before anything was remedied, while the fault was there, was called off. */
function cancelled(steps: readonly Step[]): Step[] {
  return steps.map((step) => {
    if (step.name !== 'drained' || step.outcome !== 'in_progress') return step;
    const end = steps.find(({ name, beganMs: at }) => name === 'returned' && at >= step.beganMs);
    const off = end === undefined ? null : { by: end.by, endedMs: end.beganMs };
    return off === null
      ? step
      : { ...step, endedMs: off.endedMs, outcome: 'cancelled' as const, reason: 'the node was put back into service before it was empty' }; // biome-ignore format: one record
  });
}

/** Whether the fault is gone: after each remedy, or after the quarantine where none was seen. */
function verifications(incident: Incident, steps: readonly Step[], nowMs: number): Step[] {
  const remedies = steps.filter(({ name, outcome }) => name === 'remediated' && outcome === 'succeeded');
  const resolvedMs = incident.state === 'resolved' && incident.mergedInto === null ? incident.resolvedMs : null;
  if (remedies.length === 0) {
    const taken = steps.find(({ name, outcome }) => name === 'quarantined' && counts(outcome));
    if (taken === undefined || resolvedMs === null || resolvedMs < taken.beganMs) return [];
    const reason = 'it ended without a remedy that was seen';
    return [verification(incident, taken, { endedMs: resolvedMs, outcome: 'succeeded', reason, error: null })];
  }
  return remedies.map((remedy, at) => {
    const fromMs = remedy.endedMs ?? remedy.beganMs;
    const next = remedies[at + 1];
    const again = cameBack(incident, fromMs);
    const result = verdict({ fromMs, next, again, resolvedMs, nowMs });
    return verification(incident, remedy, result);
  });
}

interface Result {
  readonly endedMs: number | null;
  readonly outcome: Outcome;
  readonly reason: string | null;
  readonly error: StageError | null;
}

interface Known {
  readonly fromMs: number;
  readonly next: Step | undefined;
  readonly again: { readonly atMs: number; readonly kind: string } | null;
  readonly resolvedMs: number | null;
  readonly nowMs: number;
}

function verdict({ fromMs, next, again, resolvedMs, nowMs }: Known): Result {
  const untilMs = next?.beganMs ?? Number.POSITIVE_INFINITY;
  const failed = (endedMs: number, type: string, message: string): Result => ({ endedMs, outcome: 'failed', reason: null, error: { type, message } }); // biome-ignore format: one record
  if (again !== null && again.atMs < untilMs) return failed(again.atMs, 'came_back', `${again.kind} was seen again`);
  if (resolvedMs !== null && resolvedMs < untilMs)
    return { endedMs: Math.max(resolvedMs, fromMs), outcome: 'succeeded', reason: null, error: null };
  const lastMs = fromMs + VERIFY_MS;
  if (Math.min(nowMs, untilMs) >= lastMs) return failed(lastMs, 'still_there', 'the fault was there after 15 minutes');
  if (next !== undefined)
    return { endedMs: next.beganMs, outcome: 'cancelled', reason: 'another remedy followed', error: null };
  return { endedMs: null, outcome: 'in_progress', reason: null, error: null };
}

/** A fault of the chain that began again at its place after that time. */
function cameBack(incident: Incident, fromMs: number): Known['again'] {
  const { root, chain } = incident;
  const of = chain.find(({ eventId }) => eventId === root.eventId);
  const again = chain.find(
    ({ kind, component, interval }) =>
      kind === root.kind && component?.id === of?.component?.id && interval.earliestMs > fromMs,
  );
  if (again !== undefined) return { atMs: again.interval.earliestMs, kind: again.kind };
  const { reopenedMs } = incident;
  return reopenedMs !== null && reopenedMs > fromMs ? { atMs: reopenedMs, kind: root.kind } : null;
}

function verification(incident: Incident, after: Step, result: Result): Step {
  return {
    id: `verified ${after.id}`,
    name: 'verified',
    action: 'verify',
    component: incident.root.component,
    by: null,
    source: 'correlation',
    beganMs: after.endedMs ?? after.beganMs,
    ...result,
  };
}

/** In order, each with the time since the one before was over. */
function waited(steps: readonly Step[]): Stage[] {
  const sorted = [...steps].sort((a, b) => a.beganMs - b.beganMs || rank(a) - rank(b) || (a.id < b.id ? -1 : 1));
  let overMs: number | null = null;
  return sorted.map((step) => {
    const waitMs = overMs === null ? 0 : Math.max(0, step.beganMs - overMs);
    overMs = step.endedMs ?? step.beganMs;
    return { ...step, waitMs };
  });
}

const RANKS = ['detected', 'quarantined', 'drained', 'remediated', 'verified', 'returned'];
const rank = ({ name }: Step): number => RANKS.indexOf(name);
