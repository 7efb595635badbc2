// Journal source: follows every stream of the journal's folders from where the last run left it, and hands its lines over.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOrText } from '../../helpers/error-code.ts';
import { StateFile } from '../../helpers/files/state-file.ts';
import { within } from '../../helpers/within.ts';
import type { Emit } from '../../model/record.ts';
import { Rounds } from '../rounds.ts';
import type { Source, SourceCounts, SourceHealth } from '../source.ts';
import { TextIntake } from '../text-in/text-intake.ts';
import { coreDump, type EntryPlace, entryLine } from './entry-line.ts';
import type { JournalEntry } from './file/journal-file.ts';
import { streamsIn } from './journal-files.ts';
import type { JournalSettings } from './settings.ts';
import { type Cursor, StreamReader } from './stream-reader.ts';

const SOURCE = 'journal';
const POLL_MS = 1000;
const LIST_EVERY_MS = 5000;
const MOST_STREAMS = 256;
/** Of one stream in one turn; then the others and the event loop have theirs. */
const PIECE = 256;
const STOP_MS = 1000;
const MOST_STATE = 256 * 1024;
/** What was written shortly before the start is as new as if it were read while it was written. */
const NEW_MS = 10_000;

export interface JournalOptions {
  readonly host: string;
  readonly now: () => number;
  readonly steady: (wallMs: number) => number;
  readonly proc: string;
  /** The state folder; null to keep nothing. */
  readonly state: string | null;
  /** This boot's kernel lines are wanted. */
  readonly kernel: () => boolean;
  readonly pollMs?: number;
}

export class JournalSource implements Source {
  readonly name = SOURCE;
  readonly #settings: JournalSettings;
  readonly #options: JournalOptions;
  readonly #intake: TextIntake;
  readonly #streams = new Map<string, StreamReader>();
  readonly #cursors = new Map<string, Cursor>();
  readonly #state: StateFile;
  /** Machines that this host is, by the boots that both have had. */
  readonly #machines = new Set<string>();
  #boot = '';
  #startedWallMs = 0;
  #listedMs = Number.NEGATIVE_INFINITY;
  #emit: Emit | null = null;
  readonly #rounds: Rounds;
  #loop: Promise<void> = Promise.resolve();
  #entries = 0;
  /** By path: why it is not read. */
  readonly #missing = new Map<string, string>();
  #looked = false;

  constructor(settings: JournalSettings, options: JournalOptions) {
    this.#settings = settings;
    this.#options = options;
    this.#rounds = new Rounds(options.pollMs ?? POLL_MS);
    const { host, now, steady, kernel, state } = options;
    const { hosts, linesPerSecond } = settings;
    this.#intake = new TextIntake({ source: SOURCE, host, hosts, now, steady, kernel, linesPerSecond });
    this.#state = new StateFile({
      directory: state,
      name: 'journal-cursors.json',
      schema: 'faultline/journal-cursors/1',
      maxBytes: MOST_STATE,
      settleMs: 2000,
      content: () => ({ streams: Object.fromEntries(this.#cursors) }),
    });
  }

  start(emit: Emit, signal: AbortSignal): void {
    this.#emit = emit;
    this.#startedWallMs = Date.now();
    signal.addEventListener('abort', () => void this.stop(), { once: true });
    this.#loop = this.#follow(emit);
  }

  health(): readonly SourceHealth[] {
    const named = { source: SOURCE };
    if (!this.#looked) return [{ ...named, status: 'absent', detail: 'starting', remedy: null }];
    if (this.#streams.size === 0) {
      const denied = [...this.#missing].find(([, code]) => code === 'EACCES' || code === 'EPERM');
      if (denied !== undefined) {
        const remedy = 'add the service to the group that may read it: usermod -a -G systemd-journal faultline';
        return [{ ...named, status: 'no_permission', detail: `${denied[0]}: permission denied`, remedy }];
      }
      const detail = `no journal files under ${this.#settings.paths.join(', ')}`;
      return [{ ...named, status: 'absent', detail, remedy: 'set Storage=persistent in journald.conf, or sources.journal.paths' }];
    } // biome-ignore format: short enough
    const troubles = [...this.#streams.values()].flatMap(({ trouble }) => (trouble === null ? [] : [trouble]));
    const skipped = [...this.#streams.values()].reduce((sum, stream) => sum + stream.skipped, 0);
    const unreadable = [...this.#streams.values()].reduce((sum, stream) => sum + stream.unreadable, 0);
    const lost = `${skipped === 0 ? '' : `, ${skipped} entries passed over`}${unreadable === 0 ? '' : `, ${unreadable} fields packed with xz or damaged`}`;
    const detail = `${this.#streams.size} streams, ${this.#entries} entries, ${this.#intake.taken} lines taken${lost}${this.#intake.leftOut()}`;
    const partial = troubles.length > 0;
    return [
      {
        ...named,
        status: partial ? 'partial' : 'works',
        detail: partial ? `${troubles[0]}; ${detail}` : detail,
        remedy: partial ? 'journalctl --verify names what is damaged' : null,
      },
    ];
  }

  counts(): readonly SourceCounts[] {
    const lost = this.#intake.tooFast + [...this.#streams.values()].reduce((sum, stream) => sum + stream.skipped, 0);
    return [{ source: SOURCE, reads: this.#entries, lost }];
  }

  async stop(): Promise<void> {
    if (this.#emit === null) return;
    this.#emit = null;
    this.#rounds.stop();
    await within(
      STOP_MS,
      this.#loop.then(() => this.#ended()),
    );
  }

  async #ended(): Promise<void> {
    await Promise.all([...this.#streams.values()].map((stream) => stream.close()));
    await this.#state.stop();
  }

  async #follow(emit: Emit): Promise<void> {
    const boot = await readFile(join(this.#options.proc, 'sys/kernel/random/boot_id'), 'utf8').catch(() => '');
    this.#boot = boot.trim().replaceAll('-', '');
    await this.#state.read((document) => this.#takeCursors(document.streams));
    await this.#rounds.run(
      () => this.#round(emit).finally(() => (this.#looked = true)),
      (error) => emit.failed?.(error),
    );
  }

  async #round(emit: Emit): Promise<void> {
    await this.#list();
    for (let more = true; more && this.#emit !== null; ) {
      more = false;
      for (const stream of this.#streams.values()) {
        if (this.#emit === null) return;
        const read = await stream.read(PIECE);
        // Before they are taken: should one of them end the process, the next start does not meet it again.
        if (stream.cursor !== null && read.entries.length > 0) {
          this.#cursors.set(stream.stream, stream.cursor);
          this.#state.changed();
        }
        for (const entry of read.entries) this.#take(stream, entry, emit);
        more ||= read.more;
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async #list(): Promise<void> {
    const nowMs = this.#options.now();
    if (nowMs - this.#listedMs < LIST_EVERY_MS && this.#streams.size > 0) return;
    this.#listedMs = nowMs;
    for (const path of this.#settings.paths) {
      try {
        for (const { stream: name, remote, paths } of await streamsIn(path)) {
          const stream = this.#streams.get(name) ?? new StreamReader(name, remote, this.#cursors.get(name) ?? null);
          if (!this.#streams.has(name) && this.#streams.size >= MOST_STREAMS) continue;
          stream.paths = paths;
          this.#streams.set(name, stream);
        }
        this.#missing.delete(path);
      } catch (error) {
        this.#missing.set(path, codeOrText(error));
      }
    }
  }

  #take(stream: StreamReader, entry: JournalEntry, emit: Emit): void {
    if (this.#emit === null) return;
    this.#entries += 1;
    const { fields, bootId, wallMs } = entry;
    const machine = fields.get('_MACHINE_ID') ?? '';
    const thisBoot = bootId === this.#boot && !stream.remote;
    if (thisBoot && machine !== '') this.#machines.add(machine);
    const own = thisBoot || (!stream.remote && this.#machines.has(machine));
    const place: EntryPlace = {
      stream: `journal/${stream.stream}`,
      remote: stream.remote,
      history: !thisBoot || wallMs < this.#startedWallMs - NEW_MS,
      host: own ? null : (fields.get('_HOSTNAME') ?? '(unnamed)'),
    };
    const { host, now, steady } = this.#options;
    const crash = coreDump(entry, place, host, { wallMs: steady, observedMs: now() });
    if (crash !== null) emit.event(crash);
    const line = entryLine(entry, place, this.#settings.work);
    if (line !== null) this.#intake.take(line, emit);
  }

  /** Whatever is in the file. */
  #takeCursors(streams: unknown): boolean {
    if (typeof streams !== 'object' || streams === null) return false;
    for (const [name, value] of Object.entries(streams).slice(0, MOST_STREAMS)) {
      const { seqnumId, seqnum, wallMs } = (value ?? {}) as Record<string, unknown>; // each is looked at
      if (typeof seqnumId === 'string' && Number.isSafeInteger(seqnum) && Number.isFinite(wallMs))
        this.#cursors.set(name, { seqnumId, seqnum: seqnum as number, wallMs: wallMs as number });
    }
    return true;
  }
}
