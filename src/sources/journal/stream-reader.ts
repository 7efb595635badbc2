// StreamReader: one stream of the journal, through rotation and restarts: each entry once, in order.

import { stat } from 'node:fs/promises';
import { remember } from '../../helpers/remember.ts';
import { DamagedJournal, type JournalEntry, JournalFile } from './file/journal-file.ts';

/** What was read last. Numbers count on over files where `seqnumId` is the same. */
export interface Cursor {
  readonly seqnumId: string;
  readonly seqnum: number;
  readonly wallMs: number;
}

/** Of a stream that was never read: as much as tells what was before. */
const FIRST_ENTRIES = 1000;
/** Who falls further behind continues with the newest. */
const MOST_BEHIND = 100_000;
const KEPT = 10_000;
const MOST_KNOWN = 4096;
/** Entries of one read together; the one that goes beyond it is the last. */
const MOST_COST = 1024 * 1024;

/** What one read may still take. */
interface Room {
  entries: number;
  cost: number;
}

function isFull({ entries, cost }: Room): boolean {
  return entries <= 0 || cost <= 0;
}

export class StreamReader {
  readonly stream: string;
  readonly remote: boolean;
  cursor: Cursor | null;
  #paths: readonly string[] = [];
  /** What is read now, and the number of its next entry. */
  #open: { readonly path: string; readonly file: JournalFile; next: number } | null = null;
  /** Files without anything new, by path: what they were. */
  readonly #done = new Map<string, string>();
  /** Nothing of it was read before this run. */
  #fresh: boolean;
  skipped = 0;
  unreadable = 0;
  /** Why a file is not read; null where all are. */
  trouble: string | null = null;

  constructor(stream: string, remote: boolean, cursor: Cursor | null) {
    this.stream = stream;
    this.remote = remote;
    this.cursor = cursor;
    this.#fresh = cursor === null;
  }

  set paths(paths: readonly string[]) {
    this.#paths = paths;
  }

  /** At most `most` entries, of a bounded size together; `more`: there may be more at once. Never rejects. */
  async read(most: number): Promise<{ entries: JournalEntry[]; more: boolean }> {
    const entries: JournalEntry[] = [];
    const room = { entries: most, cost: MOST_COST };
    this.trouble = null;
    for (const path of this.#paths) {
      if (isFull(room)) break;
      try {
        await this.#readFile(path, room, entries);
      } catch (error) {
        this.trouble = error instanceof DamagedJournal ? `${path}: ${error.message}` : `${path}: ${String(error)}`;
        await this.close();
      }
    }
    this.#open?.file.rest();
    this.#fresh = false;
    return { entries, more: isFull(room) };
  }

  async close(): Promise<void> {
    const open = this.#open;
    this.#open = null;
    await open?.file.close();
  }

  async #readFile(path: string, room: Room, entries: JournalEntry[]): Promise<void> {
    const isLast = path === this.#paths.at(-1);
    const open = this.#open?.path === path ? this.#open : null;
    // A rotated file does not grow: it is looked at once.
    if (open === null && !isLast && this.#done.has(path)) return;
    const current = open ?? (await this.#opened(path, isLast));
    try {
      await this.#readOn(current, room, entries);
      if (current.next < current.file.header.entries) return;
      if (isLast && (await isThere(path, current.file.identity))) return;
      // Read to its end, and renamed or rotated: its successor is next.
      if (isLast) await this.close();
      else remember(this.#done, path, current.file.identity, MOST_KNOWN);
    } finally {
      if (this.#open?.file !== current.file) await current.file.close();
    }
  }

  async #readOn(
    current: { readonly file: JournalFile; next: number },
    room: Room,
    entries: JournalEntry[],
  ): Promise<void> {
    const { file } = current;
    const total = await file.refresh();
    if (total - current.next > MOST_BEHIND) {
      this.skipped += total - KEPT - current.next;
      current.next = total - KEPT;
    }
    while (current.next < total && !isFull(room)) {
      const entry = await file.entry(current.next);
      if (entry === null) break;
      current.next += 1;
      this.cursor = { seqnumId: file.header.seqnumId, seqnum: entry.seqnum, wallMs: entry.wallMs };
      entries.push(entry);
      room.entries -= 1;
      room.cost -= entry.cost;
    }
    this.unreadable += file.unreadable;
    file.unreadable = 0;
  }

  async #opened(path: string, isLast: boolean): Promise<{ path: string; file: JournalFile; next: number }> {
    const file = await JournalFile.open(path);
    const total = file.header.entries;
    // The last file of a stream that is new to this run: what was in it before is read as far back as is worth it.
    const next =
      this.cursor !== null
        ? await firstAfter(file, total, this.cursor)
        : isLast
          ? Math.max(0, total - FIRST_ENTRIES)
          : total;
    const opened = { path, file, next: this.#fresh && !isLast ? total : next };
    if (isLast) {
      await this.close();
      this.#open = opened;
    }
    return opened;
  }
}

async function isThere(path: string, identity: string): Promise<boolean> {
  const info = await stat(path).catch(() => null);
  return info !== null && `${info.dev}:${info.ino}` === identity;
}

/** The number of the first entry behind the cursor: entries are in the order of their numbers. */
async function firstAfter(file: JournalFile, total: number, cursor: Cursor): Promise<number> {
  const { header } = file;
  const sameRow = header.seqnumId === cursor.seqnumId;
  const isBehind = (seqnum: number, wallMs: number) => (sameRow ? seqnum > cursor.seqnum : wallMs > cursor.wallMs);
  if (!isBehind(header.tailSeqnum, header.tailMs)) return total;
  let [low, high] = [0, total];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const entry = await file.entry(middle);
    if (entry !== null && !isBehind(entry.seqnum, entry.wallMs)) low = middle + 1;
    else high = middle;
  }
  return low;
}
