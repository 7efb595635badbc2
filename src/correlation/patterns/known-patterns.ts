// Known patterns: those of the catalogue, and a site's own; the same for all of this process, as the catalogue is.

import type { Kind } from '../../model/kind.ts';
import { PATTERNS, type Pattern } from './patterns.ts';

let known: ReadonlyMap<string, Pattern> = PATTERNS;
let byRoot = rooted(known);

/** By id: the catalogue's in the order of their ids, then the site's own. */
export function knownPatterns(): ReadonlyMap<string, Pattern> {
  return known;
}

/** Those that an incident with this root can be. */
export function patternsFrom(root: Kind): readonly Pattern[] {
  return byRoot.get(root) ?? [];
}

/** In place of those that were given before. */
export function useUserPatterns(patterns: readonly Pattern[]): void {
  known = new Map([...PATTERNS, ...patterns.map((pattern) => [pattern.id, pattern] as const)]);
  byRoot = rooted(known);
}

function rooted(patterns: ReadonlyMap<string, Pattern>): ReadonlyMap<Kind, readonly Pattern[]> {
  const found = new Map<Kind, Pattern[]>();
  for (const pattern of patterns.values())
    for (const kind of pattern.root) found.set(kind, [...(found.get(kind) ?? []), pattern]);
  return found;
}
