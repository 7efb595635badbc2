// Step fields: reads the numbers of a step out of a line by the words before them, as the file of its framework lists them.

import type { Fields, Framework } from './framework.ts';
import { type LoggedNumber, readCount, readFinite, readNumber } from './number.ts';
import type { StepLine } from './progress.ts';

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

const NOTHING = [null, null] as const;

/** "12/100": both; "12": the first alone. */
export function readPair(text: string | null): readonly [first: number | null, second: number | null] {
  if (text === null) return NOTHING;
  const found = /^\s{0,8}(\d{1,12})(?:\s{0,8}\/\s{0,8}(\d{1,12}))?(?![\d.]*[eE]\d)/.exec(text);
  if (found === null) return [readCount(text), null];
  return [Number(found[1]), found[2] === undefined ? null : Number(found[2])];
}

/** Every field that is in the text; what is left out of the catalogue, or unreadable, stays null. */
export function readFields(framework: Framework, text: string, fields: Fields): StepLine {
  const textOf = (field: string): string | null => {
    const words = fields[field];
    return words === undefined ? null : valueAfter(text, words);
  };
  return stepOf(framework, textOf);
}

/** The step of which `text` has the value of each field, as it is printed. */
export function stepOf(framework: Framework, text: (field: string) => string | null): StepLine {
  const logged = (field: string): LoggedNumber | null => {
    const value = text(field);
    return value === null ? null : readNumber(value);
  };
  const number = (field: string): number | null => {
    const value = logged(field);
    return typeof value === 'number' ? value : null;
  };
  const [iteration, target] = readPair(text('iteration'));
  const stepTimeMs =
    number('step_time_ms') ?? scaled(number('step_time_s'), 1000) ?? inverse(number('steps_per_second'));
  return {
    framework,
    iteration: iteration ?? readPair(text('pair'))[1],
    target_iteration: countIn(text('target_iteration')) ?? target,
    step_time_ms: stepTimeMs,
    step_time_from: stepTimeMs === null ? null : 'printed',
    tokens_per_second: number('tokens_per_second'),
    tokens_per_second_per_gpu: number('tokens_per_second_per_gpu'),
    samples_per_second: number('samples_per_second'),
    tflops_per_gpu: number('tflops_per_gpu'),
    loss: logged('loss'),
    grad_norm: logged('grad_norm'),
    learning_rate: number('learning_rate'),
    global_batch_size: number('global_batch_size'),
    consumed_samples: number('consumed_samples'),
    consumed_tokens: number('consumed_tokens'),
    memory_used_gb: scaled(number('memory_used_gib'), GIB_IN_GB),
    memory_ratio: null,
    ...memoryOf(text('memory')),
    mfu: number('mfu') ?? scaled(number('mfu_percent'), 0.01),
    skipped_iterations: number('skipped_iterations'),
    nan_iterations: number('nan_iterations'),
  };
}

/** "253.38GB/2.60GB/255.98GB/98.98%": used, free, total and share; "9.46GiB(64.99%)": used and share. */
function memoryOf(text: string | null): Partial<Pick<StepLine, 'memory_used_gb' | 'memory_ratio'>> {
  if (text === null) return {};
  const used = readFinite(text);
  const share = text.includes('/') ? text.split('/', 4)[3] : /\(([\d.]{1,8})%/.exec(text)?.[1];
  return {
    memory_used_gb: scaled(used, text.includes('GiB') ? GIB_IN_GB : 1),
    memory_ratio: scaled(readFinite(share), 0.01),
  };
}

function countIn(text: string | null): number | null {
  return text === null ? null : readCount(text);
}

function scaled(value: number | null, factor: number): number | null {
  return value === null ? null : value * factor;
}

function inverse(perSecond: number | null): number | null {
  return perSecond === null || !(perSecond > 0) ? null : 1000 / perSecond;
}
