// The frameworks whose lines a configuration may ask for, from catalog/job/<framework>.json.

import { FRAMEWORKS, type Framework } from './job/framework.ts';

const EXPECTED: ReadonlyMap<string, readonly Framework[] | null> = new Map([
  ['auto', null],
  ...FRAMEWORKS.flatMap(([name, { expects }]) => (expects === undefined ? [] : [[name, expects] as const])),
]);

/** Examples in a message that has to stay short. */
const SHOWN = 2;

/** `auto`: those of every framework. */
export const JOB_FRAMEWORKS: readonly string[] = [...EXPECTED.keys()];
export type JobFramework = string;

/** What the lines that it expects look like; of `auto` the first ones, and the names of the others. */
export function linesOf(framework: JobFramework): string {
  const known = FRAMEWORKS.flatMap(([name, { looks_like: looks }]) => (looks === undefined ? [] : [{ name, looks }]));
  const own = known.find(({ name }) => name === framework);
  if (own !== undefined) return own.looks;
  const others = known.slice(SHOWN).map(({ name }) => name);
  return `${known.slice(0, SHOWN).map(({ looks }) => looks).join(', ')}, and those of ${others.join(', ')}`; // biome-ignore format: one line
}

/** Whose lines are read where the configuration says so; null for those of all. */
export function expectedBy(framework: JobFramework): readonly Framework[] | null {
  return EXPECTED.get(framework) ?? null;
}

export function isExpected(name: unknown): name is JobFramework {
  return typeof name === 'string' && EXPECTED.has(name);
}
