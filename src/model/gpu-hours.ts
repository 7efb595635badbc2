// GPU-hours: how much work was lost up to a time, each GPU counted once, within an incident and over several.

import { type Component, componentText } from './component.ts';
import type { GpuHourRate, Impact, Incident, Loss } from './incident.ts';

const HOUR_MS = 3_600_000;

export interface Lost {
  readonly gpuHours: number;
  /** Null where no rate is configured. */
  readonly cost: GpuHourRate | null;
  /** Hours of the same job that incidents which opened earlier count, and their ids; null where none does. */
  readonly elsewhere: { readonly gpuHours: number; readonly incidentIds: readonly string[] } | null;
}

/** The job or service whose work is lost, else the device: what counts once at each moment. */
export function lossOwner(component: Component): string {
  const job = jobOf(component);
  if (job === null) return componentText(component);
  return component.type === 'service' ? `service/${job}` : `job/${job}`;
}

/** Of one impact alone: GPUs × time × share of their work, less what another incident counts of it. */
export function gpuHoursOf(loss: Loss, asOfMs: number): number {
  let hours = 0;
  for (const piece of pieces([loss], asOfMs)) {
    if (piece.holds(loss)) hours += piece.hours * (loss.gpus * loss.share - taken(loss, piece));
  }
  return hours;
}

/**
 * Of all impacts together, up to the end of the incident or `nowMs`; null where none is known. A job counts with what is
 * worst for it at each moment, and lost GPUs are not counted again besides the jobs that wait for them: where
 * both are reported, the larger counts. So it is rather too little than too much. What an incident that opened earlier counts
 * of the same job at the same moment is taken off: over all incidents an hour counts once.
 */
export function lostOf(
  incident: Pick<Incident, 'impact' | 'state' | 'updatedMs' | 'resolvedMs'>,
  nowMs: number,
): Lost | null {
  const asOfMs = incident.state === 'open' ? Math.max(nowMs, incident.updatedMs) : (incident.resolvedMs ?? nowMs);
  const counted = incident.impact.flatMap((impact) =>
    impact.loss === undefined ? [] : [{ impact, loss: impact.loss }],
  );
  const [first] = counted;
  if (first === undefined) return null;
  const losses = counted.map(({ loss }) => loss);
  let gpuHours = 0;
  let others = 0;
  for (const piece of pieces(losses, asOfMs)) {
    const { own, elsewhere } = gpusDuring(counted, piece);
    gpuHours += piece.hours * own;
    others += piece.hours * elsewhere;
  }
  const { rate } = first.loss;
  const ids = new Set(losses.flatMap(({ elsewhere }) => elsewhere?.map(({ incidentId }) => incidentId) ?? []));
  return {
    gpuHours,
    cost: rate === null ? null : { amount: gpuHours * rate.amount, currency: rate.currency },
    elsewhere: ids.size === 0 ? null : { gpuHours: others, incidentIds: [...ids] },
  };
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number | null;
}

/** The time between two changes of anything. */
interface Piece {
  readonly hours: number;
  holds(span: Span): boolean;
}

function pieces(losses: readonly Loss[], asOfMs: number): Piece[] {
  const end = ({ toMs }: Span): number => Math.min(toMs ?? asOfMs, asOfMs);
  const spans: Span[] = losses.flatMap((loss) => [loss, ...(loss.elsewhere ?? [])]);
  const times = [...new Set(spans.flatMap((span) => [span.fromMs, end(span)]))].sort((a, b) => a - b);
  return times.slice(0, -1).map((fromMs, index) => {
    const toMs = times[index + 1] ?? fromMs;
    return { hours: (toMs - fromMs) / HOUR_MS, holds: (span) => span.fromMs <= fromMs && end(span) >= toMs };
  });
}

/** GPUs of this loss that others count during a piece: the largest of them, and no more than are lost. */
function taken({ gpus, share, elsewhere = [] }: Loss, piece: Piece): number {
  const most = elsewhere.reduce((sum, other) => (piece.holds(other) ? Math.max(sum, other.gpus) : sum), 0);
  return Math.min(most, gpus * share);
}

function gpusDuring(
  counted: readonly { readonly impact: Impact; readonly loss: Loss }[],
  piece: Piece,
): { own: number; elsewhere: number } {
  const owners = new Map<string, { isJob: boolean; whole: number; taken: number }>();
  for (const { impact, loss } of counted) {
    if (!piece.holds(loss)) continue;
    const isJob = jobOf(impact.component) !== null;
    const key = isJob ? lossOwner(impact.component) : `${owners.size}`;
    const { whole, taken: others } = owners.get(key) ?? { whole: 0, taken: 0 };
    owners.set(key, {
      isJob,
      whole: Math.max(whole, loss.gpus * loss.share),
      taken: Math.max(others, taken(loss, piece)),
    });
  }
  const sum = (isJob: boolean, of: (owner: { whole: number; taken: number }) => number): number =>
    [...owners.values()].reduce((total, owner) => (owner.isJob === isJob ? total + of(owner) : total), 0);
  const jobs = sum(true, ({ whole }) => whole);
  const devices = sum(false, ({ whole }) => whole);
  const elsewhere = sum(jobs >= devices, ({ taken: others }) => others);
  return { own: Math.max(jobs, devices) - elsewhere, elsewhere };
}

function jobOf({ type, id }: Component): string | null {
  if (type === 'rank') return id.slice(0, Math.max(id.lastIndexOf('/'), 0));
  return type === 'job' || type === 'service' ? id : null;
}
