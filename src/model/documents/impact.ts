// Impact documents: what an incident hit, with GPU-hours and their cost counted up to a time.

import { gpuHoursOf } from '../gpu-hours.ts';
import type { CountedElsewhere, Impact, Loss, WorkTrace } from '../incident.ts';
import * as read from './fields.ts';
import { computedTime } from './fields.ts';

export interface ImpactDocument extends Omit<Impact, 'loss' | 'traces'> {
  /** Of a service: the traces of its slowest or failed requests, worst first; left out where none came. */
  readonly traces?: readonly { readonly trace_id: string; readonly span_id: string }[];
  readonly loss: {
    readonly gpus: number;
    readonly share: number;
    readonly from: string;
    /** Null while it lasts. */
    readonly to: string | null;
    /** What incidents that opened earlier count of the same job or device: GPUs × share; empty for nothing. */
    readonly counted_under: readonly {
      readonly incident: string;
      readonly gpus: number;
      readonly from: string;
      readonly to: string | null;
    }[];
  } | null;
  /** Up to `to`, the end of the incident or `updated_at`, whichever is first, less what is counted under other incidents. */
  readonly gpu_hours: number | null;
  /** Null where no rate is configured. */
  readonly cost: { readonly amount: number; readonly currency: string; readonly per_gpu_hour: number } | null;
}

/** Six digits: a few milliseconds of one GPU. */
function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

export function impactToDocument({ loss, traces, ...rest }: Impact, asOfMs: number): ImpactDocument {
  const listed = traces?.map(({ traceId, spanId }) => ({ trace_id: traceId, span_id: spanId }));
  const impact = listed === undefined ? rest : { ...rest, traces: listed };
  if (loss === undefined) return { ...impact, loss: null, gpu_hours: null, cost: null };
  const { gpus, share, fromMs, toMs, rate, elsewhere = [] } = loss;
  const hours = rounded(gpuHoursOf(loss, asOfMs));
  return {
    ...impact,
    loss: {
      gpus,
      share,
      ...spanTo(fromMs, toMs),
      counted_under: elsewhere.map((other) => ({
        incident: other.incidentId,
        gpus: rounded(other.gpus),
        ...spanTo(other.fromMs, other.toMs),
      })),
    },
    gpu_hours: hours,
    cost:
      rate === null
        ? null
        : { amount: rounded(hours * rate.amount), currency: rate.currency, per_gpu_hour: rate.amount },
  };
}

function spanTo(fromMs: number, toMs: number | null): { from: string; to: string | null } {
  return { from: computedTime(fromMs), to: toMs === null ? null : computedTime(toMs) };
}

/** Throws `Unreadable`. Documents of before GPU-hours were counted have no loss. */
export function impactFrom(value: unknown): Impact {
  const from = read.fields(value);
  const loss = lossFrom(from.loss, from.cost);
  const traces = read.listOrEmpty(from.traces, traceFrom);
  return {
    component: read.component(from.component),
    quantity: read.text(from.quantity),
    before: read.numberOrNull(from.before),
    after: read.numberOrNull(from.after),
    unit: read.text(from.unit),
    text: read.text(from.text),
    ...(loss === null ? {} : { loss }),
    ...(traces.length === 0 ? {} : { traces }),
  };
}

function traceFrom(value: unknown): WorkTrace {
  const from = read.fields(value);
  return { traceId: read.text(from.trace_id), spanId: read.text(from.span_id) };
}

function lossFrom(value: unknown, cost: unknown): Loss | null {
  if (value === undefined || value === null) return null;
  const from = read.fields(value);
  const priced = cost === undefined || cost === null ? null : read.fields(cost);
  const elsewhere = read.listOrEmpty(from.counted_under, countedFrom);
  return {
    gpus: read.count(from.gpus),
    share: read.number(from.share),
    ...spanFrom(from),
    ...(elsewhere.length === 0 ? {} : { elsewhere }),
    rate: priced === null ? null : { amount: read.number(priced.per_gpu_hour), currency: read.text(priced.currency) },
  };
}

function countedFrom(value: unknown): CountedElsewhere {
  const from = read.fields(value);
  return { incidentId: read.text(from.incident), gpus: read.number(from.gpus), ...spanFrom(from) };
}

function spanFrom(from: read.Fields): { fromMs: number; toMs: number | null } {
  const toMs = from.to === null || from.to === undefined ? null : read.timeMs(from.to);
  return { fromMs: read.timeMs(from.from), toMs };
}
