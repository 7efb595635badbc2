// Text of a configuration → its values, each with its place, and everything that is wrong with them.

import { schema } from './schema.ts';
import { validate } from './validate.ts';
import { readTree, type Tree } from './yaml-tree.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where the configuration is read and held against the schema: at once here, or elsewhere. */
export type CheckTree = (text: string, environment: Environment) => Tree | Promise<Tree>;

export function checkTree(text: string, environment: Environment): Tree {
  const tree = readTree(text, schema, environment);
  return { ...tree, problems: [...tree.problems, ...validate(tree, schema)] };
}
