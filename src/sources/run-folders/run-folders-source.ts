// Source of run folders: finds the files of runs, reads them as they grow, and hands each step over as a line of its job.

import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { within } from '../../helpers/within.ts';
import type { WorkView } from '../../identity/work/work.ts';
import type { NamedBy } from '../../model/native-files.ts';
import type { Emit } from '../../model/record.ts';
import { checkFolder } from '../files/checked-file.ts';
import { Rounds } from '../rounds.ts';
import type { Source, SourceCounts, SourceHealth } from '../source.ts';
import { OpenStep } from './open-step.ts';
import { HeldBytes } from './read/held-bytes.ts';
import type { StepNumbers } from './read/messages.ts';
import { isRunFile, RunFile } from './read/run-file.ts';
import { runLine } from './run-line.ts';

const SOURCE = 'run-folders';
const POLL_MS = 2000;
/** Runs are written every few seconds to minutes: a folder is listed now and then. */
const LIST_EVERY_MS = 20_000;
const MOST_FILES = 64;
/** Of them found ones of one user: whoever writes many leaves room for others. */
const MOST_OF_USER = 16;
/** Chunks of one file that are read before the others have their turn: a file may be without end. */
const MOST_CHUNKS = 8;
const MOST_NAMES = 4096;
/** "run/wandb/run-…/", "logs/version_0/". */
const DEEPEST = 3;
/** What was recorded shortly before the start is as new as what comes. */
const NEW_MS = 60_000;
const STOP_MS = 1000;
/** What a job recorded last is read when its processes are gone already. */
const AFTER_END_MS = 60_000;

export interface RunFoldersOptions {
  readonly now: () => number;
  readonly steady: (wallMs: number) => number;
  readonly pollMs?: number;
  /** The jobs on this host, whose processes write runs; left out: only what is configured is read. */
  readonly work?: () => WorkView;
}

interface Folder {
  readonly job: string;
  readonly path: string;
  /** By whose rights it is read, where a job's process writes there; left out: as it is configured. */
  readonly namedBy?: NamedBy;
}

interface Followed {
  readonly job: string;
  /** Of a found one: the user who writes it. */
  readonly user: number | null;
  readonly file: RunFile;
  /** Of a found one: when its job was seen last. */
  seenMs: number | null;
  /** TensorBoard records each number of a step by itself. */
  readonly open: OpenStep;
}

export class RunFoldersSource implements Source {
  readonly name = SOURCE;
  readonly #folders: readonly Folder[];
  readonly #options: RunFoldersOptions;
  readonly #held = new HeldBytes();
  readonly #files = new Map<string, Followed>();
  #emit: Emit | null = null;
  readonly #rounds: Rounds;
  #loop: Promise<void> = Promise.resolve();
  #listedMs = Number.NEGATIVE_INFINITY;
  #startedWallMs = 0;
  #steps = 0;
  #position = 0;
  #leftOut = 0;
  #looked = false;

  constructor(folders: readonly Folder[], options: RunFoldersOptions) {
    this.#folders = folders;
    this.#options = options;
    this.#rounds = new Rounds(options.pollMs ?? POLL_MS);
  }

  start(emit: Emit, signal: AbortSignal): void {
    this.#emit = emit;
    this.#startedWallMs = Date.now();
    signal.addEventListener('abort', () => void this.stop(), { once: true });
    this.#loop = this.#rounds.run(
      () => this.#round(emit).finally(() => (this.#looked = true)),
      (error) => emit.failed?.(error),
    );
  }

  health(): readonly SourceHealth[] {
    const named = { source: SOURCE };
    if (!this.#looked) return [{ ...named, status: 'absent', detail: 'starting', remedy: null }];
    if (this.#files.size === 0) {
      const paths = this.#folders.map(({ path }) => path).join(', ');
      if (paths === '') return [{ ...named, status: 'absent', detail: 'no job records a run here', remedy: null }];
      const detail = `no file of a run under ${paths}`;
      return [{ ...named, status: 'absent', detail, remedy: 'check sources.run_folders path, or start the job' }];
    }
    const troubles = [...this.#files.values()].flatMap(({ file }) => (file.trouble === null ? [] : [`${file.path}: ${file.trouble}`])); // biome-ignore format: one line
    const leftOut = this.#leftOut === 0 ? '' : `, ${this.#leftOut} further files left out`;
    const passed = [...this.#files.values()].reduce((sum, { file }) => sum + file.passed, 0);
    const long = passed === 0 ? '' : `, ${passed} records passed over as too long`;
    const detail = `${this.#files.size} files, ${this.#steps} steps${leftOut}${long}`;
    const partial = troubles.length > 0;
    return [
      {
        ...named,
        status: partial ? 'partial' : 'works',
        detail: partial ? `${troubles[0]}; ${detail}` : detail,
        remedy: partial ? 'a file that is damaged is read up to there: remove it, or start another run' : null,
      },
    ];
  }

  counts(): readonly SourceCounts[] {
    return [{ source: SOURCE, reads: this.#steps }];
  }

  async stop(): Promise<void> {
    this.#emit = null;
    this.#rounds.stop();
    await within(STOP_MS, this.#loop);
  }

  async #round(emit: Emit): Promise<void> {
    await this.#list();
    for (const followed of this.#files.values()) await this.#readOn(followed, emit);
  }

  async #readOn(followed: Followed, emit: Emit): Promise<void> {
    for (let more = true, chunks = 0; more && chunks < MOST_CHUNKS && this.#emit !== null; chunks += 1) {
      const read = await followed.file.read();
      for (const step of read.steps) this.#hand(followed, followed.open.take(step), emit);
      more = read.more;
      await new Promise((resolve) => setImmediate(resolve));
    }
    // What is there of a step is handed over: its other numbers may never come.
    this.#hand(followed, followed.open.close(), emit);
  }

  #hand({ job, file }: Followed, open: StepNumbers | null, emit: Emit): void {
    const text = open === null ? null : runLine(open);
    if (open === null || text === null || this.#emit === null) return;
    this.#steps += 1;
    this.#position += 1;
    const { now, steady } = this.#options;
    const old = open.wallMs !== null && open.wallMs < this.#startedWallMs - NEW_MS;
    emit.text({
      source: SOURCE,
      trust: 'tenant',
      stream: `${file.tool}/${job}:${file.path}`.slice(0, 1024),
      position: this.#position,
      timeMs: open.wallMs === null ? null : Math.min(steady(open.wallMs), now()),
      timeDigits: 3,
      observedMs: now(),
      text,
      attributes: { job, framework: 'auto', numbers: true, path: file.path, ...(old ? { history: true } : {}) },
    });
  }

  async #list(): Promise<void> {
    const nowMs = this.#options.now();
    if (nowMs - this.#listedMs < LIST_EVERY_MS && this.#files.size > 0) return;
    this.#listedMs = nowMs;
    this.#leftOut = 0;
    for (const folder of this.#folders) this.#take(folder, await filesUnder(folder.path, DEEPEST), null);
    for (const folder of this.#found()) this.#take(folder, await filesOfFound(folder), nowMs);
    for (const [path, { seenMs }] of this.#files)
      if (seenMs !== null && nowMs - seenMs > AFTER_END_MS) this.#files.delete(path);
  }

  /** Folders that a process of a job writes in. */
  #found(): Folder[] {
    return (this.#options.work?.().works ?? []).flatMap(({ id, runFolders = [] }) =>
      runFolders.flatMap(({ path, namedBy }) => (namedBy === undefined ? [] : [{ job: id, path, namedBy }])),
    );
  }

  /** A file that two jobs write stays with the one that it was found of first. */
  #take({ job, namedBy }: Folder, paths: readonly string[], seenMs: number | null): void {
    const user = namedBy?.[0] ?? null;
    let ofUser = user === null ? 0 : [...this.#files.values()].filter((each) => each.user === user).length;
    for (const path of paths) {
      const known = this.#files.get(path);
      if (known !== undefined) known.seenMs = known.seenMs === null ? null : seenMs;
      else if (this.#files.size >= MOST_FILES || (user !== null && ofUser >= MOST_OF_USER)) this.#leftOut += 1;
      else {
        ofUser += 1;
        const file = new RunFile(path, this.#held, namedBy);
        this.#files.set(path, { job, user, file, open: new OpenStep(), seenMs });
      }
    }
  }
}

/** A run's own files lie in its folder, which its user must be able to enter. */
async function filesOfFound({ path, namedBy }: Folder): Promise<string[]> {
  try {
    await checkFolder(path, namedBy);
  } catch {
    return []; // gone, or a way that is not the user's own
  }
  return filesUnder(path, 0);
}

/** Links are not followed. */
async function filesUnder(path: string, depth: number): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await entriesOf(path)) {
    const each = join(path, entry.name);
    if (entry.isFile() && isRunFile(entry.name)) found.push(each);
    else if (entry.isDirectory() && depth > 0) found.push(...(await filesUnder(each, depth - 1)));
    if (found.length > MOST_NAMES) break;
  }
  return found;
}

/** The first ones: a folder may have millions, which would all be in memory at once. */
async function entriesOf(path: string): Promise<Dirent[]> {
  const entries: Dirent[] = [];
  try {
    for await (const entry of await opendir(path)) {
      entries.push(entry);
      if (entries.length >= MOST_NAMES) break;
    }
  } catch {} // not there yet, or not to be read
  return entries;
}
