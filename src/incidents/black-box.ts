// Black box: saves the raw samples around an incident beside the log, before the native rings forget them.

import { constants } from 'node:fs';
import { mkdir, open, readdir, rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { componentText } from '../model/component.ts';
import type { Incident } from '../model/incident.ts';
import { parseSeriesKey } from '../model/reading.ts';
import { formatTime } from '../model/time.ts';
import type { OnWork } from '../model/work.ts';
import type { NativeCore } from '../native.ts';
import { thin } from './thin.ts';

const BEFORE_MS = 120_000;
const AFTER_MS = 30_000;
const FILE_BYTES = 2 * 1024 * 1024;
/** The most that a sample takes: an offset of six digits, a value as long as -1.234567e-300, two commas. */
const SAMPLE_BYTES = 24;
const SERIES = 512;
const WAITING = 64;
const SAMPLES = /^[0-9a-f]{4,64}\.samples\.json$/;

export interface BlackBoxOptions {
  readonly directory: string;
  /** Cap over all snapshots of the folder. */
  readonly maxBytes: number;
  readonly maxAgeMs: number;
  /** FL3110: a snapshot could not be saved. */
  readonly onTrouble: (code: string, detail: string, incident: Incident) => void;
  /** Told of each snapshot, and of each that was not saved with the reason; null where nobody wants to know. */
  readonly onWork?: OnWork;
  readonly now?: () => number;
  /** How long after its opening an incident's snapshot is taken once more. */
  readonly afterMs?: number;
}

/** Path of an incident's snapshot. */
export function samplesPath(directory: string, incidentId: string): string {
  return join(directory, `${incidentId}.samples.json`);
}

export class BlackBox {
  readonly #core: Pick<NativeCore, 'history' | 'seriesKeys'>;
  readonly #options: BlackBoxOptions;
  readonly #now: () => number;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  /** One snapshot at a time. */
  #work: Promise<unknown> = Promise.resolve();

  constructor(core: Pick<NativeCore, 'history' | 'seriesKeys'>, options: BlackBoxOptions) {
    this.#core = core;
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /**
   * Saves the window around the incident's opening now, and again half a minute later, when it is complete. Call it for
   * each revision: only the first one of an incident takes effect, and the chain of the last one is what is saved.
   * Resolves with the path of the first snapshot, null where none was saved; never rejects.
   */
  take(incident: Incident): Promise<string | null> {
    const waiting = this.#timers.get(incident.id);
    if (waiting === undefined && incident.revision > 1) return Promise.resolve(null);
    if (waiting === undefined && this.#timers.size >= WAITING) {
      this.#tell(incident, this.#workStartMs(), `${WAITING} other incidents wait for theirs`);
      return Promise.resolve(null);
    }
    clearTimeout(waiting);
    const due = incident.openedMs + (this.#options.afterMs ?? AFTER_MS) - this.#now();
    const timer = setTimeout(
      () => {
        this.#timers.delete(incident.id);
        void this.save(incident);
      },
      Math.min(Math.max(due, 0), AFTER_MS),
    );
    this.#timers.set(incident.id, timer.unref());
    return waiting === undefined ? this.save(incident) : Promise.resolve(null);
  }

  /** Saves the window now. Resolves with the path, null where it could not be saved; never rejects. */
  save(incident: Incident): Promise<string | null> {
    const saved = this.#work.then(() => this.#attempt(incident));
    this.#work = saved;
    return saved;
  }

  /** Stops waiting for the second halves and resolves when what is being saved is saved. */
  async close(): Promise<void> {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
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
    if (!SAMPLES.test(`${incident.id}.samples.json`)) throw new Error(`"${incident.id}" is no incident id`);
    const text = await this.#document(incident);
    if (text === null) return null;
    await mkdir(this.#options.directory, { recursive: true, mode: 0o750 });
    const temporary = `${path}.new`;
    await unlink(temporary).catch(() => undefined);
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    {
      await using handle = await open(temporary, flags, 0o640);
      await handle.writeFile(text);
      await handle.datasync();
    }
    await rename(temporary, path);
    await this.#removeOld(path);
    return path;
  }

  /** `faultline/samples/1`; null where the rings hold nothing of the incident. */
  async #document(incident: Incident): Promise<string | null> {
    const fromMs = incident.openedMs - BEFORE_MS;
    const toMs = incident.openedMs + AFTER_MS;
    const components = new Set(
      incident.chain.flatMap(({ component }) => (component ? [componentText(component)] : [])),
    );
    const keys = this.#core.seriesKeys().filter((key) => {
      const { component } = parseSeriesKey(key);
      return components.has(component) || /^(job|rank)\//.test(component);
    });
    const each = Math.floor(FILE_BYTES / SAMPLE_BYTES / Math.max(Math.min(keys.length, SERIES), 1));
    const series: string[] = [];
    for (const key of keys.slice(0, SERIES)) {
      await turn(); // a snapshot may be large; the line goes on in between
      const { timesMs, values } = this.#core.history(key, fromMs, toMs);
      if (timesMs.length === 0) continue;
      const kept = thin(timesMs, values, each);
      const offsets = kept.map((at) => Math.round((timesMs[at] ?? 0) - fromMs));
      const seen = kept.map((at) => Number((values[at] ?? 0).toPrecision(7)));
      series.push(
        JSON.stringify({ ...parseSeriesKey(key), samples: timesMs.length, offsets_ms: offsets, values: seen }),
      );
    }
    if (series.length === 0) return null;
    const head = JSON.stringify({
      schema: 'faultline/samples/1',
      incident_id: incident.id,
      host: incident.host,
      from: formatTime(fromMs),
      to: formatTime(toMs),
    });
    return `${head.slice(0, -1)},"series":[\n${series.join(',\n')}\n]}\n`;
  }

  async #removeOld(newest: string): Promise<void> {
    const { directory, maxBytes, maxAgeMs } = this.#options;
    const names = (await readdir(directory)).filter((name) => SAMPLES.test(name));
    const files = await Promise.all(
      names.map(async (name) => {
        const path = join(directory, name);
        const found = await stat(path).catch(() => null);
        return { path, bytes: found?.size ?? 0, writtenMs: found?.mtimeMs ?? 0 };
      }),
    );
    let bytes = 0;
    for (const file of files.sort((a, b) => b.writtenMs - a.writtenMs)) {
      bytes += file.bytes;
      const old = this.#now() - file.writtenMs > maxAgeMs;
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
