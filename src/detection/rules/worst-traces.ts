// Worst traces: of services, which requests were slowest or failed lately, so that what is reported of them leads to their traces.

import type { SampleBatch } from '../../model/record.ts';
import { parseTraceparent } from '../../model/trace.ts';

const MOST_SERIES = 4096;
const KEPT = 32;
const REPORTED = 5;

interface Seen {
  readonly timeMs: number;
  readonly value: number;
  readonly traceparent: string;
}

export class WorstTraces {
  readonly #seen = new Map<string, Seen[]>();

  /** Only services send one with each of their samples. */
  take({ keys, timesMs, values, traceparent }: SampleBatch): void {
    if (traceparent === undefined || parseTraceparent(traceparent) === null) return;
    const key = keys.at(-1) ?? '';
    if (!key.startsWith('service/')) return;
    const known = this.#seen.get(key) ?? [];
    if (known.length === 0 && this.#seen.size >= MOST_SERIES) return;
    known.push({ timeMs: timesMs.at(-1) ?? 0, value: values.at(-1) ?? 0, traceparent });
    if (known.length > KEPT) known.shift();
    this.#seen.set(key, known);
  }

  /** The worst since `fromMs`, worst first, as one text of traceparents; null where none is known. */
  of(key: string, fromMs: number): string | null {
    const known = (this.#seen.get(key) ?? []).filter(({ timeMs }) => timeMs >= fromMs);
    const worst = [...known].sort((a, b) => b.value - a.value || a.timeMs - b.timeMs).slice(0, REPORTED);
    return worst.length === 0 ? null : worst.map(({ traceparent }) => traceparent).join(' ');
  }
}
