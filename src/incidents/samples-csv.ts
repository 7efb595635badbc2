// Samples as CSV: the raw samples of an incident's components in a window, one row each, under a cap.

import { setImmediate as turn } from 'node:timers/promises';
import { componentText } from '../model/component.ts';
import type { Incident } from '../model/incident.ts';
import { parseSeriesKey } from '../model/reading.ts';
import { formatTime } from '../model/time.ts';
import type { NativeCore } from '../native.ts';
import { thin } from './thin.ts';

const FILE_BYTES = 4 * 1024 * 1024;
/** A rack's worth: eight GPUs with all their readings are some hundreds. */
const SERIES = 4096;
/** Time of 24 characters, a value as long as -1.234567e-300, three commas and the end of the line. */
const ROW_BYTES = 24 + 14 + 4;
const HEADER = 'time,component,quantity,value\n';

/**
 * RFC 4180, times RFC 3339, values SI with seven digits; the rows of one series follow each other in time. Null where
 * the rings hold nothing of the incident. Series too long for the file are thinned
 * to their peaks and dips.
 */
export async function samplesCsv(
  core: Pick<NativeCore, 'history' | 'seriesKeys'>,
  incident: Incident,
  fromMs: number,
  toMs: number,
): Promise<string | null> {
  const components = new Set(incident.chain.flatMap(({ component }) => (component ? [componentText(component)] : [])));
  const keys = core
    .seriesKeys()
    .filter((key) => {
      const { component } = parseSeriesKey(key);
      return components.has(component) || /^(job|rank)\//.test(component);
    })
    .slice(0, SERIES);
  const names = keys.map((key) => {
    const { component, quantity } = parseSeriesKey(key);
    return `${field(component)},${field(quantity)}`;
  });
  const lengths: number[] = [];
  for (const key of keys) {
    await turn(); // a snapshot may be large; the pipeline continues in between
    lengths.push(core.history(key, fromMs, toMs).timesMs.length);
  }
  const widest = Math.max(0, ...names.map((name) => Buffer.byteLength(name)));
  const most = mostOfEach(lengths, Math.floor((FILE_BYTES - HEADER.length) / (ROW_BYTES + widest)));
  const parts: string[] = [];
  for (const [i, key] of keys.entries()) {
    await turn();
    // A sample more than there was a moment ago must not break the cap.
    const limit = Math.min(most, lengths[i] ?? 0);
    if (limit < 1) continue;
    const { timesMs, values } = core.history(key, fromMs, toMs);
    const rows = thin(timesMs, values, limit)
      .slice(0, limit)
      .map((at) => `${formatTime(timesMs[at] ?? 0)},${names[i]},${Number((values[at] ?? 0).toPrecision(7))}\n`);
    parts.push(rows.join(''));
  }
  return parts.length === 0 ? null : HEADER + parts.join('');
}

/** How many rows a series may have so that all together have no more than `budget`: what short ones leave goes to long ones. */
export function mostOfEach(lengths: readonly number[], budget: number): number {
  let left = budget;
  let count = lengths.length;
  for (const length of lengths.toSorted((a, b) => a - b)) {
    const fair = Math.floor(left / count);
    if (length > fair) return fair;
    left -= length;
    count -= 1;
  }
  return Number.POSITIVE_INFINITY;
}

/** A job's user may have written it: quoted where it must be, without control characters. */
function field(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
  const plain = text.replaceAll(/[\u0000-\u001f\u007f]/g, ' ');
  return /[",]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/** First and last time of a file of samples; null where it is none. */
export function samplesWindow(text: string): { readonly from: string; readonly to: string } | null {
  if (!text.startsWith(HEADER)) return null;
  let from: string | null = null;
  let to: string | null = null;
  for (const row of text.slice(HEADER.length).split('\n')) {
    const time = row.slice(0, row.indexOf(','));
    if (time === '') continue;
    if (from === null || time < from) from = time;
    if (to === null || time > to) to = time;
  }
  return from === null || to === null ? null : { from, to };
}
