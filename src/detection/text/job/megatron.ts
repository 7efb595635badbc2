// Megatron progress lines in all their flavours: upstream, DeepSpeed forks, Primus on ROCm, NeMo; fields between bars.

import { Cursor } from '../cursor.ts';
import { traitsOf, wordsOf } from './framework.ts';
import { type LoggedNumber, readCount, readFinite, readNumber } from './number.ts';
import type { StepLine } from './progress.ts';

const MAX_FIELDS = 64;
const NAME = 'megatron';
const { needs: NEEDS, fields: WORDS } = traitsOf(NAME)?.columns ?? { needs: [], fields: {} };

/** Null when the line is not a progress line. Values are taken as printed; of "current/average" the current one. */
export function parseMegatron(line: string): StepLine | null {
  const bar = line.indexOf('|');
  if (bar < 0) return null;
  const first = iterationOf(line.slice(0, bar));
  // GPT-NeoX has the rate before it: "samples/sec: 7.8 | iteration 34/ 10000 | …".
  const steps = first ?? (line.slice(0, bar).includes('samples/sec:') ? secondPart(line, bar) : null);
  if (steps === null) return null;
  const fields = fieldsOf(first === null ? line : line.slice(bar + 1));
  if (!NEEDS.some((key) => fields.has(key))) return null;
  const number = (name: string) => readFinite(firstOf(fields, name));
  const stepTimeMs = number('step_time_ms') ?? scaled(number('step_time_s'), 1000);
  return {
    framework: NAME,
    // NeMo counts iterations again from 0 in each epoch, and all of them besides that.
    iteration: readCount(fields.get('global_step')) ?? steps.iteration,
    target_iteration: fields.has('global_step') ? null : steps.target,
    step_time_ms: stepTimeMs,
    step_time_from: stepTimeMs === null ? null : 'printed',
    tokens_per_second: null,
    tokens_per_second_per_gpu: number('tokens_per_second_per_gpu'),
    samples_per_second: number('samples_per_second'),
    tflops_per_gpu: number('tflops_per_gpu'),
    loss: logged(fields, 'loss'),
    grad_norm: logged(fields, 'grad_norm'),
    learning_rate: number('learning_rate'),
    global_batch_size: number('global_batch_size'),
    consumed_samples: number('consumed_samples'),
    consumed_tokens: number('consumed_tokens'),
    ...memory(fields),
    mfu: null,
    skipped_iterations: number('skipped_iterations'),
    nan_iterations: number('nan_iterations'),
  };
}

/** "… iteration      424/   40000 ": the last such word before the first bar; the target may be missing. */
function iterationOf(head: string): { iteration: number; target: number | null } | null {
  const at = head.lastIndexOf('iteration');
  if (at < 0) return null;
  const cursor = new Cursor(head, at + 'iteration'.length).spaces();
  const iteration = cursor.integer(12);
  if (iteration === null) return null;
  const target = cursor.spaces().take('/') ? cursor.spaces().integer(12) : null;
  return { iteration, target };
}

function secondPart(line: string, bar: number): ReturnType<typeof iterationOf> {
  const end = line.indexOf('|', bar + 1);
  return end < 0 ? null : iterationOf(line.slice(bar + 1, end));
}

/** Keys in lower case with one space between words and one before a unit: "iteration(ms)" is "iteration (ms)". */
function fieldsOf(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const part of text.split('|', MAX_FIELDS)) {
    const colon = part.lastIndexOf(':');
    if (colon < 0) continue;
    const words = part.slice(0, colon).slice(0, 96).replace('(', ' (').split(/\s+/);
    fields.set(words.join(' ').trim().toLowerCase(), part.slice(colon + 1));
  }
  return fields;
}

/** The value of the first word of a field that is there. */
function firstOf(fields: ReadonlyMap<string, string>, name: string): string | undefined {
  const key = wordsOf(WORDS, name).find((word) => fields.has(word));
  return key === undefined ? undefined : fields.get(key);
}

function logged(fields: ReadonlyMap<string, string>, name: string): LoggedNumber | null {
  const text = firstOf(fields, name);
  return text === undefined ? null : readNumber(text);
}

/** "hip mem usage/free/total/usage_ratio: 253.38GB/2.60GB/255.98GB/98.98%" (also "rocm mem usage/…"). */
function memory(fields: ReadonlyMap<string, string>): Pick<StepLine, 'memory_used_gb' | 'memory_ratio'> {
  const parts = firstOf(fields, 'memory')?.split('/', 4);
  if (parts === undefined) return { memory_used_gb: null, memory_ratio: null };
  return { memory_used_gb: readFinite(parts[0]), memory_ratio: scaled(readFinite(parts[3]), 0.01) };
}

function scaled(value: number | null, factor: number): number | null {
  return value === null ? null : value * factor;
}
