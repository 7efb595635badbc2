// Text of a configuration → its values, each with its place, and everything that is wrong with them.

import { schema } from './schema.ts';
import { validate } from './validate.ts';
import { writtenSecrets } from './written-secrets.ts';
import { readTree, type Tree } from './yaml-tree.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where the configuration is read and held against the schema: at once here, or elsewhere. */
export type CheckTree = (text: string, environment: Environment) => Tree | Promise<Tree>;

export function checkTree(text: string, environment: Environment): Tree {
  const tree = readTree(text, schema, environment);
  const problems = [...tree.problems, ...validate(tree, schema)];
  // Where nothing is wrong with its form, resolving tells of secrets, and of more.
  return { ...tree, problems: problems.length === 0 ? problems : [...problems, ...writtenSecrets(tree, schema)] };
}
