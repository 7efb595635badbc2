// Mail: a short text as it was before a mail program, or the page of an archive, wrote it down: quoted-printable, HTML, and lines that
// were broken for a mail's width. Of lines that become one, the first has it all and the others are empty, so that numbers stay.

import { readsAsKernel } from './form/kernel-words.ts';

/** RFC 2045, 6.7: no line is longer, and one that ends in "=" continues in the next. */
const MOST_ENCODED = 76;
const LEAST_ENCODED = 66;
const SOFT_BREAK = /[^=]=$/;
const ENCODED = /(?:=[0-9A-F]{2})+/g;
/** Such a mail has no "=" but of these; other texts have, as in "name=python". */
const NOT_ENCODED = /=(?![0-9A-F]{2}|$)/;
/** Pages of archives have the marks and line ends of the mail as HTML. */
const TAG = /<\/?(?:span|br|pre|p|div|code|blockquote|em|i|b|a|font|tt)(?:\s[^<>]{0,200})?\/?>/gi;
const LINE_END = /<br ?\/?>\s*$|<\/(?:span|p|div)>\s*$|<span class="quote/i;
const CLOSED_LINE = /^\s*<\/(?:span|p|div)>\s*(?:<br ?\/?>)?\s*$/i;
/** What is left of the end of a line, in the next one. */
const CLOSED = ' ';
const ENTITIES: Readonly<Record<string, string>> = {
  '&gt;': '>',
  '&lt;': '<',
  '&quot;': '"',
  '&#39;': "'",
  '&#x27;': "'",
  '&nbsp;': ' ',
  '&amp;': '&',
};
const ENTITY = /&(?:gt|lt|quot|#39|#x27|nbsp|amp);/g;
/** Fewer may be a line that speaks of such a thing. */
const LEAST_LINES = 2;
/** RFC 3676, format=flowed: a line that ends in a blank continues in the next; "-- " begins a signature. */
const FLOWS = /\S {1,2}$/;
/** Columns, and rules between parts of a table. */
const OF_TABLE = /\S {3,}\S.* {3,}\S|^[=+|*#-]{2}/;
const SIGNATURE = /^-- $/;
/** Mail programs break after so many characters. */
const NARROWEST = 60;
const WIDEST = 84;
/** The kernel's own stamp, or that of a log, which each of its lines has. */
const STAMPED =
  /^(?:<\d{1,3}>)?(?:\[ *\d{1,9}\.\d{3,9}\]|\[\p{L}{2,4}\.? [^\]]{14,28}\]|\[ *[CT]\d{1,10}\] |\p{L}{3,5}\.? {1,2}\d{1,2} \d\d:\d\d:\d\d |\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)/u;
/** So many lines of a log have a stamp, if those that were broken are left out. */
const MOSTLY = 0.7;

export function fromQuotedPrintable(lines: readonly string[]): readonly string[] {
  const broken = lines.filter(
    (line) => SOFT_BREAK.test(line) && line.length >= LEAST_ENCODED && line.length <= MOST_ENCODED,
  );
  if (lines.some((line) => NOT_ENCODED.test(line))) return lines;
  if (broken.length < LEAST_LINES || broken.length < lines.filter((line) => SOFT_BREAK.test(line)).length) return lines;
  const whole = joined(
    lines,
    (at) => SOFT_BREAK.test(lines[at] ?? '') && !readsAsKernel(lines[at + 1] ?? ''),
    (line) => line.slice(0, -1),
  );
  return whole.map((line) => line.replace(ENCODED, decoded));
}

function decoded(codes: string): string {
  return Buffer.from(codes.replaceAll('=', ''), 'hex').toString('utf8');
}

export function fromPage(lines: readonly string[]): readonly string[] {
  const own = lines.filter((line) => line.trim() !== '');
  if (own.filter((line) => LINE_END.test(line)).length < Math.max(LEAST_LINES, own.length / 3)) return lines;
  return lines.map((line) =>
    CLOSED_LINE.test(line) ? CLOSED : line.replace(TAG, '').replace(ENTITY, (entity) => ENTITIES[entity] ?? entity),
  );
}

/** Programs end lines in a blank, too: then all of them do, or the next one begins like it, or with a head of its own. */
export function flowed(lines: readonly string[]): readonly string[] {
  if (widest(lines) > WIDEST) return lines;
  const flows = (at: number): boolean => {
    const line = lines[at] ?? '';
    const next = lines[at + 1] === CLOSED ? lines[at + 2] : lines[at + 1];
    if (OF_TABLE.test(line) || OF_TABLE.test(next ?? '')) return false;
    return FLOWS.test(line) && !SIGNATURE.test(line) && isRest(line, next ?? '', NARROWEST);
  };
  const ends = lines.filter((line, at) => at + 1 < lines.length && FLOWS.test(line)).length;
  const rests = lines.filter((_, at) => flows(at)).length;
  const own = lines.filter((line) => line.trim() !== '').length;
  return rests === 0 || rests < MOSTLY * ends || 2 * rests > own + 1
    ? lines
    : joined(lines, flows, (line) => line.replace(/ +$/, ' '));
}

/** A log whose lines all have a stamp, but for the rests of those that were longer than a mail is wide. */
export function refilled(lines: readonly string[]): readonly string[] {
  const own = lines.filter((line) => line.trim() !== '');
  const width = widest(own);
  if (width < NARROWEST || width > WIDEST || own.length < LEAST_LINES) return lines;
  const breaks = (at: number): boolean => {
    const next = lines[at + 1] ?? '';
    return next.trim() !== '' && !STAMPED.test(next);
  };
  const rests = lines.map((_, at) => at).filter(breaks);
  const stamped = own.filter((line) => STAMPED.test(line)).length;
  const isBroken = (at: number): boolean =>
    STAMPED.test(lines[at] ?? '') && isRest(lines[at] ?? '', lines[at + 1] ?? '', width);
  const right = rests.filter(isBroken).length;
  const isWrapped = right >= LEAST_LINES && right === rests.length && stamped >= MOSTLY * (own.length - right);
  return isWrapped
    ? joined(
        lines,
        (at) => breaks(at) && isBroken(at),
        (line) => `${line.trimEnd()} `,
      )
    : lines;
}

/** The next line continues with what did not fit: it has no head of its own, does not begin like it, and its first word would have been too much for `width`. */
function isRest(line: string, next: string, width: number): boolean {
  if (next.trim() === '' || /^\s/.test(next) || STAMPED.test(next) || /^\[[\w.-]{1,64}:\d/.test(next)) return false;
  if (readsAsKernel(next)) return false;
  const [word = ''] = next.split(' ', 1);
  if (line.startsWith(word)) return false;
  return line.trimEnd().length + 1 + word.length > width;
}

function widest(lines: readonly string[]): number {
  return lines.reduce((most, line) => Math.max(most, line.trimEnd().length), 0);
}

function joined(
  lines: readonly string[],
  goesOn: (at: number) => boolean,
  open: (line: string) => string,
): readonly string[] {
  const whole: string[] = [];
  let first: number | null = null;
  for (const [at, line] of lines.entries()) {
    const more = goesOn(at);
    const text = more ? open(line) : line;
    if (first === null) whole.push(text);
    else {
      if (text !== CLOSED) whole[first] += text;
      whole.push('');
    }
    if (text !== CLOSED || first === null) first = more ? (first ?? at) : null;
  }
  return whole;
}
