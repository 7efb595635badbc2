// Bug report: what nvidia-bug-report.sh wrote, taken apart into its sections, each as an input of its own: what a program or a file said.

import type { Bytes } from './bytes.ts';
import { KnownTimes } from './known-times.ts';
import type { SavedInput } from './saved-input.ts';

const MOST_NAME = 80;
/** A report has some two hundred; each is read with readers of its own, and what is beyond stays part of the last. */
const MOST_SECTIONS = 1000;
const RULE = '_'.repeat(44);
/** What the first section is called. */
const HEAD = 'nvidia-bug-report';
const BEGINS = 'Start of NVIDIA bug report log file';
/** The line below a rule and an empty line, or one of several names of files. */
const FILE = /^\*\*\* (\/\S{1,200})/;
const PROGRAM = /^(?:\/\S{0,100}\/)?([A-Za-z][\w.-]{0,40})(.{0,200}?):?\s*$/;
const UNAME = /^uname: Linux (\S{1,253}) /m;
/** "Thu Oct 27 08:50:11 PM -03 2022", "Thu Jul 25 10:00:00 UTC 2024", as `date` prints it; its logs are of the same clock. */
const DATE =
  /^Date: \p{L}{2,9}\.? +(?:(\p{L}{3})\p{L}{0,6}\.? +(\d{1,2})|(\d{1,2}) (\p{L}{3})\p{L}{0,6}\.?,?) +(?:(\d{4}), )?(\d\d):(\d\d):(\d\d)(?: ([AP]M))?(?: \S{1,6})?(?: (\d{4}))?\s*$/mu;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/** The part that says when and where it was made is shorter. */
const MOST_HEAD = 4096;
const MOST_AHEAD = 8 * 1_048_576;

export function isBugReport(head: Buffer): boolean {
  return head.includes(BEGINS);
}

/**
 * The inputs must be read one after the other, each to its end. What the kernel wrote is in the journal's lines with dates and in
 * those of dmesg without: the former say when the boot was.
 */
export async function* sectionsOf(report: SavedInput): AsyncGenerator<SavedInput> {
  const state: State = { lines: linesOf(report), next: null, name: 'report', ended: false, sections: 0 };
  const times = new KnownTimes();
  let head = '';
  let savedMs = report.savedMs;
  const author = report.author === undefined ? {} : { author: report.author };
  let host: { readonly host?: string } = {};
  state.next = await following(state);
  if (state.next?.toString('utf8').trimEnd() === RULE) {
    state.next = await following(state);
    state.name = await titleBelow(state);
  }
  while (state.next !== null) {
    state.ended = false;
    const { name } = state;
    const seen = (line: string): void => {
      if (name === HEAD && head.length < MOST_HEAD) head += line;
      times.take(line, savedMs);
    };
    const bytes = name.startsWith('dmesg') ? inAdvance(state, seen) : sectionBytes(state, seen);
    yield { name: `${report.name}#${name}`, savedMs, ...author, ...host, bytes, bootedMs: () => times.bootedMs };
    for await (const _ of bytes); // whatever was left of it
    if (name === HEAD) {
      savedMs = savedIn(head) ?? savedMs;
      host = hostIn(head);
    }
  }
  await state.lines.return();
}

interface State {
  readonly lines: Bytes;
  next: Buffer | null;
  /** Of the section that `next` is of. */
  name: string;
  ended: boolean;
  sections: number;
}

async function following({ lines }: Pick<State, 'lines'>): Promise<Buffer | null> {
  const { value, done } = await lines.next();
  return done === true ? null : value;
}

async function* sectionBytes(state: State, seen: (line: string) => void): Bytes {
  while (!state.ended && state.next !== null) {
    const line = state.next;
    state.next = await following(state);
    const text = line.length <= 4096 ? line.toString('utf8') : '';
    if (state.sections < MOST_SECTIONS && text.trimEnd() === RULE) {
      state.sections += 1;
      state.name = await titleBelow(state);
      state.ended = true;
      return;
    }
    seen(text);
    yield line;
  }
}

/** All that fits, before the first line is handed over: one in the middle may say when all of them were. */
async function* inAdvance(state: State, seen: (line: string) => void): Bytes {
  const lines: Buffer[] = [];
  let length = 0;
  for await (const line of sectionBytes(state, seen)) {
    length += line.length;
    if (length > MOST_AHEAD) yield* lines.splice(0);
    lines.push(line);
  }
  yield* lines;
}

/** The title stays what is read next, as part of its section. */
async function titleBelow(state: State): Promise<string> {
  while (state.next !== null && state.next.toString('utf8', 0, 400).trim() === '') state.next = await following(state);
  const title = state.next?.toString('utf8', 0, 400).trim() ?? '';
  if (title.startsWith(BEGINS)) return HEAD;
  const [, program, rest = ''] = PROGRAM.exec(title) ?? [];
  const name = FILE.exec(title)?.[1] ?? (program === undefined ? title : `${program}${rest}`);
  return name.slice(0, MOST_NAME);
}

/** With their ends; a piece of a line that is longer than any. */
async function* linesOf({ bytes }: SavedInput): Bytes {
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of bytes) {
    let from = 0;
    for (let newline = piece.indexOf(10); newline >= 0; newline = piece.indexOf(10, from)) {
      const line = piece.subarray(from, newline + 1);
      yield rest.length === 0 ? line : Buffer.concat([rest, line]);
      rest = Buffer.alloc(0);
      from = newline + 1;
    }
    rest = Buffer.concat([rest, piece.subarray(from)]);
    if (rest.length > 65_536) {
      yield rest;
      rest = Buffer.alloc(0);
    }
  }
  if (rest.length > 0) yield rest;
}

function hostIn(head: string): { readonly host?: string } {
  const host = UNAME.exec(head)?.[1];
  return host === undefined ? {} : { host };
}

function savedIn(head: string): number | null {
  const found = DATE.exec(head);
  if (found === null) return null;
  const [, monthFirst, dayBehind, dayFirst, monthBehind, yearBefore, hour, minute, second, half, yearBehind] = found;
  const month = MONTHS.indexOf((monthFirst ?? monthBehind ?? '').toLowerCase());
  const year = Number(yearBehind ?? yearBefore);
  if (month < 0 || !(year > 2000)) return null;
  const hours = (Number(hour) % (half === undefined ? 24 : 12)) + (half === 'PM' ? 12 : 0);
  return Date.UTC(year, month, Number(dayBehind ?? dayFirst), hours, Number(minute), Number(second));
}
