// Crash records: the pieces in which pstore keeps the kernel's last lines, put together in the order of writing.

export interface Piece {
  readonly name: string;
  readonly text: string;
  /** When the record was written, epoch ms on the wall clock: pstore gives its file that time. */
  readonly writtenMs: number;
}

export interface CrashLine {
  readonly text: string;
  readonly facility: number;
  readonly priority: number;
  /** On the wall clock; null where the line has no time since boot. */
  readonly wallMs: number | null;
}

export interface Crash {
  readonly name: string;
  /** "Panic", "Oops": in the kernel's words; null where the record does not say. */
  readonly why: string | null;
  readonly writtenMs: number;
  readonly lines: readonly CrashLine[];
}

/** Linux, fs/pstore/platform.c: "%s#%d Part%u\n", counted from the newest piece. */
const HEAD = /^(Panic|Oops|Emergency|Shutdown|Unknown|MCE)#(\d{1,9}) Part(\d{1,4})$/;
/** fs/pstore/ram.c: "====" and the time, before the piece. */
const RAM_HEAD = /^====\d{1,12}\.\d{1,9}(?:-[CD])?$/;
/** printk's prefix, syslog's number and the time since boot, perhaps with the caller. */
const LINE = /^<(\d{1,3})>(?:\[\s{0,12}(\d{1,10}\.\d{1,9})\](?:\[\s{0,8}[TC]\d{1,9}\])? ?)?(.*)$/;
const BARE = /^\[\s{0,12}(\d{1,10}\.\d{1,9})\](?:\[\s{0,8}[TC]\d{1,9}\])? ?(.*)$/;
const MOST_LINES = 20_000;
/** Pieces of one crash are written within seconds. */
const TOGETHER_MS = 60_000;

/** The crashes that the pieces are of, the oldest first. */
export function crashesOf(pieces: readonly Piece[]): Crash[] {
  const parts = pieces.map(readPiece).sort((a, b) => a.writtenMs - b.writtenMs || a.name.localeCompare(b.name));
  const groups: (typeof parts)[] = [];
  for (const part of parts) {
    const same = part.key === null ? undefined : groups.find(([first]) => first?.key === part.key && Math.abs(first.writtenMs - part.writtenMs) <= TOGETHER_MS); // biome-ignore format: one line
    if (same === undefined) groups.push([part]);
    else same.push(part);
  }
  return groups.map((group) => {
    // Part 1 has the newest lines.
    const inOrder = group.toSorted((a, b) => b.part - a.part);
    const writtenMs = Math.max(...group.map((piece) => piece.writtenMs));
    const lines = inOrder.flatMap((piece) => piece.lines).slice(-MOST_LINES);
    return { name: group[0]?.name ?? '', why: group[0]?.why ?? null, writtenMs, lines: dated(lines, writtenMs) };
  });
}

interface Line {
  readonly text: string;
  readonly facility: number;
  readonly priority: number;
  readonly sinceBootS: number | null;
}

function readPiece({ name, text, writtenMs }: Piece) {
  const all = text.split('\n').map((line) => line.replace(/[\0\r]+$/, ''));
  const found = all.slice(0, 2).map((line) => HEAD.exec(line)).find((head) => head !== null) ?? null; // biome-ignore format: one line
  const lines = all.filter((line) => line !== '' && !HEAD.test(line) && !RAM_HEAD.test(line)).map(readLine);
  return {
    name,
    writtenMs,
    why: found?.[1] ?? null,
    key: found === null ? null : `${found[1]}#${found[2]}`,
    part: Number(found?.[3] ?? 1),
    lines,
  };
}

function readLine(line: string): Line {
  const [, number, stamp, text] = LINE.exec(line) ?? [];
  if (number !== undefined && Number(number) <= 191) {
    const sinceBootS = stamp === undefined ? null : Number(stamp);
    return { text: text ?? '', facility: Number(number) >> 3, priority: Number(number) & 7, sinceBootS };
  }
  const [, bare, rest] = BARE.exec(line) ?? [];
  // Cut in the middle, as the oldest piece begins; who wrote it is not said, so it is not the kernel's.
  if (bare === undefined) return { text: line, facility: 1, priority: 6, sinceBootS: null };
  return { text: rest ?? '', facility: 0, priority: 6, sinceBootS: Number(bare) };
}

/** The last line was written when the record was. */
function dated(lines: readonly Line[], writtenMs: number): CrashLine[] {
  const last = lines.findLast(({ sinceBootS }) => sinceBootS !== null)?.sinceBootS ?? null;
  return lines.map(({ text, facility, priority, sinceBootS }) => ({
    text,
    facility,
    priority,
    wallMs: sinceBootS === null || last === null ? null : writtenMs - Math.max(0, last - sinceBootS) * 1000,
  }));
}
