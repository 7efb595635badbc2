// Lines with fields between bars, as Megatron and its relatives print them: upstream, DeepSpeed forks, Primus on ROCm, NeMo.

import { Cursor } from '../cursor.ts';
import { FRAMEWORKS, type Framework, wordsOf } from './framework.ts';
import type { StepLine } from './progress.ts';
import { ofCount, ofWhole, type Put } from './put.ts';
import { type Spans, spanOf, stepFields, stepIn, type ValuePlace } from './step-fields.ts';

const MAX_FIELDS = 64;
const MAX_NAME = 96;
const COLUMNS = FRAMEWORKS.flatMap(([framework, { columns }]) => (columns === undefined ? [] : [{ ...columns, framework, read: stepFields(columns.fields) }])); // biome-ignore format: one line
type ColumnWords = (typeof COLUMNS)[number];

const putCount = ofWhole((step, value) => {
  step.iteration = value;
  step.target_iteration = null;
});
const putTarget = ofWhole((step, value) => {
  step.target_iteration = value;
});
/** Where this can be read, it counts all, and no target is known. */
const putInAll = ofCount((step, value) => {
  step.iteration = value ?? step.iteration;
  step.target_iteration = null;
});

/**
 * Null when the line is not a progress line. Values are taken as printed; of "current/average" the current one. `places`: where
 * each value is, in the order in which they count.
 */
export function parseColumns(
  line: string,
  wanted: (framework: Framework) => boolean,
  places?: ValuePlace[],
): StepLine | null {
  const bar = line.indexOf('|');
  if (bar < 0) return null;
  for (const words of COLUMNS) {
    const step = wanted(words.framework) ? parse(line, bar, words, places) : null;
    if (step !== null) return step;
  }
  return null;
}

function parse(line: string, bar: number, words: ColumnWords, places?: ValuePlace[]): StepLine | null {
  const { counter, before_counter: before = [], needs, fields: names, read, framework } = words;
  const first = countIn(line, 0, bar, counter);
  // GPT-NeoX has the rate before it: "samples/sec: 7.8 | iteration 34/ 10000 | …".
  const behind = first === null && before.some((word) => line.slice(0, bar).includes(word));
  const count = behind ? countIn(line, bar + 1, line.indexOf('|', bar + 1), counter) : first;
  if (count === null) return null;
  const spans = columnsOf(line, first === null ? 0 : bar + 1);
  if (!needs.some((key) => spans.has(key))) return null;
  const step = stepIn(framework, read, line, spans, places);
  const inAll = spanOf(spans, wordsOf(names, 'iteration'));
  const ends: [Put, readonly [number, number] | null][] = [[putCount, count.iteration], [putTarget, count.target], [putInAll, inAll]]; // biome-ignore format: one line
  for (const [put, span] of ends) {
    if (span === null) continue;
    put(step, line.slice(span[0], span[1]));
    places?.push({ put, from: span[0], to: span[1] });
  }
  return step;
}

interface Count {
  readonly iteration: readonly [from: number, to: number];
  readonly target: readonly [from: number, to: number] | null;
}

/** "… iteration      424/   40000 " in a part of the line: the last such word; the target may be missing. */
function countIn(line: string, from: number, to: number, counter: string): Count | null {
  const text = line.slice(from, Math.max(from, to));
  const at = text.lastIndexOf(counter);
  if (at < 0) return null;
  const cursor = new Cursor(text, at + counter.length);
  const number = (): readonly [number, number] | null => {
    const begin = cursor.spaces().position;
    return cursor.integer(12) === null ? null : [from + begin, from + cursor.position];
  };
  const iteration = number();
  if (iteration === null) return null;
  return { iteration, target: cursor.spaces().take('/') ? number() : null };
}

/** Keys in lower case with one space between words and one before a unit: "iteration(ms)" is "iteration (ms)". */
function columnsOf(line: string, begin: number): Spans {
  const spans = new Map<string, readonly [number, number]>();
  for (let from = begin, count = 0; from <= line.length && count < MAX_FIELDS; count += 1) {
    const bar = line.indexOf('|', from);
    const to = bar < 0 ? line.length : bar;
    const colon = line.lastIndexOf(':', to - 1);
    if (colon >= from && to > from)
      spans.set(keyOf(line.slice(from, Math.min(colon, from + MAX_NAME))), [colon + 1, to]);
    from = to + 1;
  }
  return spans;
}

const MAX_KEYS = 256;
/** The names that came last: each line of a job has the same. */
const keys = new Map<string, string>();

function keyOf(name: string): string {
  const known = keys.get(name);
  if (known !== undefined) return known;
  const key = name.replace('(', ' (').split(/\s+/).join(' ').trim().toLowerCase();
  if (keys.size >= MAX_KEYS) keys.clear();
  keys.set(name, key);
  return key;
}
