// Lines of names and values, as torchtitan prints them: "step: 10  loss: 4.2  memory: 9.46GiB(64.99%)  tps: 7,282  mfu: 0.17%".

import { FRAMEWORKS, type Framework, wordsOf } from './framework.ts';
import { readCount } from './number.ts';
import type { StepLine } from './progress.ts';
import { ofCount } from './put.ts';
import { type Spans, spanOf, stepFields, stepIn, type ValuePlace } from './step-fields.ts';

const MAX_TAIL = 512;
const PAIRS = FRAMEWORKS.flatMap(([framework, { pairs }]) =>
  pairs === undefined ? [] : [{ ...pairs, framework, read: stepFields(pairs.fields) }],
);
type PairWords = (typeof PAIRS)[number];

const putIteration = ofCount((step, value) => {
  step.iteration = value;
  step.target_iteration = null;
});

/**
 * Null when the line is not a progress line. torchtitan prints no step time; the decoder takes it from line times. `places`:
 * where each value is, in the order in which they count.
 */
export function parsePairs(
  line: string,
  wanted: (framework: Framework) => boolean,
  places?: ValuePlace[],
): StepLine | null {
  for (const words of PAIRS) {
    const step = wanted(words.framework) ? parse(line, words, places) : null;
    if (step !== null) return step;
  }
  return null;
}

function parse(
  line: string,
  { begins, not_after: others = [], needs, fields: names, read, framework }: PairWords,
  places?: ValuePlace[],
): StepLine | null {
  const at = line.indexOf(begins);
  if (at < 0 || (at > 0 && !' -:]'.includes(line[at - 1] ?? ''))) return null;
  // "validate step: 100 …" reports an evaluation, not a step.
  const head = line.slice(0, at).trimEnd();
  if (others.some((word) => head.endsWith(word))) return null;
  const spans = pairsOf(line, at, Math.min(line.length, at + MAX_TAIL));
  if (!needs.some((key) => spans.has(key))) return null;
  const number = spanOf(spans, wordsOf(names, 'iteration'));
  if (number === null || readCount(line.slice(number[0], number[1])) === null) return null;
  const step = stepIn(framework, read, line, spans, places);
  putIteration(step, line.slice(number[0], number[1]));
  places?.push({ put: putIteration, from: number[0], to: number[1] });
  return step;
}

const [TAB, RETURN, BLANK, COLON, BAR, LAST_ASCII] = [9, 13, 32, 58, 124, 127];

/** "key:  value  key: value" with any number of spaces or bars. By hand, because each step line comes by here. */
function pairsOf(line: string, begin: number, end: number): Spans {
  const spans = new Map<string, readonly [number, number]>();
  let key: string | null = null;
  let from = begin;
  let colon = -1;
  for (let at = begin; at <= end; at += 1) {
    const code = at < end ? line.charCodeAt(at) : BLANK;
    // Blanks of other scripts; each replaced by one of the same length.
    if (code > LAST_ASCII) return pairsOf(line.replace(/[^\S ]/g, ' ').replace(/[^\x20-\x7e]/g, '?'), begin, end);
    if (code === COLON && colon < 0) colon = at;
    if (code > BLANK ? code !== BAR : code !== BLANK && (code < TAB || code > RETURN)) continue;
    if (at > from) {
      if (key !== null) spans.set(key, [from, at]);
      key = null;
      if (colon > from) {
        if (colon + 1 < at) spans.set(line.slice(from, colon), [colon + 1, at]);
        else key = line.slice(from, colon);
      }
    }
    from = at + 1;
    colon = -1;
  }
  if (key !== null) spans.set(key, [end, end]);
  return spans;
}
