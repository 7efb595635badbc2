// Losses: which GPU-hours of which job an incident took, from when to when; each GPU once, within it and over several.

import { lossOwner } from '../../model/gpu-hours.ts';
import type { Incident, Loss } from '../../model/incident.ts';

/** GPUs of one job that did no work from one time to another. */
export interface LostSpan {
  /** Null where the device worked for no job that is known. */
  readonly job: string | null;
  readonly fromMs: number;
  readonly toMs: number;
  /** GPUs × share of their work. */
  readonly gpus: number;
  /** The job did nothing at all any more. */
  readonly stopped: boolean;
}

interface Owned {
  readonly owner: string;
  readonly job: string | null;
  readonly isJob: boolean;
  readonly loss: Loss;
  readonly toMs: number;
}

/** `asOfMs`: up to when an open incident counts. */
export function lossesOf(incident: Incident, asOfMs: number): LostSpan[] {
  const { mergedInto, made, state, resolvedMs } = incident;
  if (mergedInto !== null || made === 'injected') return [];
  const endMs = state === 'open' ? asOfMs : Math.min(resolvedMs ?? asOfMs, asOfMs);
  const owned = incident.impact.flatMap(({ component, loss }): Owned[] => {
    if (loss === undefined) return [];
    const owner = lossOwner(component);
    const isJob = owner.startsWith('job/') || owner.startsWith('service/');
    const job = isJob ? owner.slice(owner.indexOf('/') + 1) : jobOfDevice(incident);
    return [{ owner, job, isJob, loss, toMs: Math.min(loss.toMs ?? endMs, endMs) }];
  });
  const times = [...new Set(owned.flatMap(({ loss, toMs }) => [loss.fromMs, toMs, ...takenTimes(loss, endMs)]))];
  times.sort((a, b) => a - b);
  return times.slice(0, -1).flatMap((fromMs, at) => during(owned, fromMs, times[at + 1] ?? fromMs));
}

function takenTimes({ elsewhere = [] }: Loss, endMs: number): number[] {
  return elsewhere.flatMap(({ fromMs, toMs }) => [fromMs, Math.min(toMs ?? endMs, endMs)]);
}

/** Of what is worst for each owner less what other incidents count; devices do not count besides the jobs that wait for them. */
function during(owned: readonly Owned[], fromMs: number, toMs: number): LostSpan[] {
  const here = owned.filter((one) => one.loss.fromMs <= fromMs && one.toMs >= toMs);
  const isAnyJob = here.some(({ isJob }) => isJob);
  const counted = here.filter(({ isJob }) => isJob === isAnyJob);
  return [...Map.groupBy(counted, ({ owner }) => owner).values()].flatMap((all) => {
    const most = Math.max(...all.map(({ loss }) => loss.gpus * loss.share));
    const taken = Math.max(...all.map(({ loss }) => takenDuring(loss, fromMs, toMs)));
    const gpus = most - Math.min(taken, most);
    const stopped = all.some(({ loss }) => loss.share >= 1);
    return gpus <= 0 ? [] : [{ job: all[0]?.job ?? null, fromMs, toMs, gpus, stopped }];
  });
}

function takenDuring({ elsewhere = [] }: Loss, fromMs: number, toMs: number): number {
  const holds = elsewhere.filter((other) => other.fromMs <= fromMs && (other.toMs ?? Infinity) >= toMs);
  return Math.max(0, ...holds.map(({ gpus }) => gpus));
}

/** The one job that was hit; of several it is not known whose hours they are. */
function jobOfDevice({ whose = [] }: Incident): string | null {
  const jobs = new Set(whose.flatMap(({ job, by }) => (job === null || by === 'host' ? [] : [job])));
  const [job, ...others] = jobs;
  return job !== undefined && others.length === 0 ? job : null;
}
