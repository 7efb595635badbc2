// Read a user's pattern: one YAML file → a pattern and its tests, or everything that is wrong with it, each by line and column.

import { basename } from 'node:path';
import { ConfigError, type Problem } from '../../../config/config-error.ts';
import { readText } from '../../../config/load-config.ts';
import { type Tree, whereOf } from '../../../config/tree.ts';
import { validate } from '../../../config/validate.ts';
import { readTree } from '../../../config/yaml-tree.ts';
import { didYouMean } from '../../../helpers/did-you-mean.ts';
import { parseComponent } from '../../../model/component.ts';
import type { Attributes } from '../../../model/event.ts';
import { isKind, KINDS, type Kind } from '../../../model/kind.ts';
import { expandKinds } from '../../graph/kind-words.ts';
import { PATTERNS, type Pattern, type PatternEntry, patternOf } from '../patterns.ts';
import { USER_PATTERN } from './user-pattern-schema.ts';

/** One event of an example: seconds, kind, component, attributes. */
export type ExampleLine = readonly [seconds: number, kind: Kind, component: string, attributes?: Attributes];
export const EXAMPLES = ['clear', 'partial', 'noisy', 'look_alike'] as const;
export type ExampleName = (typeof EXAMPLES)[number];

export interface Example {
  readonly name: ExampleName;
  readonly events: readonly ExampleLine[];
  /** Of what only looks like it: the pattern that it is. */
  readonly is: string | null;
  readonly line: number | null;
  readonly column: number | null;
}

export interface UserPattern {
  readonly pattern: Pattern;
  readonly examples: readonly Example[];
  readonly file: string;
}

interface Entry extends PatternEntry {
  readonly examples: Readonly<
    Record<string, { readonly events: readonly (readonly unknown[])[]; readonly is?: string }>
  >;
}

const FILE = /^([a-z][a-z0-9_]{0,63})\.ya?ml$/;

/** Throws ConfigError. `others`: names of further patterns of the site. */
export function readUserPattern(path: string, others: ReadonlySet<string> = new Set()): UserPattern {
  const [, id] = FILE.exec(basename(path)) ?? [];
  const problems: Problem[] = [];
  if (id === undefined)
    problems.push(whole('is not a name of a pattern: lower-case letters, digits and "_", with .yaml. Rename it'));
  else if (PATTERNS.has(id)) problems.push(whole(`${id} is the name of a pattern of the catalogue. Rename the file`));
  const text = readText(path, false, true) ?? '';
  const tree = readTree(text, USER_PATTERN, {});
  problems.push(...tree.problems, ...(tree.problems.length === 0 ? validate(tree, USER_PATTERN).problems : []));
  if (problems.length === 0) problems.push(...wrongWords(tree, new Set([...others, id ?? ''])));
  if (problems.length > 0 || id === undefined) throw new ConfigError(path, problems);
  const entry = tree.value as Entry; // held by the schema just now
  const pattern = { ...patternOf(id, entry), origin: path };
  const examples = EXAMPLES.flatMap((name) => {
    const example = entry.examples[name];
    const { line, column } = whereOf(tree.places.get(`/examples/${name}#key`));
    const events = (example?.events ?? []) as readonly ExampleLine[]; // held by `wrongWords`
    return example === undefined ? [] : [{ name, events, is: example.is ?? null, line, column }];
  });
  return { pattern, examples, file: path };
}

function whole(text: string): Problem {
  return { code: 'FL1106', line: null, column: null, text };
}

/** What no schema holds: kinds, components and patterns that there are. */
function wrongWords({ value, places }: Tree, known: ReadonlySet<string>): Problem[] {
  const entry = value as Entry; // held by the schema
  const problems: Problem[] = [];
  const wrong = (pointer: string, text: string): void => {
    problems.push({ code: 'FL1106', ...whereOf(places.get(pointer)), text });
  };
  const kinds = (words: readonly string[], pointer: string): void => {
    for (const [i, word] of words.entries()) {
      try {
        if (expandKinds([word]).length === 0) wrong(`${pointer}/${i}`, `${word} means no kind`);
      } catch {
        wrong(`${pointer}/${i}`, noKind(word));
      }
    }
  };
  kinds(entry.root, '/root');
  kinds(entry.without ?? [], '/without');
  for (const list of ['requires', 'completes'] as const)
    for (const [i, { any }] of (entry[list] ?? []).entries()) kinds(any, `/${list}/${i}/any`);
  const pattern = (id: string, pointer: string): void => {
    if (PATTERNS.has(id) || known.has(id)) return;
    const near = didYouMean(id, [...PATTERNS.keys()]);
    wrong(
      pointer,
      `there is no pattern ${id}. ${near === null ? 'faultline patterns lists them' : `Did you mean: ${near}`}`,
    );
  };
  for (const [i, { pattern: id }] of (entry.look_alikes ?? []).entries()) pattern(id, `/look_alikes/${i}/pattern`);
  for (const [name, { events, is }] of Object.entries(entry.examples)) {
    if (is !== undefined) pattern(is, `/examples/${name}/is`);
    for (const [i, line] of events.entries()) {
      const reason = wrongLine(line);
      if (reason !== null) wrong(`/examples/${name}/events/${i}`, reason);
    }
  }
  return problems;
}

function wrongLine([seconds, kind, component, attributes, ...more]: readonly unknown[]): string | null {
  if (typeof seconds !== 'number' || typeof kind !== 'string' || typeof component !== 'string' || more.length > 0)
    return 'is not an event. Write: [0, gpu.thermal_throttle, gpu/0000:9b:00.0]';
  if (!isKind(kind)) return noKind(kind);
  if (parseComponent(component) === null) return `${component} is not a component. Write type/id: gpu/0000:9b:00.0`;
  const isMap = typeof attributes === 'object' && attributes !== null && !Array.isArray(attributes);
  return attributes === undefined || isMap ? null : 'has attributes that are not a map. Write: {xid: 79}';
}

function noKind(word: string): string {
  const near = didYouMean(word, [...KINDS]);
  return `there is no kind ${word}. ${near === null ? 'docs/reference/kinds.md lists them' : `Did you mean: ${near}`}`;
}
