// Holds a configuration tree against the schema and says what is wrong in words, with what to write instead.

import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { didYouMean } from '../helpers/did-you-mean.ts';
import { redactAddress } from '../model/redact.ts';
import type { Problem } from './config-error.ts';
import { pointerName, pointerStep } from './pointer.ts';
import { exampleOf, longestAllowed, propose } from './proposal.ts';
import { parseDuration, parseSize } from './quantity.ts';
import type { SchemaNode } from './schema-parts.ts';
import { readTree, type Tree, whereOf } from './yaml-tree.ts';

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
  const check = compiled(schema);
  if (check(tree.value)) return { problems: [], bad: new Set() };
  const errors = check.errors ?? [];
  return { problems: problemsOf(errors, tree, schema), bad: new Set(errors.flatMap(badPointer)) };
}

function badPointer({ keyword, instancePath, params }: ErrorObject): readonly string[] {
  if (keyword === 'additionalProperties') return [];
  return [keyword === 'required' ? instancePath + pointerStep(String(params.missingProperty)) : instancePath];
}

function problemsOf(errors: readonly ErrorObject[], tree: Values, root: SchemaNode): Problem[] {
  const problems: Problem[] = [];
  const reported = new Set<string>();
  for (const error of errors) {
    const problem = describe(error, tree, root);
    const key =
      problem === null ? '' : `${error.instancePath}:${problem.code}:${problem.code === 'FL1106' ? '' : problem.text}`;
    if (problem === null || reported.has(key)) continue; // one word a value: a wrong type also breaks the list of choices
    reported.add(key);
    problems.push(problem);
    if (problems.length === MAX_PROBLEMS) break;
  }
  return problems;
}

const validators = new WeakMap<object, ValidateFunction>();

/** Compiling takes 20 ms: once a schema. */
function compiled(schema: object): ValidateFunction {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const ajv = new Ajv({ allErrors: true, verbose: true, allowUnionTypes: true, strict: true });
  ajv.addVocabulary(['x-path', 'form', 'origin', 'notLongerThan', 'secret', 'instead', 'harmless']);
  ajv.addKeyword(rangeKeyword('durationRange', parseDuration));
  ajv.addKeyword(rangeKeyword('sizeRange', parseSize));
  const check = ajv.compile(schema);
  validators.set(schema, check);
  return check;
}

function rangeKeyword(keyword: string, parse: (text: string) => number | null) {
  return {
    keyword,
    type: 'string' as const,
    schemaType: 'object' as const,
    validate(range: { min: string; max: string }, text: string): boolean {
      const value = parse(text);
      const min = parse(range.min) ?? 0;
      const max = parse(range.max) ?? Number.POSITIVE_INFINITY;
      return value === null || (value >= min && value <= max); // no quantity at all is the pattern's to say
    },
  };
}

function describe(error: ErrorObject, tree: Values, root: SchemaNode): Problem | null {
  const place = tree.places.get(error.instancePath);
  const at = place === undefined ? { line: 1, column: 1 } : whereOf(place);
  const name = pointerName(error.instancePath) || 'the configuration';
  const schema = error.parentSchema as SchemaNode; // ajv hands back the node of our own schema
  if (error.keyword === 'additionalProperties') {
    const key = String(error.params.additionalProperty);
    const child = error.instancePath + pointerStep(key);
    const known = Object.keys(schema.properties ?? {});
    const near = didYouMean(key, known);
    const hint = near === null ? `Known here: ${known.join(', ')}` : `Did you mean: ${near}`;
    const keyPlace = tree.places.get(`${child}#key`);
    const where = keyPlace === undefined ? at : whereOf(keyPlace);
    return { code: 'FL1105', ...where, text: `${pointerName(child).slice(0, 200)} is not known. ${hint}` };
  }
  if (error.keyword === 'required') {
    const key = String(error.params.missingProperty);
    const child = error.instancePath + pointerStep(key);
    if (tree.places.has(child)) return null; // it is there, and what is wrong with it is already reported
    const example = `${key}: ${exampleOf(schema.properties?.[key])[0] ?? '...'}`;
    return { code: 'FL1107', ...at, text: `${name} needs ${key}. Write: ${example}` };
  }
  if (error.data === undefined) return null;
  const got = schema.secret === true ? '' : ` (got ${shown(place?.source ?? null, error.data)})`;
  const own = error.instancePath.split('/').at(-1) ?? '';
  const key = /^\d+$/.test(own) || own === '' ? '' : `${own}: `;
  const most = longestAllowed(error.instancePath, schema, tree.value, root);
  const fits = (text: string): boolean => most === null || (parseDuration(text) ?? 0) <= most;
  const example = propose(error.data, schema, (text) => fits(text) && accepts(schema, text));
  const write = example === null ? '' : ` Write: ${key}${example}`;
  return { code: 'FL1106', ...at, text: `${name} must be ${wanted(error, schema)}${got}.${write}` };
}

function wanted(error: ErrorObject, schema: SchemaNode): string {
  const range = schema.durationRange ?? schema.sizeRange;
  switch (error.keyword) {
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
      return `at most ${error.params.limit} ${error.keyword === 'maxItems' ? 'entries' : 'characters'} long`;
  }
  if (schema.enum !== undefined) return `one of ${schema.enum.map((value) => JSON.stringify(value)).join(', ')}`;
  if (schema.durationRange !== undefined) return 'a duration such as "500ms", "2s", "10m", "24h"';
  if (schema.sizeRange !== undefined) return 'a size such as "64MiB" (B, KiB, MiB, GiB)';
  if (error.keyword === 'pattern') return schema.form ?? 'of another form';
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
  const whole = wholeOf(schema);
  const tree = readTree(`value: ${text}`, whole, {});
  return tree.problems.length === 0 && compiled(whole)(tree.value) === true;
}

const wholes = new WeakMap<object, SchemaNode & object>();

/** A schema of a file that holds one value, kept with the value's own: to compile one takes a while. */
function wholeOf(schema: SchemaNode): SchemaNode & object {
  const known = wholes.get(schema);
  if (known !== undefined) return known;
  const whole = { type: 'object', properties: { value: schema }, required: ['value'] };
  wholes.set(schema, whole);
  return whole;
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
