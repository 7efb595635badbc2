// Black box: saves the raw samples around an incident next to the log, before the native rings forget them.

import { lstat, mkdir, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceOwn } from '../helpers/files/own-file.ts';
import type { Incident } from '../model/incident.ts';
import type { OnWork } from '../model/work.ts';
import type { NativeCore } from '../native.ts';
import { samplesCsv } from './samples-csv.ts';

const BEFORE_MS = 60_000;
const AFTER_MS = 60_000;
const WAITING = 64;
/** Also what releases before wrote, so that it ages out. */
const SAMPLES = /^[0-9a-f]{4,64}\.samples\.(?:csv|json)$/;
/** Half of a snapshot, as a crash leaves it: one is written at a time, so that it belongs to none once another is saved. */
const TORN = /^[0-9a-f]{4,64}\.samples\.csv\.new$/;

export interface BlackBoxOptions {
  readonly directory: string;
  /** Cap over all snapshots of the folder. */
  readonly maxBytes: number;
  readonly maxAgeMs: number;
  /** FL3110: a snapshot could not be saved. */
  readonly onTrouble: (code: string, detail: string, incident: Incident) => void;
  /** Called for each snapshot, and of each that was not saved with the reason; null where no one wants to know. */
  readonly onWork?: OnWork;
  readonly now?: () => number;
  /** What the age of files is measured by, where that is another clock. */
  readonly fileNow?: () => number;
  /** How long after its opening an incident's snapshot is taken once more. */
  readonly afterMs?: number;
}

/** Path of an incident's snapshot. */
export function samplesPath(directory: string, incidentId: string): string {
  return join(directory, `${incidentId}.samples.csv`);
}

export class BlackBox {
  readonly #core: Pick<NativeCore, 'history' | 'seriesKeys'>;
  readonly #options: BlackBoxOptions;
  readonly #now: () => number;
  /** Incidents whose window is not complete yet. */
  readonly #waiting = new Map<string, { readonly timer: NodeJS.Timeout; readonly incident: Incident }>();
  /** One snapshot at a time. */
  #work: Promise<unknown> = Promise.resolve();

  constructor(core: Pick<NativeCore, 'history' | 'seriesKeys'>, options: BlackBoxOptions) {
    this.#core = core;
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /**
   * Saves the window around the incident's opening now, and again a minute later, when it is complete. Call it for each
   * revision: only the first one of an incident takes effect, and the chain of the last one is what is saved. Resolves
   * with the path of the first snapshot, null where none was saved; never rejects.
   */
  take(incident: Incident): Promise<string | null> {
    const waiting = this.#waiting.get(incident.id);
    if (waiting === undefined && incident.revision > 1) return Promise.resolve(null);
    if (waiting === undefined && this.#waiting.size >= WAITING) {
      this.#tell(incident, this.#workStartMs(), `${WAITING} other incidents wait for theirs`);
      return Promise.resolve(null);
    }
    clearTimeout(waiting?.timer);
    const due = incident.openedMs + (this.#options.afterMs ?? AFTER_MS) - this.#now();
    const timer = setTimeout(
      () => {
        this.#waiting.delete(incident.id);
        void this.save(incident);
      },
      Math.min(Math.max(due, 0), AFTER_MS),
    );
    this.#waiting.set(incident.id, { timer: timer.unref(), incident });
    return waiting === undefined ? this.save(incident) : Promise.resolve(null);
  }

  /** Saves the window now. Resolves with the path, null where it could not be saved; never rejects. */
  save(incident: Incident): Promise<string | null> {
    const saved = this.#work.then(() => this.#attempt(incident));
    this.#work = saved;
    return saved;
  }

  /** Waits for no second half any more: what there is of each is saved. Resolves when it is. */
  async close(): Promise<void> {
    for (const { timer, incident } of this.#waiting.values()) {
      clearTimeout(timer);
      void this.save(incident);
    }
    this.#waiting.clear();
    await this.#work;
  }

  async #attempt(incident: Incident): Promise<string | null> {
    const startMs = this.#workStartMs();
    try {
      const path = await this.#save(incident);
      this.#tell(incident, startMs, path === null ? 'no samples of its components are kept' : null);
      return path;
    } catch (error) {
      const reason = reasonOf(error);
      const detail = `the samples around incident ${incident.id} could not be saved: ${reason}`;
      this.#options.onTrouble('FL3110', detail, incident);
      this.#tell(incident, startMs, reason, true);
      return null;
    }
  }

  #workStartMs(): number {
    return this.#options.onWork ? this.#now() : 0;
  }

  #tell({ id: incidentId, revision }: Incident, startMs: number, skipped: string | null, failed = false): void {
    const onWork = this.#options.onWork ?? null;
    if (onWork === null) return;
    const why = skipped === null ? {} : failed ? { skipped, error: skipped } : { skipped };
    onWork({ name: 'BlackBox/Save', incidentId, revision, startMs, endMs: this.#now(), ...why });
  }

  async #save(incident: Incident): Promise<string | null> {
    const path = samplesPath(this.#options.directory, incident.id);
    if (!SAMPLES.test(`${incident.id}.samples.csv`)) throw new Error(`"${incident.id}" is not an incident id`);
    const { openedMs } = incident;
    const text = await samplesCsv(this.#core, incident, openedMs - BEFORE_MS, openedMs + AFTER_MS);
    if (text === null) return null;
    await mkdir(this.#options.directory, { recursive: true, mode: 0o750 });
    await replaceOwn(path, text, { sync: true });
    await this.#removeOld(path);
    return path;
  }

  async #removeOld(newest: string): Promise<void> {
    const { directory, maxBytes, maxAgeMs } = this.#options;
    const all = await readdir(directory);
    for (const name of all.filter((each) => TORN.test(each)))
      await unlink(join(directory, name)).catch(() => undefined);
    const names = all.filter((name) => SAMPLES.test(name));
    const files = await Promise.all(
      names.map(async (name) => {
        const path = join(directory, name);
        const found = await lstat(path).catch(() => null);
        return { path, bytes: found?.size ?? 0, writtenMs: found?.mtimeMs ?? 0 };
      }),
    );
    let bytes = 0;
    const nowMs = (this.#options.fileNow ?? this.#now)();
    for (const file of files.sort((a, b) => b.writtenMs - a.writtenMs)) {
      bytes += file.bytes;
      const old = nowMs - file.writtenMs > maxAgeMs;
      if (file.path !== newest && (old || bytes > maxBytes)) await unlink(file.path).catch(() => undefined);
    }
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the file system is read-only',
};

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const known = 'code' in error ? REASONS[String(error.code)] : undefined;
  return known === undefined ? error.message : `${known} (${error.message})`;
}
