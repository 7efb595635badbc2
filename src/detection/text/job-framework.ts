// The frameworks whose lines a configuration may ask for, from catalog/job/<framework>.json.

import { FRAMEWORKS, type Framework } from './job/framework.ts';

const EXPECTED: ReadonlyMap<string, readonly Framework[] | null> = new Map([
  ['auto', null],
  ...FRAMEWORKS.flatMap(([name, { expects }]) => (expects === undefined ? [] : [[name, expects] as const])),
]);

/** `auto`: those of every framework. */
export const JOB_FRAMEWORKS: readonly string[] = [...EXPECTED.keys()];
export type JobFramework = string;

/** Whose lines are read where the configuration says so; null for those of all. */
export function expectedBy(framework: JobFramework): readonly Framework[] | null {
  return EXPECTED.get(framework) ?? null;
}

export function isExpected(name: unknown): name is JobFramework {
  return typeof name === 'string' && EXPECTED.has(name);
}
