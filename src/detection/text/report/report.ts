// Report: what a program printed of the state of devices when it was asked, rather than a log of what happened.

import { componentText } from '../../../model/component.ts';
import type { DeviceState, Reading } from '../../../model/reading.ts';
import type { EventInput, TextRecord } from '../../../model/record.ts';
import { lineEvidence, recordTime } from '../evidence.ts';
import type { StateFinding } from '../kernel/finding.ts';
import type { EventAge } from './event-age.ts';

export interface Reported {
  readonly readings: readonly Reading[];
  readonly states: readonly DeviceState[];
  readonly findings: readonly ReportedFinding[];
}

export interface ReportedFinding extends StateFinding {
  /** Where the report says when it was. */
  readonly timeMs?: number;
  /** How long before it was printed that was, where the report says only this. */
  readonly age?: EventAge;
  /** Whether it says of which zone that is; left out: it does. */
  readonly zoned?: boolean;
  /** The lines that it rests on, where that is not the last one alone. */
  readonly lines?: readonly string[];
}

export interface ReportReader {
  readonly form: string;
  /** What the line reports; null where it is none of this reader's lines. */
  take(line: string): Reported | null;
  /** What it kept to the end of the text. */
  end?(): Reported | null;
}

export const NOTHING: Reported = { readings: [], states: [], findings: [] };

const UNITS: Readonly<Record<string, readonly [scale: number, unit: string]>> = {
  MHz: [1e6, 'Hz'],
  GHz: [1e9, 'Hz'],
  W: [1, 'W'],
  C: [1, '°C'],
  '%': [0.01, '1'],
  MiB: [1_048_576, 'B'],
};
/** Of one device; beyond it is a marker of a value that is not there. */
const MOST: Readonly<Record<string, number>> = { Hz: 1e11, W: 1e5, '°C': 200, '1': 1, B: 1e15 };

/** "699.81 W" in SI; null where it is not a number, or one that no device has. `unit`: where the text has none. */
export function quantityOf(text: string, unit = ''): { readonly value: number; readonly unit: string } | null {
  const [, digits, written] = /^(-?\d{1,20}(?:\.\d{1,12})?) ?(MHz|GHz|W|C|%|MiB)?$/.exec(text.trim()) ?? [];
  const known = UNITS[written ?? unit];
  if (digits === undefined || known === undefined) return null;
  const value = Number(digits) * known[0];
  return Math.abs(value) <= (MOST[known[1]] ?? 0) ? { value: Number(value.toPrecision(12)), unit: known[1] } : null;
}

/** Of one report: what it says of one place twice is one event. */
export function reportEvents(record: TextRecord, { findings }: Reported, form: string): EventInput[] {
  return findings.map(({ timeMs, zoned, discriminator, lines = [], age, ...finding }) => {
    const seen = lineEvidence(lines.length === 0 ? record : { ...record, text: lines.join('; ') });
    const latestMs = age === undefined ? null : recordTime(record) - age.seconds * 1000;
    const saidMs = timeMs ?? latestMs;
    return {
      ...finding,
      // Lines of a short text are a little apart, so that they keep their order; what one report says twice is of one time.
      timeMs: saidMs ?? (record.timeMs === null ? Math.floor(recordTime(record)) : recordTime(record)),
      timeDigits: 0,
      ...(age === undefined || latestMs === null
        ? {}
        : { interval: { earliestMs: latestMs - age.within * 1000, latestMs } }),
      // What a report dates itself was seen then, however much later it was saved.
      observedMs: saidMs ?? Math.max(recordTime(record), record.observedMs),
      trust: 'system',
      source: form.replaceAll('_', '-'),
      evidence: [{ ...seen, source: form.replaceAll('_', '-'), ...(saidMs === null ? {} : { timeMs: saidMs }) }],
      // What has a date of its own in it happened then.
      ...(age === undefined && zoned === undefined ? { looked: true } : {}),
      discriminator: `${record.stream} ${discriminator ?? (finding.component === null ? '' : componentText(finding.component))}`,
    };
  });
}
