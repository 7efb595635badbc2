// A polled source whose files a native thread reads while nothing changes, and which looks for itself when something does.

import type { Trust } from '../../model/event.ts';
import { type FileWatchOptions, type NativeCore, type NativeFileWatch, type Notice, native } from '../../native.ts';
import type { SourceCounts } from '../source.ts';
import { PolledSource } from './polled-source.ts';
import { ANSWER_MS, type SmallFiles } from './small-files.ts';

/** While native code reads, this thread looks so often whether it is held up, or at the interval where that is longer. */
const WATCH_MS = 6_000;
/** Rounds without a watch after one that found at once that its files are not what they were thought to be. */
const ROUNDS_APART = 60;

export type WatchPlan = FileWatchOptions['groups'];
/** Begins a watch whose samples go to the core, and whose notice comes back to `handleNotice`. */
export type Watch = (options: FileWatchOptions) => NativeFileWatch;

export function watchInto(core: NativeCore): Watch {
  return (options) => new (native().FileWatch)(core, options);
}

export abstract class WatchedSource extends PolledSource {
  readonly #intervalMs: number;
  #begin: Watch | null;
  readonly #trust: Trust;
  /** Series that are known downstream as this source's. */
  readonly #announced = new Set<string>();
  #watch: NativeFileWatch | null = null;
  #name = '';
  #watches = 0;
  #startedMs = 0;
  #rest = 0;
  #past = { reads: 0, readSeconds: 0, dropped: 0 };

  /** `watch`: null: nothing is read natively. */
  constructor(name: string, intervalMs: number, files: SmallFiles, trust: Trust, watch: Watch | null) {
    super(name, intervalMs, files);
    this.#intervalMs = intervalMs;
    this.#trust = trust;
    this.#begin = watch;
  }

  /** Rounds of which each last one reads more. */
  protected abstract readonly slowRounds: number;
  /** One round of looking for itself. */
  protected abstract look(): Promise<void>;
  /** What native code can read for this source from now on, as the last look found it; null: it must look itself. */
  protected abstract plan(): WatchPlan | null;
  /** What is due this many rounds after native code began to read; false: it must look itself. */
  protected abstract meanwhile(rounds: number): Promise<boolean>;
  /** Native code read for so many rounds, and ends. `groups` is what `NativeFileWatch.groups` says of the plan's. */
  protected abstract taken(rounds: number, groups: Float64Array): void;

  override counts(): readonly SourceCounts[] {
    const { reads, readSeconds } = this.#counted();
    return super.counts().map((one) => ({
      ...one,
      reads: (one.reads ?? 0) + reads,
      readSeconds: (one.readSeconds ?? 0) + readSeconds,
    }));
  }

  /** A file that native code reads is not what it was: this source looks at once. */
  handleNotice(notice: Notice): void {
    if (this.#watch !== null && notice.name === 'files_changed' && notice.watch === this.#name) this.lookAgain();
  }

  override async stop(): Promise<void> {
    this.#watch?.stop();
    this.#watch = null;
    await super.stop();
  }

  /** What native code knows of each group of the plan; null while it reads nothing. */
  protected get watched(): Float64Array | null {
    return this.#watch?.groups() ?? null;
  }

  protected get droppedNatively(): number {
    return this.#counted().dropped;
  }

  protected override get stuck(): readonly string[] {
    const path = this.#watch?.hangs(ANSWER_MS) ?? null;
    return path === null ? super.stuck : [...super.stuck, path];
  }

  /** Ends the watch, and looks now. */
  protected lookAgain(): void {
    this.#release();
    this.again();
  }

  protected async round(): Promise<void> {
    const watch = this.#watch;
    if (watch !== null) {
      const rounds = this.#rounds();
      const hanging = watch.hangs(ANSWER_MS);
      const goesOn = hanging === null && !watch.ended() && (await this.meanwhile(rounds));
      if (goesOn || watch !== this.#watch) return;
      if (hanging !== null) this.files.hold(hanging, () => watch.ended());
      this.#release();
    }
    const startedMs = performance.now();
    await this.look();
    this.#arm(startedMs);
  }

  #arm(startedMs: number): void {
    if (this.#begin === null || this.emit === null || this.stuck.length > 0) return;
    if (this.#rest > 0) {
      this.#rest -= 1;
      return;
    }
    const groups = this.plan();
    if (groups === null) return;
    this.#announce(groups);
    this.#watches += 1;
    this.#name = `${this.name} ${this.#watches}`;
    const intervalMs = this.#intervalMs;
    const firstMs = Math.max(0, intervalMs - (performance.now() - startedMs));
    const { slowRounds } = this;
    try {
      this.#watch = this.#begin({ name: this.#name, intervalMs, firstMs, slowRounds, groups });
    } catch {
      this.#begin = null; // more files than it takes: they are read here as before
      return;
    }
    this.#startedMs = performance.now() + firstMs - intervalMs;
    this.pace(intervalMs * roundsApart(intervalMs, slowRounds));
  }

  /** An absent value is not a sample: it only says whose series these are. */
  #announce(groups: WatchPlan): void {
    const keys = groups.flatMap(({ series }) => series.map(({ key }) => key));
    const fresh = keys.filter((key) => key !== '' && !this.#announced.has(key));
    if (fresh.length === 0) return;
    for (const key of fresh) this.#announced.add(key);
    const none = fresh.map(() => Number.NaN);
    this.emit?.samples({
      source: this.name,
      trust: this.#trust,
      keys: fresh,
      timesMs: none.map(() => 0),
      values: none,
    });
  }

  #release(): void {
    const watch = this.#watch;
    if (watch === null) return;
    watch.stop();
    const { rounds } = watch.counts();
    this.#past = this.#counted();
    this.#watch = null;
    if (rounds === 0) this.#rest = ROUNDS_APART;
    this.taken(rounds, watch.groups());
    this.pace(this.#intervalMs);
  }

  /** By this thread's clock: the rounds of native code are as even, and may be a moment late. */
  #rounds(): number {
    return Math.round((performance.now() - this.#startedMs) / this.#intervalMs);
  }

  #counted(): { reads: number; readSeconds: number; dropped: number } {
    const { reads, readSeconds, dropped } = this.#past;
    const now = this.#watch?.counts();
    if (now === undefined) return this.#past;
    return { reads: reads + now.reads, readSeconds: readSeconds + now.readSeconds, dropped: dropped + now.dropped };
  }
}

/** The most rounds between two looks of this thread, so that one falls on each slow round. */
function roundsApart(intervalMs: number, slowRounds: number): number {
  let most = 1;
  for (let rounds = 2; rounds <= slowRounds; rounds += 1) {
    if (slowRounds % rounds === 0 && rounds * intervalMs <= WATCH_MS) most = rounds;
  }
  return most;
}
