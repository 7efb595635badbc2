// Evidence as documents show it: verbatim text, or a series of readings.

import type { Evidence } from '../event.ts';
import * as read from './fields.ts';
import { computedTime } from './fields.ts';

export type EvidenceDocument =
  | { readonly source: string; readonly time: string; readonly text: string; readonly place?: string }
  | {
      readonly source: string;
      readonly series: string;
      /** Pairs of RFC 3339 time and SI value. */
      readonly values: readonly (readonly [string, number | null])[];
    };

export function evidenceToDocument(evidence: Evidence): EvidenceDocument {
  if ('text' in evidence) {
    const { source, timeMs, text, place } = evidence;
    return { source, time: computedTime(timeMs), text, ...(place === undefined ? {} : { place }) };
  }
  const values = evidence.values.map(
    ([timeMs, value]) => [computedTime(timeMs), Number.isFinite(value) ? value : null] as const,
  );
  return { source: evidence.source, series: evidence.series, values };
}

export function evidenceFrom(value: unknown): Evidence {
  const from = read.fields(value);
  const source = read.text(from.source);
  if (typeof from.text === 'string') {
    const place = typeof from.place === 'string' ? { place: from.place } : {};
    return { source, timeMs: read.timeMs(from.time), text: from.text, ...place };
  }
  const values = read.list(from.values, (pair) => {
    const [time, sample] = read.list(pair, (item) => item);
    return [read.timeMs(time), read.numberOrNull(sample) ?? Number.NaN] as const;
  });
  return { source, series: read.text(from.series), values };
}
