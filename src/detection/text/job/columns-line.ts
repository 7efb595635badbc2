// Lines with fields between bars, as Megatron and its relatives print them: upstream, DeepSpeed forks, Primus on ROCm, NeMo.

import { Cursor } from '../cursor.ts';
import { FRAMEWORKS, type Framework, valueReader, wordsOf } from './framework.ts';
import { readCount } from './number.ts';
import type { StepLine } from './progress.ts';
import { stepFields, stepOf } from './step-fields.ts';

const MAX_FIELDS = 64;
const MAX_NAME = 96;
const COLUMNS = FRAMEWORKS.flatMap(([framework, { columns }]) => (columns === undefined ? [] : [{ ...columns, framework, read: stepFields(columns.fields) }])); // biome-ignore format: one line
type ColumnWords = (typeof COLUMNS)[number];

/** Null when the line is not a progress line. Values are taken as printed; of "current/average" the current one. */
export function parseColumns(line: string, wanted: (framework: Framework) => boolean): StepLine | null {
  const bar = line.indexOf('|');
  if (bar < 0) return null;
  for (const words of COLUMNS) {
    const step = wanted(words.framework) ? parse(line, bar, words) : null;
    if (step !== null) return step;
  }
  return null;
}

function parse(line: string, bar: number, words: ColumnWords): StepLine | null {
  const { counter, before_counter: before = [], needs, fields: names, read, framework } = words;
  const head = line.slice(0, bar);
  const first = countOf(head, counter);
  // GPT-NeoX has the rate before it: "samples/sec: 7.8 | iteration 34/ 10000 | …".
  const count = first ?? (before.some((word) => head.includes(word)) ? countOf(secondPart(line, bar), counter) : null);
  if (count === null) return null;
  const fields = fieldsOf(first === null ? line : line.slice(bar + 1));
  if (!needs.some((key) => fields.has(key))) return null;
  const text = valueReader(fields);
  const inAll = text(wordsOf(names, 'iteration'));
  return {
    ...stepOf(framework, read, text),
    iteration: readCount(inAll ?? undefined) ?? count.iteration,
    target_iteration: inAll === null ? count.target : null,
  };
}

/** "… iteration      424/   40000 ": the last such word; the target may be missing. */
function countOf(text: string, counter: string): { iteration: number; target: number | null } | null {
  const at = text.lastIndexOf(counter);
  if (at < 0) return null;
  const cursor = new Cursor(text, at + counter.length).spaces();
  const iteration = cursor.integer(12);
  if (iteration === null) return null;
  const target = cursor.spaces().take('/') ? cursor.spaces().integer(12) : null;
  return { iteration, target };
}

function secondPart(line: string, bar: number): string {
  const end = line.indexOf('|', bar + 1);
  return end < 0 ? '' : line.slice(bar + 1, end);
}

/** Keys in lower case with one space between words and one before a unit: "iteration(ms)" is "iteration (ms)". */
function fieldsOf(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const part of text.split('|', MAX_FIELDS)) {
    const colon = part.lastIndexOf(':');
    if (colon < 0) continue;
    fields.set(keyOf(part.slice(0, Math.min(colon, MAX_NAME))), part.slice(colon + 1));
  }
  return fields;
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
