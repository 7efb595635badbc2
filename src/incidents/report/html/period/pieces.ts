// Pieces: a period cut at the hours or the days of a time zone, so that what happened on a day is counted on that day.

import { clockText, dayText } from '../../when.ts';

const [HALF_HOUR_MS, HOUR_MS, DAY_MS] = [1_800_000, 3_600_000, 86_400_000];
const MOST = 48;
const YEAR = 366;

export interface Period {
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly timeZone: string;
}

export interface Pieces {
  /** Of one piece: `hour`, `day`, `3 days`. */
  readonly unit: string;
  /** What each begins with, in order: `14:00`, `11-27`. */
  readonly names: readonly string[];
  /** In which piece a time is; what was before the period is in the first. */
  readonly of: (epochMs: number) => number;
}

/** Hours up to two days, else days, several to a piece where there are more than 48. */
export function piecesOf({ sinceMs, untilMs, timeZone }: Period): Pieces {
  const endMs = Math.max(untilMs, sinceMs);
  const isHours = endMs - sinceMs <= 2 * DAY_MS;
  const keyOf = (ms: number): string => {
    const day = dayText(ms, timeZone);
    return isHours ? `${day} ${clockText(ms, timeZone).slice(0, 2)}` : day;
  };
  // Days have 23 to 25 hours where clocks change, and some zones are half an hour off: no step here is longer than half of one.
  const stepMs = isHours ? HALF_HOUR_MS : 12 * HOUR_MS;
  const keys: string[] = [];
  const add = (key: string): void => {
    if (keys.at(-1) !== key) keys.push(key);
  };
  for (let ms = sinceMs; ms < endMs; ms += stepMs) add(keyOf(ms));
  add(keyOf(endMs));
  const each = isHours ? 1 : Math.ceil(keys.length / MOST);
  const places = new Map(keys.map((key, at) => [key, Math.floor(at / each)]));
  const nameOf = (key: string): string => {
    if (isHours) return `${key.slice(-2)}:00`;
    return keys.length > YEAR ? key : key.slice(5);
  };
  const firsts = keys.filter((_, at) => at % each === 0);
  return {
    unit: isHours ? 'hour' : each === 1 ? 'day' : `${each} days`,
    names: firsts.map(nameOf),
    of: (epochMs) => places.get(keyOf(Math.min(Math.max(epochMs, sinceMs), endMs))) ?? 0,
  };
}
