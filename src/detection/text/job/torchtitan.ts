// torchtitan progress lines: "step: 10  loss: 4.2  grad_norm: 1.3  memory: 9.46GiB(64.99%)  tps: 7,282  tflops: 0.52  mfu: 0.17%".

import { type LoggedNumber, readCount, readFinite, readNumber } from './number.ts';
import type { StepLine } from './progress.ts';

const GIB_IN_GB = 1.073741824;
const MAX_TAIL = 512;

/** Null when the line is not a progress line. torchtitan prints no step time; the decoder takes it from line times. */
export function parseTorchtitan(line: string): StepLine | null {
  const at = line.indexOf('step:');
  if (at < 0 || (at > 0 && !' -:]'.includes(line[at - 1] ?? ''))) return null;
  // "validate step: 100 …" reports an evaluation, not a step.
  if (line.slice(0, at).trimEnd().endsWith('validate')) return null;
  const fields = fieldsOf(line.slice(at, at + MAX_TAIL));
  const iteration = readCount(fields.get('step'));
  const tokens = readFinite(fields.get('tps') ?? fields.get('wps'));
  if (iteration === null || (!fields.has('loss') && tokens === null)) return null;
  const memory = fields.get('memory') ?? '';
  const used = readFinite(memory);
  return {
    framework: 'torchtitan',
    iteration,
    target_iteration: null,
    step_time_ms: null,
    step_time_from: null,
    tokens_per_second: null,
    tokens_per_second_per_gpu: tokens,
    samples_per_second: null,
    tflops_per_gpu: readFinite(fields.get('tflops')),
    loss: logged(fields.get('loss')),
    grad_norm: logged(fields.get('grad_norm')),
    learning_rate: readFinite(fields.get('lr')),
    global_batch_size: null,
    consumed_samples: null,
    consumed_tokens: null,
    memory_used_gb: used === null ? null : used * (memory.includes('GiB') ? GIB_IN_GB : 1),
    memory_ratio: percent(memory.slice(memory.indexOf('(') + 1)),
    mfu: percent(fields.get('mfu')),
    skipped_iterations: null,
    nan_iterations: null,
  };
}

/** "key:  value  key: value" with any number of spaces. */
function fieldsOf(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  const words = text.split(/[\s|]+/);
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i] ?? '';
    const colon = word.indexOf(':');
    if (colon < 1) continue;
    fields.set(word.slice(0, colon), colon + 1 < word.length ? word.slice(colon + 1) : (words[i + 1] ?? ''));
  }
  return fields;
}

function logged(text: string | undefined): LoggedNumber | null {
  return text === undefined ? null : readNumber(text);
}

function percent(text: string | undefined): number | null {
  const value = text?.includes('%') === true ? readFinite(text) : null;
  return value === null ? null : value / 100;
}
