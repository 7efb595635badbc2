// Holds a configuration tree against the schema and says what is wrong in words, with what to write instead.

import { didYouMean } from '../helpers/did-you-mean.ts';
import { redactAddress } from '../model/redact.ts';
import type { Problem } from './config-error.ts';
import { type Misfit, misfits } from './misfits.ts';
import { pointerName, pointerStep } from './pointer.ts';
import { exampleOf, longestAllowed, propose } from './proposal.ts';
import { parseDuration } from './quantity.ts';
import type { SchemaNode } from './schema-parts.ts';
import { type Tree, whereOf } from './tree.ts';
import { readTree } from './yaml-tree.ts';

const MAX_PROBLEMS = 50;
const LONGEST_SHOWN = 60;

export interface Validation {
  /** All problems of the tree's values, at most 50; empty when the tree fits the schema. */
  readonly problems: readonly Problem[];
  /** Pointers of the values that do not fit, or are missing. */
  readonly bad: ReadonlySet<string>;
}

type Values = Pick<Tree, 'value' | 'places'>;

export function validate(tree: Values, schema: SchemaNode & object): Validation {
  const found = misfits(tree.value, schema);
  return { problems: problemsOf(found, tree, schema), bad: new Set(found.flatMap(badPointer)) };
}

function badPointer({ keyword, at, key = '' }: Misfit): readonly string[] {
  if (keyword === 'additionalProperties') return [];
  return [keyword === 'required' ? at + pointerStep(key) : at];
}

function problemsOf(found: readonly Misfit[], tree: Values, root: SchemaNode): Problem[] {
  const problems: Problem[] = [];
  const reported = new Set<string>();
  for (const misfit of found) {
    const problem = describe(misfit, tree, root);
    const key = problem === null ? '' : `${misfit.at}:${problem.code}:${problem.code === 'FL1106' ? '' : problem.text}`;
    if (problem === null || reported.has(key)) continue; // one word a value: a wrong type also breaks the list of choices
    reported.add(key);
    problems.push(problem);
    if (problems.length === MAX_PROBLEMS) break;
  }
  return problems;
}

function describe(misfit: Misfit, tree: Values, root: SchemaNode): Problem | null {
  const { keyword, at, schema, data } = misfit;
  const key = misfit.key ?? '';
  const child = at + pointerStep(key);
  const place = tree.places.get(at);
  const where = place === undefined ? { line: 1, column: 1 } : whereOf(place);
  const name = pointerName(at) || 'the configuration';
  if (keyword === 'additionalProperties') {
    const known = Object.keys(schema.properties ?? {});
    const near = didYouMean(key, known);
    const hint = near === null ? `Known here: ${known.join(', ')}` : `Did you mean: ${near}`;
    const keyPlace = tree.places.get(`${child}#key`);
    const ofKey = keyPlace === undefined ? where : whereOf(keyPlace);
    return { code: 'FL1105', ...ofKey, text: `${pointerName(child).slice(0, 200)} is not known. ${hint}` };
  }
  if (keyword === 'required') {
    if (tree.places.has(child)) return null; // it is there, and what is wrong with it is already reported
    const example = `${key}: ${exampleOf(schema.properties?.[key])[0] ?? '...'}`;
    return { code: 'FL1107', ...where, text: `${name} needs ${key}. Write: ${example}` };
  }
  if (data === undefined) return null;
  const got = schema.secret === true ? '' : ` (got ${shown(place?.source ?? null, data)})`;
  const own = at.split('/').at(-1) ?? '';
  const before = /^\d+$/.test(own) || own === '' ? '' : `${own}: `;
  const most = longestAllowed(at, schema, tree.value, root);
  const fits = (text: string): boolean => most === null || (parseDuration(text) ?? 0) <= most;
  const example = propose(data, schema, (text) => fits(text) && accepts(schema, text));
  const write = example === null ? '' : ` Write: ${before}${example}`;
  return { code: 'FL1106', ...where, text: `${name} must be ${wanted(misfit)}${got}.${write}` };
}

function wanted({ keyword, schema, limit }: Misfit): string {
  const range = schema.durationRange ?? schema.sizeRange;
  switch (keyword) {
    case 'durationRange':
    case 'sizeRange':
      return `from ${range?.min} to ${range?.max}`;
    case 'minimum':
    case 'maximum':
      return `from ${schema.minimum ?? 'any'} to ${schema.maximum ?? 'any'}`;
    case 'minLength':
      return 'not empty';
    case 'maxLength':
    case 'maxItems':
      return `at most ${limit} ${keyword === 'maxItems' ? 'entries' : 'characters'} long`;
  }
  if (schema.enum !== undefined) return `one of ${schema.enum.map((value) => JSON.stringify(value)).join(', ')}`;
  if (schema.durationRange !== undefined) return 'a duration such as "500ms", "2s", "10m", "24h"';
  if (schema.sizeRange !== undefined) return 'a size such as "64MiB" (B, KiB, MiB, GiB)';
  if (keyword === 'pattern') return schema.form ?? 'of another form';
  const types: Readonly<Record<string, string>> = {
    object: 'a section (name: value lines)',
    array: 'a list',
    string: 'text',
    integer: 'a whole number',
    number: 'a number',
    boolean: 'true or false',
  };
  return [schema.type]
    .flat()
    .map((type) => types[type] ?? type)
    .join(' or ');
}

/** Whether the schema takes a text as it would be written, read as any value of the file is. */
function accepts(schema: SchemaNode, text: string): boolean {
  if (text.includes('$')) return schema.secret === true;
  const whole = { type: 'object', properties: { value: schema }, required: ['value'] };
  const tree = readTree(`value: ${text}`, whole, {});
  return tree.problems.length === 0 && misfits(tree.value, whole).length === 0;
}

function cut(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** What was written, never what a variable held, and no password that is part of an address. */
function shown(source: string | null, data: unknown): string {
  if (source === '') return 'nothing';
  if (source !== null) return cut(redactAddress(source), LONGEST_SHOWN);
  return Array.isArray(data) ? 'a list' : data === null ? 'nothing' : 'a section';
}
