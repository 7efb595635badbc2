// Checks one JSON file of the catalogue against its schema, and says at which line what is wrong.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { isMap, isNode, isPair, LineCounter, parseDocument } from 'yaml';
import { installationRoot } from '../../src/native.ts';

export type Path = readonly (string | number)[];

export interface CheckedFile {
  readonly value: unknown;
  /** `catalog/kinds/gpu.json:12: …` for each breach of the schema. */
  readonly problems: readonly string[];
  /** `catalog/kinds/gpu.json:12`, where the value at the path is written. */
  at(path: Path): string;
}

export function schemaOf(file: string): ValidateFunction {
  const schema = JSON.parse(readFileSync(join(installationRoot(), file), 'utf8'));
  return new Ajv({ allErrors: true, verbose: true, strict: false }).compile(schema);
}

export function checkedFile(file: string, schema: ValidateFunction): CheckedFile {
  return checkedText(file, readFileSync(join(installationRoot(), file), 'utf8'), schema);
}

/** The same for a text that is not on the disk. */
export function checkedText(file: string, text: string, schema: ValidateFunction): CheckedFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  const at = (path: Path): string => `${file}:${lineOf(path)}`;
  const lineOf = (path: Path): number => {
    const parent = document.getIn(path.slice(0, -1), true);
    const pair = isMap(parent) ? parent.items.find(({ key }) => String(key) === String(path.at(-1))) : undefined;
    const node = isPair(pair) ? pair.key : document.getIn(path, true);
    return isNode(node) && node.range ? lines.linePos(node.range[0]).line : 1;
  };
  const broken = document.errors.map(({ message, pos }) => `${file}:${lines.linePos(pos[0]).line}: ${message}`);
  if (broken.length > 0) return { value: null, problems: broken, at };
  const value: unknown = document.toJS();
  const errors = schema(value) ? [] : (schema.errors ?? []);
  return { value, problems: errors.map((error) => `${at(pathOf(error))}: ${sentence(error)}`), at };
}

function pathOf({ instancePath, keyword, params }: ErrorObject): Path {
  const parts = instancePath.split('/').slice(1);
  const path = parts
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  return keyword === 'additionalProperties' ? [...path, String(params.additionalProperty)] : path;
}

function sentence({ instancePath, keyword, params, message, parentSchema }: ErrorObject): string {
  const where = instancePath === '' ? 'the file' : instancePath.slice(1);
  if (keyword === 'additionalProperties') {
    const known = Object.keys(parentSchema?.properties ?? {}).join(', ');
    return `${where} has no "${params.additionalProperty}". Known here: ${known}`;
  }
  if (keyword === 'required') return `${where} needs "${params.missingProperty}"`;
  const wanted = parentSchema?.description;
  return `${where} ${message ?? 'is wrong'}${wanted === undefined ? '' : `: ${wanted}`}`;
}
