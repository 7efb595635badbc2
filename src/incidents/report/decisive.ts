// Decisive: the one line that an event was known by, as the kernel or the program wrote it.

import type { FaultEvent } from '../../model/event.ts';
import { plain } from '../../model/plain.ts';

const LONGEST = 240;
const END = 80;
/** A row that has a text of this length or more says all of it already. */
const LEAST = 12;

/**
 * `KeyError: 'labels'`, or the line itself; null where there is no text, which is so for readings: their change is in the row.
 * Of several equal events of siblings the first speaks for all.
 */
export function decisiveText(events: readonly FaultEvent[]): string | null {
  for (const { attributes, evidence } of events) {
    const { exception, message } = attributes;
    if (typeof exception === 'string' && exception !== '') {
      return shortened(typeof message === 'string' && message !== '' ? `${exception}: ${message}` : exception);
    }
    const [line, next] = evidence.flatMap((each) => ('text' in each && each.text.trim() !== '' ? [each] : []));
    if (line !== undefined) return shortened(withRest(line, next));
  }
  return null;
}

/** Drivers print a sentence in several lines. */
const UNFINISHED = /(?:,| but| and| or| the| of)$/;

/** With the next line where the sentence continues in it. */
function withRest(line: Line, next: Line | undefined): string {
  const text = line.text.trim();
  if (next === undefined || !UNFINISHED.test(text) || lineAfter(line) !== next.place) return text;
  return `${text} ${next.text
    .trim()
    .replace(/^NVRM: /, '')
    .replace(/\. {1,2}\w+$/, '.')}`;
}

interface Line {
  readonly text: string;
  readonly place?: string | undefined;
}

/** `kern.log:22` of `kern.log:21`. */
function lineAfter({ place = '' }: Line): string {
  return place.replace(/:(\d{1,15})$/, (_, number: string) => `:${Number(number) + 1}`);
}

/** Kept by what is shown: nothing twice, and nothing that the row says itself, in whatever order and with whatever signs between. */
export function isNewText(text: string, row: string, shown: Set<string>): boolean {
  if (shown.has(text) || (text.length >= LEAST && saysAll(row, text))) return false;
  shown.add(text);
  return true;
}

function saysAll(row: string, text: string): boolean {
  const known = new Set(wordsOf(row));
  return wordsOf(text).every((word) => known.has(word));
}

/** Words and numbers; `2,009` in a row is the `2009` of its source. */
function wordsOf(text: string): string[] {
  return text.replace(/(?<=\d),(?=\d{3})/g, '').match(/[\p{L}\p{N}_.]+/gu) ?? [];
}

function shortened(text: string): string {
  const whole = text.trim();
  if (whole.length <= LONGEST) return plain(whole, LONGEST);
  // What went wrong often ends the line.
  return `${plain(whole.slice(0, LONGEST - END).trimEnd(), LONGEST)} … ${plain(whole.slice(-END).trimStart(), END)}`;
}
