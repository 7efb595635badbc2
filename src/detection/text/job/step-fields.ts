// Step fields: reads the numbers of a step out of a line by the words before them, as the file of its framework lists them.

import type { Fields, Framework } from './framework.ts';
import { readCount, readFinite, readNumber } from './number.ts';
import { EMPTY_STEP, type StepLine } from './progress.ts';

const GIB_IN_GB = 1.073741824;
/** Between a word and its number: blanks, quotes, brackets, and the name of the type that NumPy prints since 2.0. */
const LEAD = /^[\s"'([]{0,4}(?:np\.float(?:16|32|64)\()?/;
const MAX_VALUE = 48;

/** Where the value of a field is in a line, and what it says of a step. */
export interface ValuePlace {
  readonly put: Put;
  readonly from: number;
  /** Its end, or how long it is at most where nothing ends it. */
  readonly to: number | { readonly most: number };
}

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

/** Where that is. */
function placeAfter(text: string, words: readonly string[], put: Put): ValuePlace | null {
  const word = words.find((each) => text.includes(each));
  if (word === undefined) return null;
  const at = text.indexOf(word) + word.length;
  const lead = LEAD.exec(text.slice(at, at + MAX_VALUE))?.[0].length ?? 0;
  return { put, from: at + lead, to: { most: MAX_VALUE - lead } };
}

const NOTHING = [null, null] as const;

/** "12/100": both; "12": the first alone. */
export function readPair(text: string | null): readonly [first: number | null, second: number | null] {
  if (text === null) return NOTHING;
  const found = /^\s{0,8}(\d{1,12})(?:\s{0,8}\/\s{0,8}(\d{1,12}))?(?![\d.]*[eE]\d)/.exec(text);
  if (found === null) return [readCount(text), null];
  return [Number(found[1]), found[2] === undefined ? null : Number(found[2])];
}

export type Step = { -readonly [K in keyof StepLine]: StepLine[K] };
export type Put = (step: Step, value: string) => void;

/** What each field of the catalogue says of a step. Where two say the same, the later one here counts where it can be read. */
const PUTS: Readonly<Record<string, Put>> = {
  pair: (step, value) => {
    step.iteration = readPair(value)[1];
  },
  iteration: (step, value) => {
    const [iteration, target] = readPair(value);
    step.iteration = iteration ?? step.iteration;
    step.target_iteration = target;
  },
  target_iteration: (step, value) => {
    step.target_iteration = readCount(value) ?? step.target_iteration;
  },
  steps_per_second: (step, value) => putTime(step, inverse(readFinite(value))),
  step_time_s: (step, value) => putTime(step, scaled(readFinite(value), 1000)),
  step_time_ms: (step, value) => putTime(step, readFinite(value)),
  tokens_per_second: finite('tokens_per_second'),
  tokens_per_second_per_gpu: finite('tokens_per_second_per_gpu'),
  samples_per_second: finite('samples_per_second'),
  tflops_per_gpu: finite('tflops_per_gpu'),
  loss: (step, value) => {
    step.loss = readNumber(value);
  },
  loss_scale: (step, value) => {
    step.loss_scale = readNumber(value);
  },
  grad_norm: (step, value) => {
    step.grad_norm = readNumber(value);
  },
  num_zeros: finite('num_zeros'),
  learning_rate: finite('learning_rate'),
  global_batch_size: finite('global_batch_size'),
  consumed_samples: finite('consumed_samples'),
  consumed_tokens: finite('consumed_tokens'),
  memory_used_gib: (step, value) => {
    step.memory_used_gb = scaled(readFinite(value), GIB_IN_GB);
  },
  memory_used_gb: finite('memory_used_gb'),
  memory_free_gib: (step, value) => {
    step.memory_free_gb = scaled(readFinite(value), GIB_IN_GB);
  },
  memory_total_gib: (step, value) => {
    step.memory_total_gb = scaled(readFinite(value), GIB_IN_GB);
  },
  memory: putMemory,
  memory_ratio: finite('memory_ratio'),
  memory_percent: (step, value) => {
    step.memory_ratio = scaled(readFinite(value), 0.01);
  },
  mfu_percent: (step, value) => {
    step.mfu = scaled(readFinite(value), 0.01);
  },
  mfu: (step, value) => {
    step.mfu = readFinite(value) ?? step.mfu;
  },
  skipped_iterations: finite('skipped_iterations'),
  nan_iterations: finite('nan_iterations'),
};

/** Names of all fields that a line can have. */
export const FIELD_NAMES: readonly string[] = Object.keys(PUTS);

/** The fields that a file of the catalogue lists, and what each says of a step: no other is asked for. */
export type StepFields = readonly { readonly field: string; readonly words: readonly string[]; readonly put: Put }[];

export function stepFields(fields: Fields): StepFields {
  return Object.entries(PUTS).flatMap(([field, put]) => {
    const words = fields[field];
    return words === undefined ? [] : [{ field, words, put }];
  });
}

/** Every field that is in the text; what is left out of the catalogue, or unreadable, stays null. `places`: where each is. */
export function readFields(framework: Framework, text: string, fields: StepFields, places?: ValuePlace[]): StepLine {
  const step = { ...EMPTY_STEP, framework };
  for (const { words, put } of fields) {
    const value = valueAfter(text, words);
    if (value !== null) put(step, value);
    const place = places === undefined ? null : placeAfter(text, words, put);
    if (place !== null) places?.push(place);
  }
  return step;
}

/** Of each name in a line, where its value is. */
export type Spans = ReadonlyMap<string, readonly [from: number, to: number]>;

/** The first of these names that the line has a value of. */
export function spanOf(spans: Spans, words: readonly string[]): readonly [number, number] | null {
  for (const word of words) {
    const span = spans.get(word);
    if (span !== undefined) return span;
  }
  return null;
}

/** The same of a line whose values stand behind their names. */
export function stepIn(
  framework: Framework,
  fields: StepFields,
  line: string,
  spans: Spans,
  places?: ValuePlace[],
): Step {
  const step = { ...EMPTY_STEP, framework };
  for (const { words, put } of fields) {
    const span = spanOf(spans, words);
    if (span === null) continue;
    put(step, line.slice(span[0], span[1]));
    places?.push({ put, from: span[0], to: span[1] });
  }
  return step;
}

/** The step of which `text` has the value of each field, as it is printed. */
export function stepOf(
  framework: Framework,
  fields: StepFields,
  text: (words: readonly string[], field: string) => string | null,
): StepLine {
  const step = { ...EMPTY_STEP, framework };
  for (const { field, words, put } of fields) {
    const value = text(words, field);
    if (value !== null) put(step, value);
  }
  return step;
}

function putTime(step: Step, ms: number | null): void {
  if (ms === null) return;
  step.step_time_ms = ms;
  step.step_time_from = 'printed';
}

/** "253.38GB/2.60GB/255.98GB/98.98%": used, free, total and share; "9.46GiB(64.99%)": used and share. */
function putMemory(step: Step, text: string): void {
  const factor = text.includes('GiB') ? GIB_IN_GB : 1;
  const [used, free, total, share] = text.split('/', 4);
  step.memory_used_gb = scaled(readFinite(used), factor);
  step.memory_free_gb = scaled(readFinite(free), factor);
  step.memory_total_gb = scaled(readFinite(total), factor);
  step.memory_ratio = scaled(readFinite(share ?? /\(([\d.]{1,8})%/.exec(text)?.[1]), 0.01);
}

/** A field that is only read. */
function finite(field: FiniteField): Put {
  return (step, value) => {
    step[field] = readFinite(value);
  };
}

type FiniteField =
  | 'tokens_per_second'
  | 'tokens_per_second_per_gpu'
  | 'samples_per_second'
  | 'tflops_per_gpu'
  | 'learning_rate'
  | 'num_zeros'
  | 'memory_used_gb'
  | 'memory_ratio'
  | 'global_batch_size'
  | 'consumed_samples'
  | 'consumed_tokens'
  | 'skipped_iterations'
  | 'nan_iterations';

function scaled(value: number | null, factor: number): number | null {
  return value === null ? null : value * factor;
}

function inverse(perSecond: number | null): number | null {
  return perSecond === null || !(perSecond > 0) ? null : 1000 / perSecond;
}
