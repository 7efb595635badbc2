// Step fields: reads the numbers of a step out of a line by the words before them, as the file of its framework lists them.

import type { Fields, Framework } from './framework.ts';
import { type LoggedNumber, readCount, readNumber } from './number.ts';
import { EMPTY_STEP, type StepLine } from './progress.ts';

const GIB_IN_GB = 1.073741824;
/** Between a word and its number: blanks, quotes, brackets, and the name of the type that NumPy prints since 2.0. */
const LEAD = /^[\s"'([]{0,4}(?:np\.float(?:16|32|64)\()?/;
const MAX_VALUE = 48;

/** The text that follows the first of these words that is in the line; null where none does. */
export function valueAfter(text: string, words: readonly string[]): string | null {
  for (const word of words) {
    const at = text.indexOf(word);
    if (at < 0) continue;
    const value = text.slice(at + word.length, at + word.length + MAX_VALUE);
    return value.slice(LEAD.exec(value)?.[0].length ?? 0);
  }
  return null;
}

/** "12/100": both; "12": the first alone. */
export function readPair(text: string | null): readonly [first: number | null, second: number | null] {
  const found = /^\s{0,8}(\d{1,12})(?:\s{0,8}\/\s{0,8}(\d{1,12}))?(?![\d.]*[eE]\d)/.exec(text ?? '');
  if (found === null) return [readCount(text ?? undefined), null];
  return [Number(found[1]), found[2] === undefined ? null : Number(found[2])];
}

/** Every field that is in the text; what is left out of the catalogue, or unreadable, stays null. */
export function readFields(framework: Framework, text: string, fields: Fields): StepLine {
  const number = (name: string): number | null => finite(logged(text, fields[name]));
  const [iteration, target] = readPair(textOf(text, fields.iteration));
  const pair = readPair(textOf(text, fields.pair))[1];
  const stepTimeMs =
    number('step_time_ms') ?? scaled(number('step_time_s'), 1000) ?? inverse(number('steps_per_second'));
  return {
    ...EMPTY_STEP,
    framework,
    iteration: iteration ?? pair,
    target_iteration: readCount(textOf(text, fields.target_iteration) ?? undefined) ?? target,
    step_time_ms: stepTimeMs,
    step_time_from: stepTimeMs === null ? null : 'printed',
    tokens_per_second: number('tokens_per_second'),
    tokens_per_second_per_gpu: number('tokens_per_second_per_gpu'),
    samples_per_second: number('samples_per_second'),
    tflops_per_gpu: number('tflops_per_gpu'),
    loss: logged(text, fields.loss),
    grad_norm: logged(text, fields.grad_norm),
    learning_rate: number('learning_rate'),
    consumed_samples: number('consumed_samples'),
    memory_used_gb: scaled(number('memory_used_gib'), GIB_IN_GB),
    mfu: number('mfu') ?? scaled(number('mfu_percent'), 0.01),
  };
}

function textOf(text: string, words: readonly string[] | undefined): string | null {
  return words === undefined ? null : valueAfter(text, words);
}

function logged(text: string, words: readonly string[] | undefined): LoggedNumber | null {
  const value = textOf(text, words);
  return value === null ? null : readNumber(value);
}

function finite(value: LoggedNumber | null): number | null {
  return typeof value === 'number' ? value : null;
}

function scaled(value: number | null, factor: number): number | null {
  return value === null ? null : value * factor;
}

function inverse(perSecond: number | null): number | null {
  return perSecond === null || !(perSecond > 0) ? null : 1000 / perSecond;
}
