// Shape time: the time before a step, by where its digits stand; what the words around them decide was decided once.

import { MAX_PREFIX, type Prefix, prefixTime } from './prefix.ts';
import type { Runs } from './run-number.ts';

/** As `prefix.ts` has it, with a fraction, without a zone or with that of UTC. */
const FORM = /\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d([.,]\d{1,6})?(Z|[+-]\d\d:?\d\d)?/;
/** What may be between the runs of an earlier one. */
const YEARLIKE = /\d-\d+-\d+[ T]/;
const DIGITS = [4, 2, 2, 2, 2, 2];
const SECONDS = 5;
const MOST_FRACTION = 6;
const MOST_SECOND = 59;

export class ShapeTime {
  /** The run of its year. */
  readonly #first: number;
  readonly #fraction: boolean;
  readonly #zoned: boolean;
  /** The minute that was read last, as a number of its digits, and when it began. */
  #minute = Number.NaN;
  #minuteMs = 0;

  constructor(first: number, fraction: boolean, zoned: boolean) {
    this.#first = first;
    this.#fraction = fraction;
    this.#zoned = zoned;
  }

  /** Null where it is not of the same digits as that of the shape: then it may be another one, or none. */
  read(line: string, ends: Int32Array, { values, digits }: Runs): Prefix['time'] {
    const first = this.#first;
    for (let i = 0; i <= SECONDS; i += 1) if (digits[first + i] !== DIGITS[i]) return null;
    const last = first + SECONDS + (this.#fraction ? 1 : 0);
    const places = this.#fraction ? (digits[last] ?? 0) : 0;
    const second = values[first + SECONDS] ?? 0;
    // A zone may follow.
    if (places > MOST_FRACTION || second > MOST_SECOND || (ends[last] ?? 0) > MAX_PREFIX - 1) return null;
    const fraction = places === 0 ? 0 : Math.floor(((values[last] ?? 0) * 1000) / 10 ** places);
    const behindMs = second * 1000 + fraction;
    const minuteMs = this.#minuteOf(line, values, behindMs);
    if (Number.isNaN(minuteMs)) return null;
    return { utcMs: minuteMs + behindMs, digits: places, zoned: this.#zoned };
  }

  /** When its minute began, so long before its time. NaN where there is no such minute. */
  #minuteOf(line: string, values: Float64Array, behindMs: number): number {
    let minute = 0;
    for (let i = 0; i < SECONDS; i += 1) minute = minute * 100 + (values[this.#first + i] ?? 0);
    if (minute !== this.#minute) {
      const time = prefixTime(line);
      this.#minute = minute;
      this.#minuteMs = time === null ? Number.NaN : time.utcMs - behindMs;
    }
    return this.#minuteMs;
  }
}

/** Where the line's time is; null where it is not in a form that is read by its digits. */
export function timeOf(line: string, runs: readonly (readonly [from: number, to: number])[]): ShapeTime | null {
  const found = FORM.exec(line);
  if (found === null) return null;
  const { index, 0: all, 1: fraction, 2: zone } = found;
  const first = runs.findIndex(([from]) => from === index);
  const count = DIGITS.length + (fraction === undefined ? 0 : 1);
  const own = runs.slice(first, first + count);
  const end = index + all.length - (zone ?? '').length;
  if (first < 0 || own.at(-1)?.[1] !== end || own.some(([from, to], i) => to - from !== (DIGITS[i] ?? to - from)))
    return null;
  // With a zone in digits, or words before it that other digits make a time, it is looked for again in each line.
  if ((zone !== undefined && zone !== 'Z') || YEARLIKE.test(line.slice(0, index))) return null;
  return new ShapeTime(first + 1, fraction !== undefined, zone === 'Z');
}
