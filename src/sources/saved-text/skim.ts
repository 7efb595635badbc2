// Skim: of the pieces of a saved log the lines that some rule may take, each with the line before it that says when and where it was.

import type { NativeWordScanner } from '../../native.ts';

const NEWLINE = 0x0a;
const HEAD = 2;
const EACH = 4;
/** A line without a stamp is of the time of those before it: so many of them are looked at for one, each once at most. */
const MOST_BEFORE = 32;
/** Used within one call only. */
const FOUND = new Uint32Array(HEAD + EACH * 1024);

export interface Skimmed {
  /** Part of a line was read, whose rest is in what follows. */
  readonly inLine: () => boolean;
  /** The next line is wanted whatever words it has. */
  readonly attends: () => boolean;
  /** Whether the line has a time of its own. */
  readonly isStamped: (line: Buffer) => boolean;
  /** Whole lines, or the end of a piece. */
  readonly read: (bytes: Buffer) => void;
  /** So many lines have no word of any rule. */
  readonly passed: (lines: number) => void;
}

export function skim(piece: Buffer, scanner: NativeWordScanner, to: Skimmed): void {
  let at = 0;
  if (to.inLine()) {
    at = behindLine(piece, 0);
    to.read(piece.subarray(0, at));
  }
  const whole = piece.lastIndexOf(NEWLINE) + 1;
  while (at < whole) {
    if (!to.attends()) at = lookFor(piece, at, whole, scanner, to);
    if (at >= whole) break;
    const end = behindLine(piece, at);
    to.read(piece.subarray(at, end));
    at = end;
  }
  if (at < piece.length) to.read(piece.subarray(at));
}

/** Up to a line that needs the next ones. Returns where that ended. */
function lookFor(piece: Buffer, from: number, whole: number, scanner: NativeWordScanner, to: Skimmed): number {
  let at = from;
  while (at < whole) {
    const base = at;
    const count = scanner.scan(piece.subarray(base, whole), FOUND);
    const [read = 0, all = 0] = FOUND;
    let newlines = 0;
    for (let i = 0; i < count; i += 1) {
      const place = HEAD + EACH * i;
      const begin = base + (FOUND[place] ?? 0);
      const end = Math.min(begin + (FOUND[place + 1] ?? 0) + 1, whole);
      const before = FOUND[place + 3] ?? 0;
      const context = contextOf(piece, at, begin, to.isStamped);
      to.passed(before - newlines - context.lines);
      to.read(piece.subarray(context.from, end));
      newlines = before + 1;
      at = end;
      if (to.attends()) return at;
    }
    // The last one says until when lines came.
    const end = base + read;
    const context = at < end ? contextOf(piece, at, end, () => true) : { from: end, lines: 0 };
    to.passed(all - newlines - context.lines);
    if (context.from < end) to.read(piece.subarray(context.from, end));
    at = end;
  }
  return at;
}

/** The lines right before `begin`, none of them before `from`, back to one that is stamped. */
function contextOf(
  piece: Buffer,
  from: number,
  begin: number,
  isStamped: Skimmed['isStamped'],
): { from: number; lines: number } {
  let at = begin;
  let lines = 0;
  while (at > from && lines < MOST_BEFORE) {
    const end = at;
    at = end >= 2 ? piece.lastIndexOf(NEWLINE, end - 2) + 1 : 0;
    if (at < from) at = from;
    lines += 1;
    if (isStamped(piece.subarray(at, end - 1))) break;
  }
  return { from: at, lines };
}

function behindLine(piece: Buffer, from: number): number {
  const newline = piece.indexOf(NEWLINE, from);
  return newline < 0 ? piece.length : newline + 1;
}
