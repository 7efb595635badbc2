// The source of a name, as events carry it: for what is said or assumed of a source without knowing which it is.

import type { AnySource } from './define-source.ts';
import { SOURCES } from './registry.ts';

const BY_NAME: ReadonlyMap<string, AnySource> = new Map(SOURCES.map((source) => [source.name, source as AnySource])); // settings unknown

/** Undefined for anything else: the agent itself, an operator, another program. */
export function sourceNamed(name: string): AnySource | undefined {
  return BY_NAME.get(name);
}
