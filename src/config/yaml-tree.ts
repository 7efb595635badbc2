// Reads YAML into plain values, and keeps for every value and key the place where it was written.

import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, type Scalar, visit } from 'yaml';
import { errorText } from '../helpers/error-text.ts';
import type { Problem } from './config-error.ts';
import { expand } from './expand.ts';
import { pointerName, pointerStep } from './pointer.ts';
import type { SchemaNode } from './schema-parts.ts';
import type { Place, Tree } from './tree.ts';

const MAX_NODES = 200_000;
const MAX_DEPTH = 32;
const MAX_ROUNDS = 10;
const SEVERAL = 'multiple documents';
const STANDARD_TAGS = 'tag:yaml.org,2002:';
const INTEGER = /^[+-]?[0-9]{1,15}$/;
const NUMBER = /^\d{1,15}(?:\.\d{1,15})?$/;

/** A file of at most `MAX_NODES` values, `MAX_DEPTH` deep, aliases counted as often as they are used. Never throws. */
export function readTree(
  text: string,
  schema: SchemaNode,
  environment: Readonly<Record<string, string | undefined>>,
  file?: string,
): Tree {
  const reader = new TreeReader(environment, file);
  return { value: reader.read(text, schema), places: reader.places, problems: reader.problems };
}

/** The parser quotes what it stumbles over behind a colon, and that may be a secret; the place says where to look. */
function withoutSource(message: string): string {
  if (message.includes(SEVERAL)) return 'there is a second document (---); keep one';
  return message.replace(/: [\s\S]*$/, '').replace(/(\btag|escape sequence) [\s\S]*$/i, '$1');
}

/** Where the innermost quote, or list or map in brackets, begins that continues to the end of the text; null where none does. */
function openSign(contents: Node | null, text: string, isQuote: boolean): number | null {
  let found: number | null = null;
  const end = text.trimEnd().length;
  visit(contents, {
    Scalar: (_key, { type, range }) => {
      const quoted = type === 'QUOTE_DOUBLE' || type === 'QUOTE_SINGLE';
      if (isQuote && quoted && range != null && range[1] >= end) found = range[0];
    },
    Collection: (_key, { flow, range }) => {
      if (isQuote || flow !== true || range == null || range[1] < end) return;
      if (range[1] === end && (text[end - 1] === ']' || text[end - 1] === '}') && found !== null) return;
      found = range[0];
    },
  });
  return found;
}

/** The text with empty lines in place of the sections, from one key at the margin to the next, that hold these lines. */
function withoutSections(text: string, lines: readonly number[]): string {
  const written = text.split('\n');
  const all = [...written];
  const begins = (line: string | undefined): boolean => line !== undefined && /^[^\s#\-}\]]/.test(line);
  for (const line of lines) {
    let first = Math.min(line, written.length) - 1;
    while (first > 0 && !begins(written[first])) first -= 1;
    all[first] = '';
    for (let at = first + 1; at < written.length && !begins(written[at]); at += 1) all[at] = '';
  }
  return all.join('\n');
}

class TreeReader {
  readonly places = new Map<string, Place>();
  readonly problems: Problem[] = [];
  #lines = new LineCounter();
  /** A section was taken out, and anchors with it. */
  #partial = false;
  readonly #environment: Readonly<Record<string, string | undefined>>;
  #anchors = new Map<string, Node>();
  #budget = MAX_NODES;

  /** Goes into each place and problem, where it is not the configuration itself. */
  readonly #file: { readonly file?: string };

  constructor(environment: Readonly<Record<string, string | undefined>>, file?: string) {
    this.#environment = environment;
    this.#file = file === undefined ? {} : { file };
  }

  read(text: string, schema: SchemaNode): unknown {
    try {
      return this.#rounds(text, schema);
    } catch (error) {
      // The parser recurses: very deep nesting ends in a RangeError.
      this.#problem('FL1104', 0, `cannot be read: ${errorText(error)}`);
      return {};
    }
  }

  /** A section that is not YAML is reported and taken out, so that the others are read all the same. */
  #rounds(text: string, schema: SchemaNode): unknown {
    const reported = new Set<string>();
    for (let rest = text, round = 0; round < MAX_ROUNDS; round += 1) {
      this.#lines = new LineCounter();
      // uniqueKeys is quadratic in the library (a minute for a map of 1 MiB); map() below looks for repeats itself.
      const document = parseDocument(rest, { lineCounter: this.#lines, prettyErrors: false, uniqueKeys: false });
      const errors = [...document.errors, ...document.warnings].slice(0, 20);
      if (errors.length === 0) return document.contents === null ? {} : this.#node(document.contents, '', schema, 0);
      this.#partial = true;
      for (const { pos, message } of errors) {
        const opened =
          pos[0] >= rest.trimEnd().length ? openSign(document.contents, rest, message.includes('closing')) : null;
        const text = opened === null ? withoutSource(message) : `this ${rest[opened]} is not closed`;
        const offset = opened ?? pos[0];
        // An open quote ends wherever the text does: the same mistake once more.
        if (round === 0 || !reported.has(text)) this.#problem('FL1103', offset, `is not valid YAML: ${text}`);
        reported.add(text);
      }
      if (errors.some(({ message }) => message.includes(SEVERAL))) return {};
      const lines = errors.map(({ pos }) => this.#lines.linePos(pos[0]).line);
      const shorter = withoutSections(rest, lines);
      if (shorter === rest) return {};
      rest = shorter;
    }
    return {};
  }

  #problem(code: string, offset: number, text: string): void {
    const place = this.#lines.linePos(offset);
    const problem = { code, line: Math.max(1, place.line), column: Math.max(1, place.col), text, ...this.#file };
    // The parser says the same once for each level that it unwinds.
    const before = this.problems.at(-1);
    if (before?.text === text && before.line === problem.line && before.column === problem.column) return;
    this.problems.push(problem);
  }

  #place(node: Node, pointer: string, expanded: boolean): void {
    const place = this.#lines.linePos(node.range?.[0] ?? 0);
    const source = isScalar(node) ? (node.source ?? String(node.value)) : null;
    this.places.set(pointer, { line: place.line, column: place.col, source, expanded, ...this.#file });
  }

  #node(node: Node, pointer: string, schema: SchemaNode | undefined, depth: number): unknown {
    const offset = node.range?.[0] ?? 0;
    this.#budget -= 1;
    if (this.#budget < 0 || depth > MAX_DEPTH) {
      if (this.#budget >= -1)
        this.#problem('FL1104', offset, `is larger than ${MAX_NODES} values or deeper than ${MAX_DEPTH}`);
      this.#budget = Math.min(this.#budget, -2);
      return null;
    }
    this.#place(node, pointer, false);
    if (node.tag !== undefined && !isAlias(node)) {
      // A plain value that begins with "!" is a tag to YAML, and passwords do: only YAML's own names are shown.
      const shown = node.tag.startsWith(STANDARD_TAGS) ? `the tag ${node.tag}` : 'a tag (a word that begins with "!")';
      this.#problem('FL1103', offset, `has ${shown}. Write: the plain value, in quotes`);
      return undefined;
    }
    if (isAlias(node)) {
      const target = this.#anchors.get(node.source);
      if (target !== undefined) return this.#node(target, pointer, schema, depth + 1);
      if (this.#partial) return undefined;
      const shown = schema?.secret === true ? 'an alias (a word that begins with "*")' : `*${node.source}`;
      this.#problem('FL1103', offset, `uses ${shown}, which is not defined before it`);
      return undefined;
    }
    const anchor = isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined;
    let value: unknown = null;
    if (isScalar(node)) value = this.#scalar(node, pointer, schema);
    else if (isMap(node)) value = this.#map(node, pointer, schema, depth);
    else if (isSeq(node)) {
      value = node.items.map(
        (item, i) => this.#node(item as Node, pointer + pointerStep(i), schema?.items, depth + 1), // a parsed sequence holds nodes only
      );
    }
    if (anchor !== undefined) this.#anchors.set(anchor, node); // after its content, so that it cannot hold itself
    return value;
  }

  #map(
    node: Node & { items: readonly { key: unknown; value: unknown }[] },
    pointer: string,
    schema: SchemaNode | undefined,
    depth: number,
  ): object {
    const out: Record<string, unknown> = Object.create(null);
    const seen = new Map<string, number>();
    for (const pair of node.items) {
      const keyNode = pair.key as Node | null; // a parsed map holds nodes only
      const offset = keyNode?.range?.[0] ?? node.range?.[0] ?? 0;
      if (!isScalar(keyNode) || keyNode.value === null || (keyNode.source ?? '').length > 256) {
        this.#problem('FL1103', offset, 'has a key that is not a plain word');
        continue;
      }
      const key = typeof keyNode.value === 'string' ? keyNode.value : (keyNode.source ?? String(keyNode.value));
      const child = pointer + pointerStep(key);
      const first = seen.get(key);
      if (first !== undefined) {
        this.#problem(
          'FL1103',
          offset,
          `${pointerName(child)} is there twice; the first is on line ${first}. Remove one`,
        );
        continue;
      }
      seen.set(key, this.#lines.linePos(offset).line);
      this.#place(keyNode, `${child}#key`, false);
      const inner = schema?.properties?.[key];
      const value = pair.value === null ? null : this.#node(pair.value as Node, child, inner, depth + 1);
      // A section whose lines are all commented out is a section left out.
      if (value === null && (inner?.type === 'object' || inner?.type === 'array')) continue;
      out[key] = value;
    }
    return out;
  }

  #scalar(node: Scalar, pointer: string, schema: SchemaNode | undefined): unknown {
    const { value } = node;
    const type = schema?.type;
    if (typeof value === 'number' && (type === 'string' || (Array.isArray(type) && type.includes('string')))) {
      return node.source ?? String(value); // `version: 3`, `community: 0123` mean the text
    }
    if (typeof value === 'bigint') return Number(value);
    if (typeof value !== 'string' || !value.includes('${')) return value;
    const expansion = expand(value, this.#environment);
    if ('error' in expansion) {
      this.#problem('FL1108', node.range?.[0] ?? 0, `${pointerName(pointer)} ${expansion.error}`);
      return undefined;
    }
    this.#place(node, pointer, expansion.used);
    if (type === 'integer' && INTEGER.test(expansion.text)) return Number(expansion.text);
    if (type === 'number' && NUMBER.test(expansion.text)) return Number(expansion.text);
    if (type === 'boolean' && /^(true|false)$/.test(expansion.text)) return expansion.text === 'true';
    return expansion.text;
  }
}
