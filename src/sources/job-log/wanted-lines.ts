// Wanted lines: of a chunk of a log those that some rule may take; the others are passed over, and no text is made of them.

import type { NativeWordScanner } from '../../native.ts';
import type { LineSplitter, SplitLine } from './line-splitter.ts';

/** What decides which lines of one log are wanted. */
export interface Attention {
  /** Null: every line is. */
  readonly scanner: NativeWordScanner | null;
  /** What the lines so far began needs the next ones, whatever words they have. */
  attends(): boolean;
  /** So many lines were passed over. */
  passed(lines: number): void;
}

const NEWLINE = 0x0a;
const HEAD = 2;
const EACH = 4;
/** Used between two turns of the event loop only: no other chunk comes in between. */
const FOUND = new Uint32Array(HEAD + EACH * 1024);

/** To be taken to its end: each line decides whether those after it are wanted. */
export function* wantedLines(splitter: LineSplitter, chunk: Buffer, attention: Attention): Generator<SplitLine, void> {
  const { scanner } = attention;
  if (scanner === null) return yield* splitter.push(chunk);
  let at = 0;
  if (splitter.inLine) {
    at = behindLine(chunk, 0);
    yield* splitter.push(chunk.subarray(0, at));
  }
  // What is behind the last newline is not a whole line: the splitter knows what to do with it.
  const whole = chunk.lastIndexOf(NEWLINE) + 1;
  while (at < whole) {
    if (!attention.attends()) at = yield* withWords(splitter, chunk, at, whole, attention, scanner);
    if (at >= whole) break;
    const end = behindLine(chunk, at);
    const line = splitter.inLine ? null : splitter.line(chunk, at, end);
    if (line !== null) yield line;
    else yield* splitter.push(chunk.subarray(at, end));
    at = end;
  }
  if (at < chunk.length) yield* splitter.push(chunk.subarray(at));
}

/** Up to a line that needs the next ones. Returns where that ended. */
function* withWords(
  splitter: LineSplitter,
  chunk: Buffer,
  from: number,
  whole: number,
  attention: Attention,
  scanner: NativeWordScanner,
): Generator<SplitLine, number> {
  let at = from;
  while (at < whole) {
    const base = at;
    const count = scanner.scan(chunk.subarray(base, whole), FOUND);
    let newlines = 0;
    for (let i = 0; i < count; i += 1) {
      const place = HEAD + EACH * i;
      const start = base + (FOUND[place] ?? 0);
      const before = FOUND[place + 3] ?? 0;
      if (before > newlines) attention.passed(before - newlines);
      newlines = before + 1;
      splitter.pass(start - at);
      const end = Math.min(start + (FOUND[place + 1] ?? 0) + 1, whole);
      const line = splitter.line(chunk, start, end);
      if (line !== null) yield line;
      else yield* splitter.push(chunk.subarray(start, end));
      at = end;
      if (attention.attends()) return at;
    }
    const read = FOUND[0] ?? 0;
    const all = FOUND[1] ?? 0;
    attention.passed(Math.max(0, all - newlines));
    splitter.pass(base + read - at);
    at = base + read;
  }
  return at;
}

function behindLine(chunk: Buffer, from: number): number {
  const newline = chunk.indexOf(NEWLINE, from);
  return newline < 0 ? chunk.length : newline + 1;
}
