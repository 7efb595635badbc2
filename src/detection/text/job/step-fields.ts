// Step fields: reads the numbers of a step out of a line by the words before them, as the file of its framework lists them.

import type { Fields, Framework } from './framework.ts';
import { EMPTY_STEP, type StepLine } from './progress.ts';
import { inGb, ofCount, ofLogged, ofNumber, ofPair, type Put, putMemory, type Step, scaled } from './put.ts';

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

/** Where that is, and how long it is at most; looked for behind `from`. */
export function spotAfter(line: string, from: number, words: readonly string[]): { at: number; most: number } | null {
  const text = from === 0 ? line : line.slice(from);
  const word = words.find((each) => text.includes(each));
  if (word === undefined) return null;
  const at = text.indexOf(word) + word.length;
  const lead = LEAD.exec(text.slice(at, at + MAX_VALUE))?.[0].length ?? 0;
  return { at: from + at + lead, most: MAX_VALUE - lead };
}

/** Of each field that a line has behind `from`, where its value is. */
export function placesAfter(line: string, from: number, fields: StepFields): ValuePlace[] {
  return fields.flatMap(({ words, put }) => {
    const spot = spotAfter(line, from, words);
    return spot === null ? [] : [{ put, from: spot.at, to: { most: spot.most } }];
  });
}

/** What each field of the catalogue says of a step. Where two say the same, the later one here counts where it can be read. */
const PUTS: Readonly<Record<string, Put>> = {
  pair: ofPair((step, _first, second) => {
    step.iteration = second;
  }),
  iteration: ofPair((step, first, second) => {
    step.iteration = first ?? step.iteration;
    step.target_iteration = second;
  }),
  target_iteration: ofCount((step, value) => {
    step.target_iteration = value ?? step.target_iteration;
  }),
  steps_per_second: ofNumber((step, value) => putTime(step, inverse(value))),
  step_time_s: ofNumber((step, value) => putTime(step, scaled(value, 1000))),
  step_time_ms: ofNumber(putTime),
  tokens_per_second: finite('tokens_per_second'),
  tokens_per_second_per_gpu: finite('tokens_per_second_per_gpu'),
  samples_per_second: finite('samples_per_second'),
  tflops_per_gpu: finite('tflops_per_gpu'),
  loss: ofLogged('loss'),
  loss_scale: ofLogged('loss_scale'),
  grad_norm: ofLogged('grad_norm'),
  num_zeros: finite('num_zeros'),
  learning_rate: finite('learning_rate'),
  global_batch_size: finite('global_batch_size'),
  consumed_samples: finite('consumed_samples'),
  consumed_tokens: finite('consumed_tokens'),
  memory_used_gib: ofNumber((step, value) => {
    step.memory_used_gb = inGb(value);
  }),
  memory_used_gb: finite('memory_used_gb'),
  memory_free_gib: ofNumber((step, value) => {
    step.memory_free_gb = inGb(value);
  }),
  memory_total_gib: ofNumber((step, value) => {
    step.memory_total_gb = inGb(value);
  }),
  memory: putMemory,
  memory_ratio: finite('memory_ratio'),
  memory_percent: ofNumber((step, value) => {
    step.memory_ratio = scaled(value, 0.01);
  }),
  mfu_percent: ofNumber((step, value) => {
    step.mfu = scaled(value, 0.01);
  }),
  mfu: ofNumber((step, value) => {
    step.mfu = value ?? step.mfu;
  }),
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
  }
  places?.push(...placesAfter(text, 0, fields));
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

/** A field that is only read. */
function finite(field: FiniteField): Put {
  return ofNumber((step, value) => {
    step[field] = value;
  });
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

function inverse(perSecond: number | null): number | null {
  return perSecond === null || !(perSecond > 0) ? null : 1000 / perSecond;
}
