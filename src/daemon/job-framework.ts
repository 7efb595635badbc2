// What a job trains with, how that is known and how far: what its process says, against the lines of steps in its log.

import type { LineCount } from '../detection/text/understood.ts';
import type { Work } from '../identity/work/work.ts';

/** By what says it, as identity names it: a command runs the framework itself, libraries are mapped for many reasons. */
const BY_PROCESS: Readonly<Record<string, number>> = {
  'command line': 0.9,
  environment: 0.8,
  'libraries that it has mapped': 0.6,
};
const OTHERWISE = 0.5;
/** Lines in a form of its own are the framework's; a few may be another program's. */
const BY_LINES = 0.95;
const BY_FEW_LINES = 0.7;
const FEW = 3;
/** Forms that belong to no framework. */
const NONE: ReadonlySet<string> = new Set(['other', 'configured']);

export interface NamedFramework {
  readonly name: string;
  readonly known_by: string;
  /** From 0 to 1. */
  readonly confidence: number;
}

/** The better known of both; of two that say the same, how each does. Null where nothing says. */
export function jobFramework(
  { framework }: Pick<Work, 'framework'>,
  count: Readonly<LineCount> | undefined,
): NamedFramework | null {
  const process = framework === null ? null : { name: framework.name, known_by: framework.knownBy, confidence: BY_PROCESS[framework.knownBy] ?? OTHERWISE }; // biome-ignore format: one line
  const lines = byLines(count);
  if (process === null || lines === null) return process ?? lines;
  if (process.name === lines.name) {
    const confidence = Math.max(process.confidence, lines.confidence);
    return { name: process.name, known_by: `${process.known_by}; ${lines.known_by}`, confidence };
  }
  return lines.confidence > process.confidence ? lines : process;
}

function byLines(count: Readonly<LineCount> | undefined): NamedFramework | null {
  const named = [...(count?.frameworks ?? [])].filter(([name]) => !NONE.has(name));
  const [name, steps] = named.toSorted(([, a], [, b]) => b - a)[0] ?? [];
  if (name === undefined || steps === undefined) return null;
  const all = named.reduce((sum, [, each]) => sum + each, 0);
  const confidence = steps >= FEW && steps > all / 2 ? BY_LINES : BY_FEW_LINES;
  return { name, known_by: `progress lines of its log (${steps} of ${all})`, confidence };
}
