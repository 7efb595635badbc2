// FileFollower: reads one growing file through rotation, truncation, removal and return, a bounded piece at a time.

import { codeOrText } from '../../helpers/error-code.ts';
import type { NamedBy } from '../../model/native-files.ts';
import { CheckedFile, type FileLook, RefusedPath } from '../files/checked-file.ts';
import { LineSplitter, type SplitLine } from './line-splitter.ts';
import { hasMark, headOf, MARK_BYTES, type Mark, markOfBytes, type Place } from './places.ts';
import { ReadBudget } from './read-budget.ts';
import { type Rest, restOf } from './rotated.ts';
import { type Attention, wantedLines } from './wanted-lines.ts';

/** One read; between two of them every other file and the event loop get their turn. */
const CHUNK_BYTES = 262_144;
/** What was added to a file comes with the look at it; of more there is a piece of its own. */
const WITH_LOOK_BYTES = 16_384;
/** How far back a file that was there at the start is read, to learn what was normal before. */
const HISTORY_BYTES = 65_536;
/** Who falls further behind than this continues with the newest of it: a log may be made larger than any reader can read. */
const MOST_BEHIND = 16 * 1024 * 1024;
const KEPT_BYTES = 1024 * 1024;
/** A file system keeps a block whole, of which one byte was written. */
const LARGEST_BLOCK = 65_536;
/** What chunks are read into, while no one reads: a new one each time would be collected with all else, and soon. */
let spare: Buffer | null = null;
const ZEROS = Buffer.alloc(CHUNK_BYTES);
/** A home folder that our unit hides is one that its user may not enter. Whoever lends judges the file itself. */
const OUT_OF_SIGHT: ReadonlySet<string> = new Set(['ENOENT', 'EACCES', 'EPERM', 'ENOTDIR']);

const EVERY_LINE: Attention = { scanner: null, attends: () => false, passed: () => undefined };

/** A descriptor of the file for reading; null where it cannot be had. */
export type LendFile = () => Promise<number | null>;

/** What is known of how far a log was read, and kept of how far it is. */
export interface ReadBefore {
  /** How far an earlier run read. */
  readonly placeOf: (path: string) => Place | null;
  /** Before a piece of a file is handed over, which may have lines from `from` on: when that is, for a run after a kill. */
  readonly hand: (path: string, identity: string, from: number, to: number) => Promise<void>;
  /** When the line that begins there is handed over now; null: as it comes. */
  readonly timeOf: (path: string, offset: number) => number | null;
  /** When an earlier run handed it over; null where that is not known. */
  readonly earlierTimeOf: (path: string, identity: string, offset: number) => number | null;
}

export const NOTHING_READ: ReadBefore = {
  placeOf: () => null,
  hand: async () => undefined,
  timeOf: () => null,
  earlierTimeOf: () => null,
};

export type FollowerState = 'reading' | 'absent' | 'no_permission' | 'refused' | 'failed';

export interface FollowedLine extends SplitLine {
  /** Written before the follower started. */
  readonly history: boolean;
  /** Handed over by an earlier run: of use only to know what was normal. */
  readonly known?: true;
  /** When it was handed over first, epoch ms; left out: now. */
  readonly atMs?: number;
}

export interface FollowedPiece {
  readonly lines: Iterable<FollowedLine>;
  readonly more: boolean;
  /** The place is another file's now, and lines of the one before it come next: should they end the process, the next one must not meet them again. */
  readonly moved?: true;
}

export class FileFollower {
  readonly path: string;
  readonly #budget: ReadBudget;
  readonly #namedBy: NamedBy | null;
  readonly #lend: LendFile | null;
  state: FollowerState = 'absent';
  /** Error name of the system when the state is none of the good ones. */
  error: string | null = null;
  /** What to do where the state is `refused`: then `error` is a sentence. */
  remedy: string | null = null;
  truncations = 0;
  /** Bytes that were passed over, as the file grew faster than it is read. */
  leftOutBytes = 0;
  /** What is read now; null where nothing is. */
  reads: { readonly inode: number; readonly owner: number } | null = null;
  /** The last look found nothing behind what was read. */
  atEnd = false;
  #file: CheckedFile | null = null;
  #identity = '';
  /** The last look found the name gone to another file. */
  #renamed = false;
  #splitter = new LineSplitter(0);
  #cutBefore = 0;
  /** Bytes below this were there at the start. */
  #historyEnd = 0;
  /** A file that appears after this follower was made is new, and read whole. */
  #first: boolean;
  /** Bytes read since the file was seen to be deleted. */
  #afterDeleted = 0;
  /** How the file begins. */
  #mark: Mark | null = null;
  /** The bytes that this is of. */
  #head: Buffer = Buffer.of();
  /** Bytes below this were handed over by an earlier run. */
  #knownEnd = 0;
  /** It is the file that an earlier run read, as far as it did. */
  #isResumed = false;
  /** Lines of the file that had the name before, which come first. */
  #rest: Rest | null = null;
  /** Whether those were written before the follower started. */
  #restIsHistory = false;
  readonly #before: ReadBefore;
  /** Whose rest that is. */
  #restIdentity = '';

  /**
   * `fromEnd`: a file that is there at the first look is read from 64 KiB before its end, as history. `lend`: asked where the path
   * leads to nothing for this process, as into a container or a home folder. `before`: what earlier runs read.
   */
  constructor(
    path: string,
    fromEnd: boolean,
    budget = new ReadBudget(),
    namedBy: NamedBy | null = null,
    lend: LendFile | null = null,
    before: ReadBefore = NOTHING_READ,
  ) {
    this.#before = before;
    this.path = path;
    this.#lend = lend;
    this.#namedBy = namedBy;
    this.#budget = budget;
    this.#first = fromEnd;
  }

  /** How far it is read; null where nothing is. */
  get place(): Place | null {
    if (this.#file === null || this.#mark === null) return null;
    return { identity: this.#identity, offset: this.#splitter.resumeAt, mark: this.#mark };
  }

  get cutLines(): number {
    return this.#cutBefore + this.#splitter.cutLines;
  }

  /**
   * Reads at most one chunk. `more` is true when there may be more at once. Never throws: what goes wrong is the state. With
   * `attention` only wanted lines come, each of which decides on the next ones: they are to be taken before anything else is awaited.
   */
  async read(attention: Attention = EVERY_LINE): Promise<FollowedPiece> {
    try {
      return await this.#read(attention);
    } catch (error) {
      this.#fail(error);
      await this.close();
      return { lines: [], more: false };
    }
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    this.#identity = '';
    this.reads = null;
    await file?.close().catch(() => undefined); // on a dead network mount even close fails; there is nothing left to do
  }

  async #read(attention: Attention): Promise<FollowedPiece> {
    this.atEnd = false;
    const before = this.#rest;
    if (this.#file === null) await this.#open();
    const file = this.#file;
    if (file === null) return { lines: [], more: false };
    const look = await file.look(this.path, this.#splitter.offset, WITH_LOOK_BYTES, this.#head);
    const { size, links } = look;
    const isEmptied = size < this.#splitter.offset || (await this.#isEmptied(file, look));
    if (isEmptied) await this.#truncated(file, size);
    if (this.#rest !== null && this.#rest !== before) return { lines: [], more: true, moved: true };
    if (this.#rest !== null) return { lines: this.#restLines(this.#rest), more: true };
    const end = size - this.#splitter.offset > MOST_BEHIND ? await this.#catchUp(file, size) : size;
    const length = Math.min(CHUNK_BYTES, end - this.#splitter.offset);
    this.atEnd = length <= 0;
    if (this.atEnd) return { lines: [], more: await this.#replaced(look) };
    // Deleted, and written without end: no other process can find it any more.
    if (links === 0 && this.#afterDeleted > MOST_BEHIND) {
      await this.close();
      this.state = 'absent';
      return { lines: [], more: false };
    }
    if (!this.#budget.take(length)) return { lines: [], more: false };
    if (links === 0) this.#afterDeleted += length;
    const { offset, resumeAt } = this.#splitter;
    await this.#before.hand(this.path, this.#identity, resumeAt, offset + length);
    const room = look.added === null || isEmptied ? (spare ?? Buffer.allocUnsafeSlow(CHUNK_BYTES)) : null;
    if (room !== null) spare = null;
    const chunk = room === null ? (look.added ?? ZEROS) : await pieceOf(file, room, length, offset);
    // A hole: what its writer never wrote, as after a truncation under a writer that does not append.
    if (chunk.length > 0 && chunk.equals(ZEROS.subarray(0, chunk.length))) {
      spare = room ?? spare;
      this.#restart(new LineSplitter(this.#splitter.offset + chunk.length));
      return { lines: [], more: true };
    }
    // Of a file that has its name still; of another one the next look says whether it is left.
    this.atEnd = look.isNamed === true && chunk.length > 0 && offset + chunk.length >= size;
    const lines = this.#lines(chunk, room, attention);
    return { lines: attention.scanner === null ? [...lines] : lines, more: chunk.length > 0 && !this.atEnd };
  }

  /** `room`: what `chunk` is a part of, which is free once all lines are taken; null where it is by itself. */
  *#lines(chunk: Buffer, room: Buffer | null, attention: Attention): Generator<FollowedLine> {
    const splitter = this.#splitter;
    const end = splitter.offset + chunk.length;
    try {
      for (const line of wantedLines(splitter, chunk, attention)) yield this.#followed(line);
    } finally {
      spare = room ?? spare;
      // A mistake with one line costs the rest of its chunk, as far as that was not read.
      if (splitter === this.#splitter && splitter.offset < end) this.#restart(new LineSplitter(end, true));
    }
  }

  #followed(line: SplitLine): FollowedLine {
    const history = line.offset < this.#historyEnd;
    if (line.offset < this.#knownEnd) return { ...line, history, known: true };
    const before =
      history && this.#isResumed ? this.#before.earlierTimeOf(this.path, this.#identity, line.offset) : null;
    if (before !== null) return { ...line, history: false, atMs: before };
    const atMs = this.#before.timeOf(this.path, line.offset);
    return atMs === null ? { ...line, history } : { ...line, history, atMs };
  }

  async #open(): Promise<void> {
    const first = this.#first;
    this.#first = false;
    const file = await this.#opened();
    this.#file = file;
    const info = await file.stat();
    this.state = 'reading';
    this.error = null;
    this.#identity = `${info.dev}:${info.ino}`;
    this.reads = { inode: info.ino, owner: info.uid };
    this.#afterDeleted = 0;
    const place = first ? this.#before.placeOf(this.path) : null;
    const from = place === null ? this.#fromEnd(first, info.size) : await this.#resume(file, place, info.size);
    this.#historyEnd = first ? info.size : 0;
    await this.#learnHead(file, info.size);
    this.#restart(new LineSplitter(from, from > 0));
  }

  #fromEnd(first: boolean, size: number): number {
    this.#knownEnd = 0;
    return first ? Math.max(0, size - HISTORY_BYTES) : 0;
  }

  /** From where it is read after an earlier run: a little before its place, or all of it where that was another file's. */
  async #resume(file: CheckedFile, place: Place, size: number): Promise<number> {
    const same = this.#identity === place.identity && size >= place.offset && (await hasMark(file, place.mark));
    this.#knownEnd = same ? place.offset : 0;
    this.#isResumed = same;
    if (same) return Math.max(0, place.offset - HISTORY_BYTES);
    await this.#findRest(place, true);
    return size > MOST_BEHIND ? size - HISTORY_BYTES : 0;
  }

  async #findRest(place: Place, history: boolean): Promise<void> {
    this.#rest = await restOf(this.path, place, this.#namedBy);
    this.#restIsHistory = history;
    this.#restIdentity = place.identity;
    this.leftOutBytes += this.#rest?.leftOut ?? 0;
  }

  #restLines(rest: Rest): FollowedLine[] {
    const lines = rest.next().map((line): FollowedLine => {
      const before = this.#restIsHistory
        ? this.#before.earlierTimeOf(this.path, this.#restIdentity, line.offset)
        : null;
      if (before !== null) return { ...line, history: false, atMs: before };
      return { ...line, history: this.#restIsHistory };
    });
    if (rest.isOver) this.#rest = null;
    return lines;
  }

  async #learnHead(file: CheckedFile, size: number): Promise<void> {
    this.#head = await headOf(file, size);
    this.#mark = markOfBytes(this.#head);
  }

  /** It was emptied and written again beyond where it was read, between two looks. */
  async #isEmptied(file: CheckedFile, { size, begins }: FileLook): Promise<boolean> {
    if (this.#mark === null || size <= this.#splitter.offset) return false;
    if (!begins) return true;
    if (this.#head.length < MARK_BYTES) await this.#learnHead(file, size);
    return false;
  }

  async #opened(): Promise<CheckedFile> {
    try {
      return await CheckedFile.open(this.path, this.#namedBy ?? undefined);
    } catch (error) {
      const outOfSight = error instanceof RefusedPath ? error.reader : OUT_OF_SIGHT.has(codeOrText(error));
      const fd = outOfSight ? ((await this.#lend?.()) ?? null) : null;
      if (fd === null) throw error;
      return CheckedFile.lent(fd);
    }
  }

  /**
   * At the end of the file: is the name another file's by now, or the file deleted? A file that was only renamed is read
   * on until a new one has its name. Only when two looks in a row say so the old one is left, because its writer may
   * still have been at its last lines. True when there is a new one to be read.
   */
  async #replaced({ isNamed, links }: FileLook): Promise<boolean> {
    const gone = isNamed === null ? links === 0 : !isNamed;
    const leave = gone && this.#renamed;
    this.#renamed = gone && !leave;
    if (!leave) return false;
    await this.close();
    this.state = 'absent';
    return isNamed !== null;
  }

  /**
   * Far behind: past a hole, which was never written and so is not left out, or else to the newest. Gives where reading ends for
   * now: before the next hole, where one makes up the distance.
   */
  async #catchUp(file: CheckedFile, size: number): Promise<number> {
    const { offset } = this.#splitter;
    const data = Math.min((await file.nextData(offset)) ?? size, size);
    if (data > offset) {
      this.#restart(new LineSplitter(data));
      if (size - data <= MOST_BEHIND) return size;
    }
    const block = (Math.floor(data / LARGEST_BLOCK) + 1) * LARGEST_BLOCK;
    const hole = Math.min((await file.nextData(block)) ?? size, size) - block;
    if (hole > MOST_BEHIND) return block;
    this.#skipTo(size - KEPT_BYTES);
    return size;
  }

  #skipTo(offset: number): void {
    this.leftOutBytes += offset - this.#splitter.offset;
    this.#restart(new LineSplitter(offset, true));
  }

  /** What was not read before it is in its copy, where there is one. */
  async #truncated(file: CheckedFile, size: number): Promise<void> {
    const { place } = this;
    this.truncations += 1;
    this.#historyEnd = 0;
    this.#knownEnd = 0;
    this.#isResumed = false;
    if (place !== null) await this.#findRest(place, false);
    await this.#learnHead(file, size);
    this.#restart(new LineSplitter(0));
  }

  #restart(splitter: LineSplitter): void {
    this.#cutBefore += this.#splitter.cutLines;
    this.#splitter = splitter;
  }

  #fail(error: unknown): void {
    if (error instanceof RefusedPath && error.kind) {
      this.state = 'failed';
      this.error = error.message.replace(`${this.path} `, '');
      return;
    }
    if (error instanceof RefusedPath) {
      this.state = 'refused';
      this.error = error.message;
      this.remedy = error.remedy;
      return;
    }
    const code = codeOrText(error);
    this.error = code;
    this.state = code === 'ENOENT' ? 'absent' : code === 'EACCES' || code === 'EPERM' ? 'no_permission' : 'failed';
  }
}

async function pieceOf(file: CheckedFile, room: Buffer, length: number, offset: number): Promise<Buffer> {
  const { bytesRead } = await file.read(room, 0, length, offset);
  return room.subarray(0, bytesRead);
}
