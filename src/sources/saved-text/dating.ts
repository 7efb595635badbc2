// Dating: when each line of one saved log was written, in epoch ms, where its stamps lack year, zone or date.

import type { Stamp } from './form/stamp.ts';

const SECOND_MS = 1000;
/** Between lines of one second of which nothing says more than their order. */
const LINE_MS = 0.001;
const DAY_MS = 86_400_000;
const HALF_YEAR_MS = 183 * DAY_MS;
/** Lines are a little out of order in any log of several writers; further back, the host has started again. */
const REBOOT_MS = 10_000;

/** What had to be assumed to date the lines. */
export type Assumed = 'zone' | 'year' | 'boot_time' | 'ahead';

export interface Dated {
  readonly timeMs: number;
  readonly digits: number;
}

export interface DatingOptions {
  /** When the log was saved, epoch ms: no line of it is newer. */
  readonly savedMs: number;
  /** The newest stamp since boot in it, where its end was looked at: it was saved right after. */
  readonly lastBootMs?: number | null;
  /** Epoch ms of the boot that its stamps count from, where another part of the file says so by the first of them. */
  readonly bootedMs?: () => number | null;
}

/**
 * A stamp without zone is UTC. One without year is of the newest year in which it is not newer than the file, or of the year of its
 * neighbours. Stamps since boot are counted from the dates of neighbours, or back from when the file was saved. A line without
 * stamp is undated: it was written with the one before it.
 */
export class Dating {
  readonly assumed = new Set<Assumed>();
  readonly #savedMs: number;
  readonly #lastBootMs: number | null;
  #lastMs: number | null = null;
  /** Epoch ms of the boot that its stamps count from. */
  #bootedMs: number | null = null;
  #uptimeMs = 0;
  /** Of the last line whose place within its second is known: that second, what its time came to, and the boot that its own stamp means, if it had one. */
  #both: { readonly secondMs: number; readonly timeMs: number; readonly bootedMs: number | null } | null = null;

  readonly #knownBootMs: () => number | null;

  constructor({ savedMs, lastBootMs = null, bootedMs = () => null }: DatingOptions) {
    this.#savedMs = savedMs;
    this.#lastBootMs = lastBootMs;
    this.#knownBootMs = bootedMs;
  }

  /** Whether any line so far had a date; without one all are of when the file was saved. */
  get hasDates(): boolean {
    return this.#lastMs !== null;
  }

  /** Of the newest line so far; of the file where none had a date. */
  get nowMs(): number {
    return this.#lastMs ?? this.#savedMs;
  }

  /**
   * What lines at the head of a log are dated by that have no date themselves: the first one that has, and the last stamp since
   * boot before it.
   */
  begin(stamp: Stamp, lastBootMs: number | null): void {
    const dated = stamp.kind === 'wall' ? this.date(stamp) : null;
    if (dated !== null && lastBootMs !== null) this.#bootedMs = dated.timeMs - lastBootMs;
  }

  /**
   * Null where the line has no stamp. `uptimeMs`: the kernel's own stamp behind a whole second, which tells lines of one second apart;
   * `isInOrder`: it is of one writer, whose lines of one second come in the order in which they were written.
   */
  date(stamp: Stamp | null, uptimeMs: number | null = null, isInOrder = false): Dated | null {
    if (stamp === null) return null;
    const written = this.#timeOf(stamp);
    const isWhole = stamp.kind === 'wall' && stamp.digits === 0;
    const timeMs = isWhole ? this.#withinSecond(written, uptimeMs, isInOrder) : written;
    this.#lastMs = timeMs;
    // A day more than zones may take it: no log has a line that is newer than the file.
    if (timeMs > this.#savedMs + 2 * DAY_MS) this.assumed.add('ahead');
    return { timeMs, digits: Math.min(stamp.digits, 9) };
  }

  #timeOf(stamp: Stamp): number {
    if (stamp.kind === 'boot') this.#bootedMs ??= this.#knownBootMs();
    if (stamp.kind === 'after') return this.nowMs + stamp.ms;
    if (stamp.kind === 'boot') return this.#sinceBoot(stamp.ms);
    if (!stamp.zoned) this.assumed.add('zone');
    return stamp.yearless ? this.#withYear(stamp.utcMs) : stamp.utcMs;
  }

  /** The first line of a second is at its start, and one without the kernel's stamp no earlier than the line before it. */
  #withinSecond(secondMs: number, uptimeMs: number | null, isInOrder: boolean): number {
    const before = this.#both;
    const isSame = before?.secondMs === secondMs;
    const earliestMs = isSame ? before.timeMs : secondMs;
    if (uptimeMs === null) {
      if (!isInOrder) return earliestMs;
      const timeMs = isSame ? Math.min(earliestMs + LINE_MS, secondMs + SECOND_MS - 1) : secondMs;
      this.#both = { secondMs, timeMs, bootedMs: before?.bootedMs ?? null };
      return timeMs;
    }
    const knownMs = before?.bootedMs ?? null;
    const counted = knownMs === null ? earliestMs : Math.round((knownMs + uptimeMs) * 1000) / 1000;
    // What was written late, all in one second, keeps the order of its lines.
    const fits = counted >= earliestMs && counted < secondMs + SECOND_MS;
    const timeMs = fits ? counted : earliestMs;
    const bootedMs = fits && knownMs !== null ? knownMs : timeMs - uptimeMs;
    this.#both = { secondMs, timeMs, bootedMs };
    return timeMs;
  }

  #withYear(utcMs: number): number {
    this.assumed.add('year');
    const near = this.#lastMs;
    const date = new Date(utcMs);
    const inYear = (year: number): number => new Date(utcMs).setUTCFullYear(year);
    if (near === null) {
      const year = new Date(this.#savedMs).getUTCFullYear();
      const same = inYear(year);
      return same <= this.#savedMs + DAY_MS ? same : inYear(year - 1);
    }
    const year = new Date(near).getUTCFullYear();
    const same = inYear(year);
    if (date.getUTCMonth() === new Date(near).getUTCMonth()) return same;
    if (same - near > HALF_YEAR_MS) return inYear(year - 1);
    return near - same > HALF_YEAR_MS ? inYear(year + 1) : same;
  }

  #sinceBoot(uptimeMs: number): number {
    if (this.#bootedMs === null) {
      this.assumed.add('boot_time');
      const last = this.#lastBootMs ?? uptimeMs;
      this.#bootedMs = this.#lastMs === null ? this.#savedMs - Math.max(last, uptimeMs) : this.#lastMs - uptimeMs;
    } else if (uptimeMs < this.#uptimeMs - REBOOT_MS) {
      // Further back than lines overtake one another: the next boot, not before the last line of the one before.
      this.#bootedMs = this.nowMs;
    }
    this.#uptimeMs = uptimeMs;
    return this.#bootedMs + uptimeMs;
  }
}
