// Service load: the requests of one service in windows of ten seconds → samples of its latency, errors and throughput.

import { seriesKey } from '../../../model/reading.ts';
import type { SampleBatch } from '../../../model/record.ts';
import { LatencySketch } from './latency-sketch.ts';
import { Usual } from './usual.ts';

export const WINDOW_MS = 10_000;
/** Exporters send what ended up to five seconds ago (OTEL_BSP_SCHEDULE_DELAY). */
export const LATE_MS = 6000;
/** What is older is not taken; what lies so far ahead comes from another clock. */
export const OLDEST_MS = 60_000;
export const AHEAD_MS = 5000;
/** A percentile is worth its name from so many requests on; they are collected for a minute at most. */
const PERCENTILES = [
  { name: 'p50_latency', share: 0.5, least: 10 },
  { name: 'p95_latency', share: 0.95, least: 120 },
  { name: 'p99_latency', share: 0.99, least: 300 },
] as const;
const COLLECT_MS = 60_000;
const LEAST_FOR_ERRORS = 20;
/** By its own middle, and by what it is now and then: what is less is not judged, and the detectors wait. */
const HIGH = 1.5;
const EXCESS = 1.5;
/** A usual share of errors that is less counts as this, so that two in a thousand are no multiple of none. */
const LEAST_ERRORS = 0.005;
/** After so long without a request, what was slow is over with them. */
const SILENT_MS = 120_000;

/** Requests that were alike enough to be reported as one: a span, or those of a bucket. */
export interface Requests {
  readonly endMs: number;
  readonly durationMs: number;
  readonly count: number;
  readonly isError: boolean;
  /** W3C; null where no trace is known. */
  readonly traceparent: string | null;
  /** How long the window was in which they were counted, where they come counted. */
  readonly periodMs?: number;
}

interface Window {
  readonly sketch: LatencySketch;
  errors: number;
  periodMs: number;
  slowest: { readonly ms: number; readonly traceparent: string } | null;
  failed: string | null;
}

interface Collected {
  sketch: LatencySketch;
  sinceMs: number;
  slowest: Window['slowest'];
}

export class ServiceLoad {
  readonly #component: string;
  readonly #source: string;
  readonly #windows = new Map<number, Window>();
  readonly #collected = new Map<string, Collected>();
  readonly #usual = new Map<string, Usual>();
  /** What was last reported of each percentile. */
  readonly #last = new Map<string, number>();
  #errors = { count: 0, failed: 0, sinceMs: 0, trace: null as string | null };
  #closedMs = Number.NEGATIVE_INFINITY;
  #heardMs = 0;

  constructor(component: string, source: string) {
    this.#component = component;
    this.#source = source;
  }

  get heardMs(): number {
    return this.#heardMs;
  }

  get waits(): boolean {
    return this.#windows.size > 0 || this.#last.size > 0;
  }

  /** False for what ended too long ago or lies ahead. */
  take(requests: Requests, nowMs: number): boolean {
    const { endMs, durationMs, count, isError, traceparent, periodMs = WINDOW_MS } = requests;
    if (endMs < nowMs - OLDEST_MS || endMs > nowMs + AHEAD_MS) return false;
    this.#heardMs = nowMs;
    // What comes after its window was closed counts in the oldest that is open.
    const at = Math.max(Math.floor(endMs / WINDOW_MS) * WINDOW_MS, this.#closedMs);
    let window = this.#windows.get(at);
    if (window === undefined) {
      window = { sketch: new LatencySketch(), errors: 0, periodMs, slowest: null, failed: null };
      this.#windows.set(at, window);
    }
    window.sketch.add(durationMs, count);
    window.periodMs = Math.max(window.periodMs, periodMs);
    if (isError) window.errors += count;
    if (traceparent === null) return true;
    if (durationMs > (window.slowest?.ms ?? 0)) window.slowest = { ms: durationMs, traceparent };
    if (isError) window.failed = traceparent;
    return true;
  }

  /** Samples of the windows that are over by now; their times are wall clock. */
  settle(nowMs: number): SampleBatch[] {
    const batches: SampleBatch[] = [];
    for (const at of [...this.#windows.keys()].sort((a, b) => a - b)) {
      const window = this.#windows.get(at);
      if (window === undefined || at + WINDOW_MS + LATE_MS > nowMs) break;
      this.#windows.delete(at);
      this.#closedMs = at + WINDOW_MS;
      batches.push(...this.#close(window, at + WINDOW_MS));
    }
    if (this.#windows.size === 0 && this.#last.size > 0 && nowMs - this.#heardMs > SILENT_MS)
      batches.push(...this.#silent(nowMs));
    return batches;
  }

  #close(window: Window, endMs: number): SampleBatch[] {
    const batches = PERCENTILES.flatMap(({ name, share, least }) => {
      const collected = this.#collected.get(name) ?? { sketch: new LatencySketch(), sinceMs: endMs, slowest: null };
      collected.sketch.merge(window.sketch);
      if ((window.slowest?.ms ?? 0) > (collected.slowest?.ms ?? 0)) collected.slowest = window.slowest;
      this.#collected.set(name, collected);
      const enough = collected.sketch.count >= least;
      if (!enough && endMs - collected.sinceMs + WINDOW_MS < COLLECT_MS) return [];
      this.#collected.delete(name);
      const ms = enough ? collected.sketch.quantile(share) : null;
      return ms === null ? [] : [this.#latency(name, ms, endMs, collected.slowest?.traceparent ?? null)];
    });
    // Throughput last: its detector asks what the latency is.
    return [
      ...batches,
      ...this.#errorShare(window, endMs),
      this.#throughput((window.sketch.count / window.periodMs) * 1000, endMs),
    ];
  }

  #throughput(rate: number, endMs: number): SampleBatch {
    const usual = this.#usualOf('request_rate');
    const median = usual.median;
    usual.take(rate);
    const known = median === null ? [] : [['usual_request_rate', median] as const];
    return this.#batch([...known, ['request_rate', rate]], endMs, null);
  }

  #latency(name: string, ms: number, timeMs: number, traceparent: string | null): SampleBatch {
    const usual = this.#usualOf(name);
    const median = usual.median;
    const excess = usual.take(ms);
    this.#last.set(name, ms);
    const ratio = median === null || median === 0 ? null : ms / median;
    // High, but no higher than now and then: neither a fault nor the end of one.
    const isClear = excess === null || ratio === null || excess > EXCESS || ratio < HIGH;
    const known: [string, number][] = [[`${name}_judged`, isClear ? 1 : 0]];
    if (ratio !== null) known.push([`${name}_ratio`, ratio]);
    return this.#batch([...known, [name, ms / 1000]], timeMs, traceparent);
  }

  #errorShare(window: Window, endMs: number): SampleBatch[] {
    const errors = this.#errors;
    if (errors.count === 0) errors.sinceMs = endMs;
    errors.count += window.sketch.count;
    errors.failed += window.errors;
    errors.trace = window.failed ?? errors.trace;
    const enough = errors.count >= LEAST_FOR_ERRORS;
    if (!enough && endMs - errors.sinceMs + WINDOW_MS < COLLECT_MS) return [];
    this.#errors = { count: 0, failed: 0, sinceMs: endMs, trace: null };
    if (!enough) return [];
    const share = errors.failed / errors.count;
    const usual = this.#usualOf('error_ratio');
    const median = usual.median;
    usual.take(share);
    if (median === null) return [this.#batch([['error_ratio', share]], endMs, errors.trace)];
    const samples: [string, number][] = [
      ['failed_requests', errors.failed],
      ['usual_error_ratio', median],
      ['error_increase', share / Math.max(median, LEAST_ERRORS)],
    ];
    return [this.#batch([...samples, ['error_ratio', share]], endMs, errors.trace)];
  }

  /** As the last word of each: its usual value. */
  #silent(nowMs: number): SampleBatch[] {
    const known = [...this.#last.keys()].flatMap((name) => {
      const median = this.#usual.get(name)?.median ?? null;
      return median === null ? [] : [[name, median / 1000] as const];
    });
    this.#last.clear();
    return known.length === 0 ? [] : [this.#batch(known, nowMs, null)];
  }

  #usualOf(name: string): Usual {
    let usual = this.#usual.get(name);
    if (usual === undefined) {
      usual = new Usual();
      this.#usual.set(name, usual);
    }
    return usual;
  }

  #batch(samples: readonly (readonly [string, number])[], timeMs: number, traceparent: string | null): SampleBatch {
    return {
      source: this.#source,
      trust: 'tenant',
      keys: samples.map(([quantity]) => seriesKey(this.#component, quantity)),
      timesMs: samples.map(() => timeMs),
      values: samples.map(([, value]) => value),
      ...(traceparent === null ? {} : { traceparent }),
    };
  }
}
