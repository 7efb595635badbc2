// Text of a configuration → its values, each with its place, and everything that is wrong with them.

import type { DropIn } from './drop-ins.ts';
import { mergeTrees } from './merge-trees.ts';
import { patch } from './patch.ts';
import type { SchemaNode } from './schema-parts.ts';
import type { Tree } from './tree.ts';
import { validate } from './validate.ts';
import { writtenSecrets } from './written-secrets.ts';
import { readTree } from './yaml-tree.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where the configuration is read and held against the schema: at once here, or elsewhere. */
export type CheckTree = (
  text: string,
  environment: Environment,
  dropIns?: readonly DropIn[],
) => CheckedTree | Promise<CheckedTree>;

export interface CheckedTree extends Tree {
  /** Where a value was left out or stood in for, so that the rest can be resolved. */
  readonly patched: readonly string[];
}

export function checkTree(
  text: string,
  schema: SchemaNode & object,
  environment: Environment,
  dropIns: readonly DropIn[] = [],
): CheckedTree {
  const own = readTree(text, schema, environment);
  const others = dropIns.map((each) => readTree(each.text, schema, environment, each.file));
  const tree = others.length === 0 ? own : mergeTrees(own, others);
  const { problems: wrong, bad } = validate(tree, schema);
  const problems = [...tree.problems, ...wrong];
  const { value, pointers } = patch(tree.value, schema, bad);
  // What is patched is not resolved; a secret in it is reported all the same.
  const secrets = problems.length === 0 ? [] : writtenSecrets(tree, schema);
  return { ...tree, value, patched: pointers, problems: [...problems, ...secrets] };
}
