// Flight-recorder source: finds the dumps of this host's jobs, waits until they rest, has them read elsewhere, reports who stopped.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { errorText } from '../../helpers/error-text.ts';
import { within } from '../../helpers/within.ts';
import type { HostProcesses } from '../../identity/host-processes.ts';
import type { Identity } from '../../identity/identity.ts';
import { stableId } from '../../model/identity.ts';
import type { Emit, EventInput } from '../../model/record.ts';
import type { OnSummary } from '../services.ts';
import type { Source, SourceCounts, SourceHealth } from '../source.ts';
import type { DumpFolder } from './dumps/dump-folder.ts';
import { dumpedRanks } from './dumps/dumped-ranks.ts';
import { inTurns } from './dumps/in-turns.ts';
import { namedSummary } from './dumps/named-summary.ts';
import type { Wave } from './dumps/owner-wave.ts';
import { type Place, Places } from './dumps/places.ts';
import { type ReadAround, readAround } from './dumps/read-around.ts';
import { verdictEvents } from './dumps/verdict-events.ts';
import { type DumpState, dumpHealth } from './health.ts';
import { askForDumps } from './jobs/ask-for-dumps.ts';
import { LastingStalls } from './jobs/lasting-stalls.ts';
import { recorderOff } from './jobs/recorder-off.ts';
import type { DumpFolderSettings, FlightRecorderSettings } from './settings.ts';

const SOURCE = 'flight-recorder';
/** Looking for new processes costs more than looking at folders. */
const SCAN_EVERY_MS = 10_000;
/** How long after the last dump one that may still come is waited for. */
const GRACE_MS = 10_000;
const TRIGGER_EVERY_MS = 600_000;
const STOP_MS = 1000;
const MAX_REPORTED = 4096;
/** How far apart two dumps may place the beginning of one stall, ms: clocks of hosts differ by seconds. */
const SAME_STALL_MS = 60_000;
/** Where the dumps do not tell when it began: the longest usual timeout. */
const SAME_UNDATED_MS = 1_800_000;
/** Each may make the correlator think; a stall of a large job brings dozens at once. */
const EVENTS_A_TURN = 8;

const NO_PROCESSES = { ranks: [], refused: 0, hanging: [] } as const;

export interface FlightRecorderOptions {
  readonly host: string;
  /** Epoch ms on the steady clock. */
  readonly now: () => number;
  /** Epoch ms on the steady clock of what the wall clock showed: files and dumps are stamped by that one. Left out: equal. */
  readonly steady?: (wallMs: number) => number;
  /** The reader: `faultline-fr`. */
  readonly program: string;
  /** Knows the job and the GPU of a rank; learns of the reader's processes. */
  readonly identity: Identity;
  /** Folders that PyTorch writes to by itself. */
  readonly standard: readonly DumpFolderSettings[];
  readonly graceMs?: number;
  /** Before the reader is started again after it was ended by a signal; see `readAround`. */
  readonly backOffMs?: number;
  readonly onSummary?: OnSummary;
}

export class FlightRecorderSource implements Source {
  readonly name = SOURCE;
  readonly #config: FlightRecorderSettings;
  readonly #options: FlightRecorderOptions;
  readonly #places: Places;
  readonly #abort = new AbortController();
  /** What was reported, and of what time, ms. */
  readonly #reported = new Map<string, number>();
  readonly #lasting = new LastingStalls();
  #emit: Emit | null = null;
  #timer: NodeJS.Timeout | null = null;
  #round: Promise<void> = Promise.resolve();
  #looked = false;
  #scannedMs = Number.NEGATIVE_INFINITY;
  readonly #askedMs = { device: Number.NEGATIVE_INFINITY, job: Number.NEGATIVE_INFINITY };
  #analyses = 0;
  #failures = 0;
  #failure: DumpState['failure'] = null;
  #kept = '';

  constructor(config: FlightRecorderSettings, options: FlightRecorderOptions) {
    this.#config = config;
    this.#options = options;
    this.#places = new Places([...config.folders, ...options.standard]);
  }

  /** Ranks of this host, where processes are looked at. */
  get #processes(): Pick<HostProcesses, 'ranks' | 'refused' | 'hanging'> {
    return this.#config.processes ? this.#options.identity.processes : NO_PROCESSES;
  }

  start(emit: Emit, signal: AbortSignal): void {
    this.#emit = emit;
    signal.addEventListener('abort', () => void this.stop(), { once: true });
    this.#next(0);
  }

  health(): readonly SourceHealth[] {
    const places = this.#places.all;
    const { jobs } = this.#options.identity;
    const health = dumpHealth({
      looked: this.#looked,
      folders: places.length,
      files: places.reduce((sum, { folder }) => sum + folder.files, 0),
      ranks: this.#processes.ranks.length,
      refused: this.#processes.refused,
      hanging: this.#processes.hanging,
      analyses: this.#analyses,
      unreadable: places.flatMap(({ folder: { path, error } }) => (error === null ? [] : [[path, error] as const])),
      left: refusedOf(places.map(({ folder }) => folder)),
      failure: this.#failure,
      kept: this.#kept,
      conflicts: jobs.conflicts,
      off: [
        ...new Set(
          this.#processes.ranks.filter(({ off }) => off !== null).map((rank) => jobs.ofRank(rank) ?? 'unnamed'),
        ),
      ],
    });
    return [health];
  }

  counts(): readonly SourceCounts[] {
    return [{ source: SOURCE, reads: this.#analyses, failures: this.#failures }];
  }

  /**
   * Something may have stopped the job: its ranks are asked for dumps, where that is configured. At the fault of a device they
   * have waited for a moment only; once the job is known to stand they are asked again.
   */
  suspect(why: 'device' | 'job'): void {
    const nowMs = this.#options.now();
    if (!this.#config.trigger || this.#emit === null || nowMs - this.#askedMs[why] < TRIGGER_EVERY_MS) return;
    this.#askedMs[why] = nowMs;
    void askForDumps(this.#processes.ranks);
  }

  /** A job was seen to make steps again: what its dumps showed is over. */
  continues(job: string): void {
    const { jobs } = this.#options.identity;
    for (const end of this.#lasting.continues((named) => jobs.canonical(named) === job, this.#options.now()))
      this.#emit?.event(end);
  }

  async stop(): Promise<void> {
    this.#emit = null;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#abort.abort();
    await within(STOP_MS, this.#round);
  }

  #next(delayMs: number): void {
    this.#timer = setTimeout(() => {
      this.#round = this.#look()
        .catch((error: unknown) => this.#emit?.failed?.(error))
        .finally(() => {
          if (this.#emit !== null) this.#next(this.#config.intervalMs);
        });
    }, delayMs);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    const nowMs = this.#options.now();
    if (nowMs - this.#scannedMs >= SCAN_EVERY_MS) {
      this.#scannedMs = nowMs;
      if (this.#config.processes) await this.#options.identity.processes.look(SCAN_EVERY_MS);
      const alive = new Set(this.#processes.ranks.map(({ pid }) => pid));
      for (const end of this.#lasting.gone(alive, this.#options.now())) this.#emit?.event(end);
      const { jobs } = this.#options.identity;
      const { ranks } = this.#processes;
      const logged = ranks.map((rank) => ({ ...rank, job: jobs.ofLog(rank) }));
      jobs.declared(await this.#places.refresh(logged, nowMs));
      const named = this.#processes.ranks.map((rank) => ({ ...rank, job: jobs.ofRank(rank) }));
      for (const event of recorderOff(named, nowMs))
        this.#tell(event, `off ${event.component?.id}`, Number.POSITIVE_INFINITY);
    }
    for (const place of this.#places.all) {
      if (this.#emit === null) return;
      const { folder, localRanks, worldSize } = place;
      // Dumps of this host alone, or of the whole job where the folder is shared.
      const expected = localRanks.size === 0 ? null : folder.files > localRanks.size ? worldSize : localRanks.size;
      const wave = await folder.look(this.#options.now(), expected, this.#options.graceMs ?? GRACE_MS);
      if (wave === null) continue;
      const startedMs = performance.now();
      await this.#analyse(place, wave);
      folder.took(wave, performance.now() - startedMs, this.#options.now());
    }
    this.#looked = true;
  }

  async #analyse(place: Place, wave: Wave): Promise<void> {
    let read: ReadAround;
    const { program, backOffMs, identity } = this.#options;
    const { path } = place.folder;
    try {
      read = await readAround(wave.paths, this.#abort.signal, {
        program,
        namedBy: place.folder.namedBy,
        ...(backOffMs === undefined ? {} : { backOffMs }),
        own: identity.own,
      });
    } catch (error) {
      if (this.#emit === null) return;
      this.#failures += 1;
      this.#failure = { why: errorText(error), folder: path };
      return;
    }
    this.#failure = read.fatal.length === 0 ? null : { why: leftOut(read.fatal), folder: path };
    this.#failures += read.fatal.length;
    this.#analyses += 1;
    this.#kept = read.kept;
    const { host, now } = this.#options;
    const { jobs } = identity;
    const whose = place.writers.of(wave.owner, now()) ?? { job: place.job, ranks: place.localRanks, stranger: false };
    const job = jobs.ofDumps(path, wave.owner, whose);
    const dumped = { user: wave.owner, job, ranks: dumpedRanks(wave.paths), world: read.document.job.world_size };
    const knownBy = 'dumps of its flight recorder';
    if (dumped.ranks.length > 0) identity.work.dumped.set({ ...dumped, atMs: wave.newestMs, knownBy });
    if (read.summary !== null) this.#options.onSummary?.(job, namedSummary(read.summary, { job, host }), now());
    const localRanks = new Set([...whose.ranks, ...jobs.ranksOf(job)]);
    const steady = this.#options.steady ?? ((wallMs) => wallMs);
    const context = { job, host, localRanks, newestMs: steady(wave.newestMs), nowMs: now(), steady };
    const pids = this.#processes.ranks
      .filter((rank) => (jobs.ofRank(rank) ?? (whose.ranks.has(rank.rank) ? job : null)) === job)
      .map(({ pid }) => pid);
    // What was read so far was this turn's work.
    await nextTurn();
    for await (const portion of inTurns(verdictEvents(read.document, context), EVENTS_A_TURN)) {
      for (const event of portion) {
        const key = stableId(job, event.kind, event.component?.id ?? '', event.discriminator ?? '');
        this.#tell(event, key, sameStallMs(event), (reported) => this.#lasting.begun(reported, job, pids));
      }
    }
  }

  /**
   * Once a key: the same stall is seen again in a later dump, the same job at every look. The same operation of the same
   * group stalls a second time only where the job was started again meanwhile, and `sameMs` later.
   */
  #tell(event: EventInput, key: string, sameMs: number, as = (reported: EventInput): EventInput => reported): void {
    const beforeMs = this.#reported.get(key);
    if (beforeMs !== undefined && event.timeMs - beforeMs <= sameMs) return;
    this.#reported.delete(key);
    this.#reported.set(key, event.timeMs);
    for (const oldest of this.#reported.keys()) {
      if (this.#reported.size <= MAX_REPORTED) break;
      this.#reported.delete(oldest);
    }
    this.#emit?.event(as(event));
  }
}

function sameStallMs({ timeMs, interval }: EventInput): number {
  return interval?.earliestMs === timeMs ? SAME_STALL_MS : SAME_UNDATED_MS;
}

function refusedOf(folders: readonly DumpFolder[]): DumpState['left'] {
  const folder = folders.find(({ error }) => error === 'refused') ?? folders.find(({ refused }) => refused !== null);
  if (folder === undefined || folder.refused === null) return null;
  const { message: why, remedy } = folder.refused;
  return { why, remedy, folder: folder.error === 'refused' };
}

function leftOut(fatal: readonly string[]): string {
  const shown = fatal.slice(0, 3).join(', ');
  return `${fatal.length} that end the reader were left out (${shown}${fatal.length > 3 ? ' …' : ''}), the others were read`;
}
