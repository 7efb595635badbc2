// Lines of names and values, as torchtitan prints them: "step: 10  loss: 4.2  memory: 9.46GiB(64.99%)  tps: 7,282  mfu: 0.17%".

import { FRAMEWORKS, type Framework, fieldReader } from './framework.ts';
import { readCount } from './number.ts';
import type { StepLine } from './progress.ts';
import { stepOf } from './step-fields.ts';

const MAX_TAIL = 512;
const PAIRS = FRAMEWORKS.flatMap(([framework, { pairs }]) => (pairs === undefined ? [] : [{ ...pairs, framework }]));
type PairWords = (typeof PAIRS)[number];

/** Null when the line is not a progress line. torchtitan prints no step time; the decoder takes it from line times. */
export function parsePairs(line: string, wanted: (framework: Framework) => boolean): StepLine | null {
  for (const words of PAIRS) {
    const step = wanted(words.framework) ? parse(line, words) : null;
    if (step !== null) return step;
  }
  return null;
}

function parse(
  line: string,
  { begins, not_after: others = [], needs, fields: names, framework }: PairWords,
): StepLine | null {
  const at = line.indexOf(begins);
  if (at < 0 || (at > 0 && !' -:]'.includes(line[at - 1] ?? ''))) return null;
  // "validate step: 100 …" reports an evaluation, not a step.
  const head = line.slice(0, at).trimEnd();
  if (others.some((word) => head.endsWith(word))) return null;
  const fields = pairsOf(line.slice(at, at + MAX_TAIL));
  if (!needs.some((key) => fields.has(key))) return null;
  const text = fieldReader(names, fields);
  const iteration = readCount(text('iteration') ?? undefined);
  return iteration === null ? null : { ...stepOf(framework, text), iteration, target_iteration: null };
}

/** "key:  value  key: value" with any number of spaces. */
function pairsOf(text: string): Map<string, string> {
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
