// GPU-hours: how much work was lost up to a time, each GPU counted once.

import type { Component } from './component.ts';
import type { GpuHourRate, Impact, Incident, Loss } from './incident.ts';

const HOUR_MS = 3_600_000;

export interface Lost {
  readonly gpuHours: number;
  /** Null where no rate is configured. */
  readonly cost: GpuHourRate | null;
}

function endMs(loss: Loss, asOfMs: number): number {
  return Math.min(loss.toMs ?? asOfMs, asOfMs);
}

/** Of one impact alone: GPUs × time × share of their work. */
export function gpuHoursOf(loss: Loss, asOfMs: number): number {
  return (Math.max(0, endMs(loss, asOfMs) - loss.fromMs) / HOUR_MS) * loss.gpus * loss.share;
}

/**
 * Of all impacts together, up to the end of the incident or `nowMs`; null where none is known. A job counts with what is
 * worst for it at each moment, and lost GPUs are not counted again beside the jobs that stand still for them: where
 * both are told, the larger counts. So it is rather too little than too much.
 */
export function lostOf(
  incident: Pick<Incident, 'impact' | 'state' | 'updatedMs' | 'resolvedMs'>,
  nowMs: number,
): Lost | null {
  const asOfMs = incident.state === 'open' ? Math.max(nowMs, incident.updatedMs) : (incident.resolvedMs ?? nowMs);
  const told = incident.impact.flatMap((impact) => (impact.loss === undefined ? [] : [{ impact, loss: impact.loss }]));
  const [first] = told;
  if (first === undefined) return null;
  const times = [...new Set(told.flatMap(({ loss }) => [loss.fromMs, endMs(loss, asOfMs)]))].sort((a, b) => a - b);
  let gpuHours = 0;
  for (const [index, fromMs] of times.entries()) {
    const toMs = times[index + 1];
    if (toMs === undefined) break;
    const during = told.filter(({ loss }) => loss.fromMs <= fromMs && endMs(loss, asOfMs) >= toMs);
    gpuHours += ((toMs - fromMs) / HOUR_MS) * gpusDuring(during);
  }
  const { rate } = first.loss;
  return { gpuHours, cost: rate === null ? null : { amount: gpuHours * rate.amount, currency: rate.currency } };
}

function gpusDuring(during: readonly { readonly impact: Impact; readonly loss: Loss }[]): number {
  const jobs = new Map<string, number>();
  let lost = 0;
  for (const { impact, loss } of during) {
    const whole = loss.gpus * loss.share;
    const job = jobOf(impact.component);
    if (job === null) lost += whole;
    else jobs.set(job, Math.max(jobs.get(job) ?? 0, whole));
  }
  return Math.max(
    lost,
    [...jobs.values()].reduce((sum, gpus) => sum + gpus, 0),
  );
}

function jobOf({ type, id }: Component): string | null {
  if (type === 'rank') return id.slice(0, Math.max(id.lastIndexOf('/'), 0));
  return type === 'job' || type === 'service' ? id : null;
}
