// What is before the message of a training log line: time and rank, in the forms that launchers and loggers print.

import type { RankLabel } from '../../../model/rank-label.ts';
import type { TextRecord } from '../../../model/record.ts';
import type { Interval } from '../../../model/time.ts';
import { WallTimes } from '../../../model/wall-times.ts';

/** No prefix is longer; the rest of the line is never searched. */
export const MAX_PREFIX = 160;
const HOUR_MS = 3_600_000;
const QUARTER_MS = 900_000;
const UNSTEPPED = new WallTimes();

const DASHED = /(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,6}))?(Z|[+-]\d\d:?\d\d)?/;
const COMPACT = /(?:^|[^\d])(\d{4})(\d\d)(\d\d) (\d\d):(\d\d):(\d\d)(?:[.,](\d{1,6}))?/;

export interface Prefix {
  /** The line's own time with the zone it states, or as if it were UTC; null when there is none. */
  readonly time: { readonly utcMs: number; readonly digits: number; readonly zoned: boolean } | null;
  /** Global rank; null when the line names none (a local rank is none). */
  readonly rank: number | null;
  /** What the line says of who wrote it; null when it says nothing. */
  readonly label: RankLabel | null;
  /** Number of the task that `srun --label` puts before each line: a rank, or a host where one task starts several. */
  readonly task: number | null;
  /** Ranks of the job when the prefix says ("rank-7/8"). */
  readonly worldSize: number | null;
}

/** Both "[rank-7/8]", "[rank0]:", "[Rank 0]" and "[rank: 3]"; what Lightning and NeMo print as "global_rank: 3". */
const RANK = /\[rank(?:[- ]|: ?)?(\d{1,7})(?:\/(\d{1,7}))?\](:?)|\bglobal_rank[:=] ?(\d{1,7})\b/i;
/** torchrun's tee: role and local rank; "default" is the role where none is given. */
const TEE = /(?:^|\s)\[(?:default|worker|trainer)(\d{1,4})\]:/;

const TASK = /^\s{0,4}(\d{1,5}): /;

/** Reads "[2024-04-06 02:55:45]", "2025-07-21 15:57:42,774", "[20251202 09:12:08]"; "[rank-7/8]", "[rank0]:", "[default3]:". */
export function readPrefix(line: string): Prefix {
  const head = line.slice(0, MAX_PREFIX);
  const found = RANK.exec(head);
  const number = found?.[1] ?? found?.[4];
  const rank = number === undefined ? null : Number(number);
  const bare = found?.[3] === ':' && found[2] === undefined;
  const task = TASK.exec(head)?.[1];
  const local = rank === null ? TEE.exec(head)?.[1] : undefined;
  return {
    time: readTime(head),
    rank,
    label:
      rank !== null
        ? { number: rank, means: bare ? 'either' : 'global' }
        : local === undefined
          ? null
          : { number: Number(local), means: 'local' },
    task: task === undefined ? null : Number(task),
    worldSize: found?.[2] === undefined ? null : Number(found[2]),
  };
}

/** "rank=3 step=10", "Rank 3: step 10", "INFO rank 3 | step 10", "step=10 loss=2.1 rank=3"; not "lora rank 16". */
const NAMED =
  /(?:^|\|\s{0,3}|\d\s{1,3}|\b(?:INFO|DEBUG|WARN|WARNING)\s{1,3})rank(?:[ =]|: ?)(\d{1,7})(?=[\s|,:;]|$)|\(rank[ =](\d{1,7})\)|[,;]\s{0,3}rank=(\d{1,7})(?=[\s,;]|$)/i;
const MAX_NAMED = 512;

/** Who reports a step: a rank that the line names among its numbers, where it names one alone and has no prefix that says so. */
export function stepPrefix(prefix: Prefix, line: string): Prefix {
  if (prefix.label !== null || !/rank/i.test(line)) return prefix;
  const head = line.slice(0, MAX_NAMED);
  const [, first, bracketed, paired] = NAMED.exec(head) ?? [];
  const number = first ?? bracketed ?? paired;
  if (number === undefined || head.match(/\branks?\b/gi)?.length !== 1) return prefix;
  return { ...prefix, rank: Number(number), label: { number: Number(number), means: 'global' } };
}

/** A line that names no rank, in a log that only one writes or with a field for it, is that rank's. */
export function byWriter(
  prefix: Prefix,
  { writer_rank: rank, writer_local_rank: local }: TextRecord['attributes'],
): Prefix {
  if (prefix.label !== null) return prefix;
  if (typeof rank === 'number') return { ...prefix, rank, label: { number: rank, means: 'global' } };
  return typeof local === 'number' ? { ...prefix, label: { number: local, means: 'local' } } : prefix;
}

/**
 * Where the digits stand that say who wrote the line; null where others in their place might say more or less, so that each such
 * line is to be looked at.
 */
export function labelDigits(line: string): readonly (readonly [from: number, to: number])[] | null {
  const head = line.slice(0, MAX_PREFIX);
  const found = [RANK.exec(head), TEE.exec(head), TASK.exec(head)].filter((each) => each !== null);
  if (found.length === 0 && /rank|\[(?:default|worker|trainer)|^\s{0,4}\d+: /i.test(head)) return null;
  return found.map(({ index, 0: text }) => [index, index + text.length]);
}

/** The minute of the last line: nearly all lines come in the same one as the line before. */
let lastMinute = { text: '', zone: '', ms: 0 };

function minuteOf(text: string, zone: string): number {
  if (lastMinute.text !== text || lastMinute.zone !== zone)
    lastMinute = { text, zone, ms: Date.parse(`${text}:00.000${zone}`) };
  return lastMinute.ms;
}

/** The time alone, of a line whose writer is known. */
export function prefixTime(line: string): Prefix['time'] {
  return readTime(line.slice(0, MAX_PREFIX));
}

function readTime(head: string): Prefix['time'] {
  const found = DASHED.exec(head) ?? COMPACT.exec(head);
  if (found === null) return null;
  const [, year, month, day, hour, minute, second, fraction = '', zone] = found;
  const minuteMs = minuteOf(`${year}-${month}-${day}T${hour}:${minute}`, zone ?? 'Z');
  const utcMs = Number(second) > 59 ? Number.NaN : minuteMs + Number(`${second}${fraction.padEnd(3, '0').slice(0, 3)}`);
  return Number.isNaN(utcMs) ? null : { utcMs, digits: fraction.length, zoned: zone !== undefined };
}

/** The quarter of an hour that was asked of last: no zone changes within one. */
let lastQuarter = { number: Number.NaN, offsetMs: 0 };

function zoneOffsetMs(utcMs: number): number {
  const number = Math.floor(utcMs / QUARTER_MS);
  if (number !== lastQuarter.number) lastQuarter = { number, offsetMs: new Date(utcMs).getTimezoneOffset() * 60_000 };
  return lastQuarter.offsetMs;
}

export interface LineTime {
  readonly timeMs: number;
  readonly digits: number;
  /** `line`: the line's own time; `arrival`: it has none, or none that can be right. */
  readonly from: 'line' | 'arrival';
  /** Where the stamp alone does not say when: the wall clock was set back, and showed it twice. */
  readonly interval?: Interval;
}

/**
 * When the line was written. A time without zone is the host's or, as in most containers, UTC: the one nearer to arrival,
 * and only within an hour of it; else the arrival counts. `wall` knows the steps that the wall clock took; the result is on
 * the steady clock, like the arrival.
 */
export function lineTime(prefix: Pick<Prefix, 'time'>, arrivalMs: number, wall = UNSTEPPED): LineTime {
  if (prefix.time === null) return ofArrival(arrivalMs);
  const { utcMs, digits, zoned } = prefix.time;
  const local = zoned ? utcMs : utcMs + zoneOffsetMs(utcMs);
  const arrivalWallMs = arrivalMs + wall.aheadMs;
  const wallMs = Math.abs(local - arrivalWallMs) <= Math.abs(utcMs - arrivalWallMs) ? local : utcMs;
  const { timeMs, interval } = wall.steady(wallMs, arrivalMs);
  if (Math.abs(timeMs - arrivalMs) > HOUR_MS) return ofArrival(arrivalMs);
  if (interval.earliestMs === interval.latestMs) return { timeMs, digits, from: 'line' };
  return { timeMs, digits, from: 'line', interval };
}

function ofArrival(timeMs: number): LineTime {
  return { timeMs, digits: 3, from: 'arrival' };
}
