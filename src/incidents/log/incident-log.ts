// Incident log: the append-only truth on disk; what cannot be written in time is handed on all the same and written later.

import { join } from 'node:path';
import { within } from '../../helpers/within.ts';
import { jobRunToDocument } from '../../model/documents/job-run.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import type { JobRun } from '../../model/job-run.ts';
import type { Note } from '../../model/note.ts';
import { Appender, type LogHandle } from './appender.ts';
import { Backlog, type LogLine } from './backlog.ts';
import { Carry } from './carry.ts';
import { CURRENT } from './files.ts';
import { IncidentLines, lineOf, noteLine } from './incident-lines.ts';
import { RevisionLines } from './revision-lines.ts';
import { type LogCounts, Trouble } from './trouble.ts';

export interface IncidentLogOptions {
  readonly directory: string;
  readonly maxBytes: number;
  readonly maxFiles: number;
  readonly maxAgeMs: number;
  /** Codes FL3101 to FL3109: what went wrong with the log, or is right again (FL3104, FL3108). */
  readonly onTrouble: (code: string, detail: string) => void;
  /** Incidents that recovery restored: their events stand in the log already. */
  readonly restored?: readonly Incident[];
  /** What recovery read of what people said, in order. */
  readonly notes?: readonly Note[];
  /** How long an incident waits for the disk before it is handed on without it. */
  readonly deadlineMs?: number;
  readonly retryMs?: number;
  readonly backlogBytes?: number;
  /** The shortest time between two lines of one event that no revision asked for. */
  readonly grownMs?: number;
  readonly open?: (path: string) => Promise<LogHandle>;
  readonly now?: () => number;
}

interface Waiter {
  readonly sequence: number;
  readonly resolve: (written: boolean) => void;
  readonly timer: NodeJS.Timeout;
}

const BATCH_BYTES = 1024 * 1024;
const LONGEST_RETRY_MS = 5000;
const GROWN_MS = 1000;

export class IncidentLog {
  readonly #appender: Appender;
  readonly #backlog: Backlog;
  readonly #carry: Carry;
  readonly #lines: IncidentLines;
  readonly #grownMs: number;
  #grownTimer: NodeJS.Timeout | null = null;
  readonly #revisions = new RevisionLines();
  readonly #trouble: Trouble;
  readonly #deadlineMs: number;
  readonly #firstRetryMs: number;
  readonly #tell: IncidentLogOptions['onTrouble'];
  /** Called when the line with this sequence is on disk: what a new file must then begin with. */
  readonly #onDisk = new Map<number, () => void>();
  #waiters: Waiter[] = [];
  #busy = false;
  #idle: (() => void)[] = [];
  #reopen = false;
  #closed = false;
  #retry: NodeJS.Timeout | null = null;
  #retryMs: number;
  #counts = { written: 0, unavailable: 0, dropped: 0 };
  #lastNote = '';

  constructor(options: IncidentLogOptions) {
    const backlogBytes = options.backlogBytes ?? 8 * 1024 * 1024;
    this.#tell = options.onTrouble;
    this.#deadlineMs = options.deadlineMs ?? 1000;
    this.#firstRetryMs = options.retryMs ?? 250;
    this.#retryMs = this.#firstRetryMs;
    this.#trouble = new Trouble(join(options.directory, CURRENT), options.onTrouble);
    this.#grownMs = options.grownMs ?? GROWN_MS;
    this.#lines = new IncidentLines(options.restored ?? [], this.#grownMs);
    this.#carry = new Carry(Math.min(options.maxBytes / 2, backlogBytes), options.now ?? Date.now, this.#lines.newest);
    this.#backlog = new Backlog(backlogBytes, (line) => {
      this.#trouble.dropped(backlogBytes, this.counts());
      this.#counts.dropped += 1;
      this.#onDisk.delete(line.sequence);
      if (line.eventId !== null) this.#lines.forget(line.eventId);
      if (line.incidentId !== null) this.#revisions.forget(line.incidentId);
    });
    for (const incident of options.restored ?? []) this.#carry.keep(incident);
    for (const note of options.notes ?? []) this.#carry.keepNote(note, noteLine(note));
    this.#appender = new Appender({
      ...options,
      carry: () => {
        const { bytes, ids } = this.#carry.begin();
        const older = this.#revisions.keepOnly(ids);
        for (const { events } of older) for (const { id } of events) this.#lines.forget(id);
        return bytes;
      },
      onNote: (code, detail) => this.#note(code, detail),
    });
  }

  /**
   * Writes the incident and those of its events that the log does not have yet. Resolves, never rejects, with the
   * incident: `log` says whether it was on disk in time.
   */
  async append(incident: Incident): Promise<Incident> {
    const events = this.#lines.newEvents(incident);
    for (const [eventId, bytes] of events) this.#backlog.push(bytes, { eventId });
    const revision: Incident = { ...incident, log: 'written' };
    const sequence = this.#backlog.push(this.#revisions.line(revision), { incidentId: incident.id });
    this.#onDisk.set(sequence, () => {
      this.#revisions.written(revision.id);
      this.#carry.keep(revision);
    });
    const written = await this.#written(sequence);
    return { ...incident, log: written ? 'written' : 'unavailable' };
  }

  /** An event as it is now: where the log has it with a smaller count or fewer attributes, a line of it follows, ever more rarely. */
  heard(event: FaultEvent): void {
    if (this.#lines.heard(event)) this.#writeGrownLater();
  }

  /** Writes a note of an operator. True when it was on disk in time. */
  async appendNote(note: Note): Promise<boolean> {
    const line = noteLine(note);
    const sequence = this.#backlog.push(line);
    this.#onDisk.set(sequence, () => this.#carry.keepNote(note, line));
    return await this.#written(sequence);
  }

  /** Writes how a run of a job is now. True when it was on disk in time. */
  async appendRun(run: JobRun): Promise<boolean> {
    return await this.#written(this.#backlog.push(lineOf(jobRunToDocument(run))));
  }

  /** Lets go of the file and opens the one that the path names now, as a log rotation asks for with SIGHUP. */
  reopen(): void {
    this.#reopen = true;
    this.#pump();
  }

  counts(): LogCounts & { readonly waitingBytes: number } {
    return { ...this.#counts, waitingBytes: this.#backlog.bytes };
  }

  /** Why the log cannot be written now, in words; null when the last write was good. */
  trouble(): string | null {
    return this.#trouble.why;
  }

  /** Writes what waits, for at most `timeoutMs`, and lets go of the file. A hanging disk is left behind. */
  async close(timeoutMs = 1000): Promise<void> {
    this.#closed = true;
    if (this.#grownTimer !== null) clearTimeout(this.#grownTimer);
    this.#writeGrown(true);
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#retry = null;
    this.#pump();
    const written = this.#settled().then(() => this.#appender.close());
    await within(
      timeoutMs,
      written.catch(() => undefined),
    );
    this.#answer(Number.POSITIVE_INFINITY, false);
  }

  #writeGrownLater(): void {
    if (this.#closed) return;
    this.#grownTimer ??= setTimeout(() => {
      this.#grownTimer = null;
      this.#writeGrown(false);
      if (this.#lines.behind) this.#writeGrownLater();
    }, this.#grownMs).unref();
  }

  #writeGrown(ends: boolean): void {
    for (const [eventId, bytes] of this.#lines.grown(ends)) this.#backlog.push(bytes, { eventId });
    this.#pump();
  }

  #written(sequence: number): Promise<boolean> {
    const down = this.#closed || this.#trouble.present;
    if (down) {
      this.#counts.unavailable += 1;
      if (!this.#closed) this.#pump();
      return Promise.resolve(false);
    }
    return new Promise((resolve) => {
      // After a pause of the whole process the timer is due before the disk's answer is read: one more turn settles it.
      const timer = setTimeout(() => setImmediate(() => this.#late(sequence)), this.#deadlineMs);
      this.#waiters.push({ sequence, resolve, timer });
      this.#pump();
    });
  }

  #late(sequence: number): void {
    if (!this.#waiters.some((waiter) => waiter.sequence === sequence)) return;
    this.#trouble.hanging(this.#deadlineMs, this.counts());
    this.#answer(Number.POSITIVE_INFINITY, false);
  }

  #answer(upTo: number, written: boolean): void {
    const answered = this.#waiters.filter((waiter) => waiter.sequence <= upTo);
    this.#waiters = this.#waiters.filter((waiter) => waiter.sequence > upTo);
    this.#counts[written ? 'written' : 'unavailable'] += answered.length;
    for (const waiter of answered) {
      clearTimeout(waiter.timer);
      waiter.resolve(written);
    }
  }

  #pump(): void {
    if (this.#busy || this.#retry !== null || (this.#backlog.empty && !this.#reopen)) return;
    this.#busy = true;
    if (this.#reopen) this.#appender.reopen();
    this.#reopen = false;
    const batch = this.#backlog.take(BATCH_BYTES);
    this.#appender.append(Buffer.concat(batch.map((line) => line.bytes))).then(
      () => this.#done(batch),
      (error: unknown) => this.#failed(error),
    );
  }

  #done(batch: readonly LogLine[]): void {
    this.#backlog.confirm();
    for (const { sequence } of batch) {
      this.#onDisk.get(sequence)?.();
      this.#onDisk.delete(sequence);
    }
    this.#answer(batch.at(-1)?.sequence ?? 0, true);
    this.#retryMs = this.#firstRetryMs;
    if (this.#backlog.empty) this.#trouble.over(this.counts());
    this.#freed();
  }

  #failed(error: unknown): void {
    this.#backlog.giveBack();
    this.#trouble.failed(error, this.counts());
    this.#answer(Number.POSITIVE_INFINITY, false);
    if (!this.#closed) {
      this.#retry = setTimeout(() => {
        this.#retry = null;
        this.#pump();
      }, this.#retryMs).unref();
      this.#retryMs = Math.min(this.#retryMs * 2, LONGEST_RETRY_MS);
    }
    this.#freed(this.#closed);
  }

  #freed(giveUp = false): void {
    this.#busy = false;
    if (!giveUp) this.#pump();
    if (this.#busy) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  #settled(): Promise<void> {
    return this.#busy ? new Promise((resolve) => this.#idle.push(resolve)) : Promise.resolve();
  }

  /** The same note is reported once in a row, not once a write. */
  #note(code: string, detail: string): void {
    if (code === 'FL3109' && detail === this.#lastNote) return;
    this.#lastNote = detail;
    this.#tell(code, detail);
  }
}
