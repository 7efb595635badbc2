// Lines of names and values, as torchtitan prints them: "step: 10  loss: 4.2  memory: 9.46GiB(64.99%)  tps: 7,282  mfu: 0.17%".

import { FRAMEWORKS, type Framework, valueReader, wordsOf } from './framework.ts';
import { readCount } from './number.ts';
import type { StepLine } from './progress.ts';
import { stepFields, stepOf } from './step-fields.ts';

const MAX_TAIL = 512;
const PAIRS = FRAMEWORKS.flatMap(([framework, { pairs }]) =>
  pairs === undefined ? [] : [{ ...pairs, framework, read: stepFields(pairs.fields) }],
);
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
  { begins, not_after: others = [], needs, fields: names, read, framework }: PairWords,
): StepLine | null {
  const at = line.indexOf(begins);
  if (at < 0 || (at > 0 && !' -:]'.includes(line[at - 1] ?? ''))) return null;
  // "validate step: 100 …" reports an evaluation, not a step.
  const head = line.slice(0, at).trimEnd();
  if (others.some((word) => head.endsWith(word))) return null;
  const fields = pairsOf(line.slice(at, at + MAX_TAIL));
  if (!needs.some((key) => fields.has(key))) return null;
  const text = valueReader(fields);
  const iteration = readCount(text(wordsOf(names, 'iteration')) ?? undefined);
  return iteration === null ? null : { ...stepOf(framework, read, text), iteration, target_iteration: null };
}

const [TAB, RETURN, BLANK, COLON, BAR, LAST_ASCII] = [9, 13, 32, 58, 124, 127];

/** "key:  value  key: value" with any number of spaces or bars. By hand, because each step line comes by here. */
function pairsOf(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  let key: string | null = null;
  let from = 0;
  let colon = -1;
  for (let at = 0; at <= text.length; at += 1) {
    const code = at < text.length ? text.charCodeAt(at) : BLANK;
    if (code > LAST_ASCII) return pairsOf(text.replace(/[^\S ]/g, ' ').replace(/[^\x20-\x7e]/g, '?')); // blanks of other scripts
    if (code === COLON && colon < 0) colon = at;
    if (code > BLANK ? code !== BAR : code !== BLANK && (code < TAB || code > RETURN)) continue;
    if (at > from) {
      if (key !== null) fields.set(key, text.slice(from, at));
      key = null;
      if (colon > from) {
        if (colon + 1 < at) fields.set(text.slice(from, colon), text.slice(colon + 1, at));
        else key = text.slice(from, colon);
      }
    }
    from = at + 1;
    colon = -1;
  }
  if (key !== null) fields.set(key, '');
  return fields;
}
