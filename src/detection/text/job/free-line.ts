// Free lines: progress of programs that belong to no known framework, as names and numbers in any order and any subset.

import words from '#catalog/progress-words.json' with { type: 'json' };
import { type LoggedNumber, readNumber } from './number.ts';
import { EMPTY_STEP, type StepLine } from './progress.ts';

const MAX_LINE = 1024;
const MAX_NUMBERS = 48;
const MAX_NAME = 72;
/** Words of the longest name. */
const MOST_WORDS = 5;
const GIB_IN_GB = 1.073741824;

/** What every such line has, so that nearly all others are done with after one look. */
const HINT = /\b(?:step|iter|iteration|num_update|global_step)s?\b|_step\b/i;
/** Parts of them, of which such a line has one, in any case. */
export const FREE_WORDS = ['step', 'iter', 'num_update'];
/** A number that begins a value, not one inside a word; "1,234.5", "2.1e-05", "nan". */
const NUMBER = /(?<![\w.])[+-]?(?:\d[\d,]{0,24}(?:\.\d{0,20})?(?:e[+-]?\d{1,3})?|nan|inf(?:inity)?)(?!\.\d)/gi;
const UNIT = /^["'\])]{0,2}\s?(%|[a-z]{1,12}(?:\/[a-z]{1,10}){0,2})(?![\w/]|[\s"'(]{0,4}[:=])/i;
const AFTER_WORD = /^[a-z_]/i;
/** "12.5K tok/s": what a throughput is printed in where it is large. */
const MAGNITUDE = /^([kKM])(?!\w)/;
const MAGNITUDES: Readonly<Record<string, number>> = { k: 1e3, K: 1e3, M: 1e6 };
/** The other number of "inst/avg", before the unit of both. */
const PAIR = /^\s?\/\s?\d[\d,]{0,24}(?:\.\d{0,20})?[kKM]?/;

type Step = { -readonly [K in keyof StepLine]: StepLine[K] };
interface Value {
  readonly number: LoggedNumber;
  readonly unit: string;
}

const NAMES = byWord(words.names);
const UNITS = byWord(words.units);
const ELSEWHERE: ReadonlySet<string> = new Set(words.elsewhere);
/** One of these makes it a step of a training; a count and a time alone may be of anything. */
const SAYS_TRAINING = ['loss', 'tokens_per_second', 'tokens_per_second_per_gpu', 'samples_per_second', 'tflops_per_gpu'] as const; // biome-ignore format: a list

const RATES: ReadonlySet<string> = new Set(SAYS_TRAINING.filter((field) => field !== 'loss'));
const IN_MAGNITUDES: ReadonlySet<string> = new Set([...RATES, 'consumed_samples', 'consumed_tokens']);

/** The field that a name means, as trackers call it: "train/grad_norm"; null for others, and for those of evaluations. */
export function fieldNamed(name: string): string | null {
  const field = fieldOf(name.slice(-MAX_NAME));
  return field === 'elsewhere' ? null : field;
}

/** Null for other lines. What reports an evaluation is none. `least`: numbers that it has to have besides that of the step. */
export function parseFreeLine(line: string, least = 2): StepLine | null {
  if (!HINT.test(line)) return null;
  const text = line.slice(0, MAX_LINE);
  const step: Step = { ...EMPTY_STEP };
  let known = 0;
  let end = 0;
  let numbers = 0;
  /** The name that the number before had, for what follows its slash. */
  let before = '';
  for (const { 0: digits, index } of text.matchAll(NUMBER)) {
    numbers += 1;
    if (numbers > MAX_NUMBERS) break;
    const gap = text.slice(Math.max(end, index - MAX_NAME), index);
    const behind = text.slice(index + digits.length, index + digits.length + MAX_NAME);
    const magnitude = MAGNITUDE.exec(behind)?.[1] ?? '';
    const rest = behind.slice(magnitude.length);
    const unit = UNIT.exec(rest)?.[1]?.toLowerCase() ?? '';
    end = index + digits.length + magnitude.length + (isUnit(unit) ? (UNIT.exec(rest)?.[0].length ?? 0) : 0);
    if (AFTER_WORD.test(rest) && !isUnit(unit)) continue;
    const number = readNumber(digits);
    if (number === null) continue;
    if (/^[%a-z]{0,4}\s{0,4}\/\s{0,4}$/i.test(gap) && before !== '') {
      if (before === 'iteration' && typeof number === 'number') step.target_iteration ??= whole(number);
      continue; // "inst/avg": what it is now counts
    }
    const named = fieldOf(gap);
    if (named === 'elsewhere') return null;
    before = named ?? UNITS.get(unit) ?? rateOfPair(rest);
    if (before === '' || (magnitude !== '' && (typeof number !== 'number' || !IN_MAGNITUDES.has(before)))) continue;
    const value = typeof number === 'number' ? number * (MAGNITUDES[magnitude] ?? 1) : number;
    if (put(step, before, { number: value, unit: unit === '' ? unitIn(gap) : unit })) known += 1;
  }
  const pairs = known - 1 + (step.target_iteration === null ? 0 : 1);
  if (step.iteration === null || pairs < least) return null;
  return SAYS_TRAINING.some((field) => step[field] !== null) ? step : null;
}

/** What the unit behind "123.4/120.1 tokens/s" makes of the first of the two; '' where it is not a throughput. */
function rateOfPair(rest: string): string {
  const other = PAIR.exec(rest)?.[0];
  const field =
    other === undefined ? undefined : UNITS.get(UNIT.exec(rest.slice(other.length))?.[1]?.toLowerCase() ?? '');
  return field !== undefined && RATES.has(field) ? field : '';
}

/** The field that the words right before a number name; `elsewhere` where they speak of an evaluation. */
function fieldOf(gap: string): string | null {
  const name = gap.toLowerCase().split(/[^a-z0-9]+/).filter((word) => word !== ''); // biome-ignore format: one line
  if (name.some((word) => ELSEWHERE.has(word))) return 'elsewhere';
  // "(ms)", "GB" behind a name is not a part of it.
  const units = name.at(-1);
  const ends = units !== undefined && ['ms', 's', 'sec', 'gb', 'gib', 'seconds'].includes(units) ? [0, 1] : [0];
  for (const cut of ends) {
    for (let length = MOST_WORDS; length > 0; length -= 1) {
      const tail = name.slice(Math.max(0, name.length - cut - length), name.length - cut);
      const field = tail.length === 0 ? undefined : NAMES.get(tail.join(' '));
      if (field !== undefined) return field;
    }
  }
  return null;
}

function unitIn(gap: string): string {
  return /[([ _](ms|s|sec|seconds|gb|gib|mib|mb|%)[)\]]?["']?\s{0,4}[:=]\s{0,8}["']?$/i.exec(gap)?.[1]?.toLowerCase() ?? ''; // biome-ignore format: one line
}

function isUnit(unit: string): boolean {
  return UNITS.has(unit) || TIMES.has(unit) || SIZES.has(unit) || unit === 'tflops' || unit === '%';
}

const TIMES: ReadonlyMap<string, number> = new Map([['ms', 1], ['s', 1000], ['sec', 1000], ['secs', 1000], ['seconds', 1000]]); // biome-ignore format: a table
const SIZES: ReadonlyMap<string, number> = new Map([['gb', 1], ['g', 1], ['gib', GIB_IN_GB], ['mb', 1e-3], ['mib', GIB_IN_GB / 1024]]); // biome-ignore format: a table

/** False where the value says nothing of the field: the first one of a name counts. */
function put(step: Step, field: string, { number, unit }: Value): boolean {
  if (field === 'loss' || field === 'grad_norm' || field === 'loss_scale') return set(step, field, number);
  if (typeof number !== 'number') return false;
  switch (field) {
    case 'iteration':
      return set(step, 'iteration', whole(number));
    case 'step_time':
    case 'time_with_unit': {
      const factor = TIMES.get(unit);
      return factor !== undefined && time(step, number * factor);
    }
    case 'seconds_per_step':
      return time(step, number * 1000);
    case 'milliseconds_per_step':
      return time(step, number);
    case 'steps_per_second':
      return number > 0 && time(step, 1000 / number);
    case 'mfu':
      return set(step, 'mfu', unit === '%' || number > 1 ? number / 100 : number);
    case 'memory':
      if (unit === '%') return set(step, 'memory_ratio', number / 100);
      return sized(step, 'memory_used_gb', number, unit);
    case 'memory_free':
      return sized(step, 'memory_free_gb', number, unit);
    case 'memory_total':
      return sized(step, 'memory_total_gb', number, unit);
    case 'memory_ratio':
      return set(step, 'memory_ratio', unit === '%' ? number / 100 : number);
    default:
      return COUNTS.has(field) && set(step, field as Plain, number);
  }
}

const PLAIN = ['num_zeros', 'learning_rate', 'tokens_per_second', 'tokens_per_second_per_gpu', 'samples_per_second', 'tflops_per_gpu', 'global_batch_size', 'consumed_samples', 'consumed_tokens', 'skipped_iterations', 'nan_iterations'] as const; // biome-ignore format: a list
type Plain = (typeof PLAIN)[number];
const COUNTS: ReadonlySet<string> = new Set(PLAIN);

function set<K extends keyof Step>(step: Step, field: K, value: Step[K]): boolean {
  if (value === null || step[field] !== null) return false;
  step[field] = value;
  return true;
}

function time(step: Step, ms: number): boolean {
  if (!set(step, 'step_time_ms', ms)) return false;
  step.step_time_from = 'printed';
  return true;
}

function sized(
  step: Step,
  field: 'memory_used_gb' | 'memory_free_gb' | 'memory_total_gb',
  number: number,
  unit: string,
): boolean {
  const factor = SIZES.get(unit);
  return factor !== undefined && set(step, field, number * factor);
}

function whole(number: number): number | null {
  return Number.isSafeInteger(number) && number >= 0 ? number : null;
}

function byWord(table: Readonly<Record<string, readonly string[]>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(table).flatMap(([field, names]) => names.map((name) => [name, field] as const)));
}
