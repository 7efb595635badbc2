// Roots: where the believed causes of a condition begin; without one it is its own.

import { survivesPlan } from '../graph/kind-roles.ts';
import { isOtherDevice } from '../topology/place.ts';
import type { Condition } from './condition.ts';
import { FLOOR } from './floor.ts';

/** One pass over conditions whose roots are found. */
export interface Ascent {
  readonly pass: number;
  readonly known: number;
}

/** The best cause, where one is believed. */
export function parentOf({ belief }: Condition): Condition | null {
  const best = belief.weighed[0];
  return best !== undefined && best.weight >= FLOOR ? best.edge.cause : null;
}

/** `known`: the first pass of which roots still hold. The way up ends: beliefs go round in no circle. */
export function rootOf(condition: Condition, ascent: Ascent): Condition {
  const { pass, known } = ascent;
  const { belief } = condition;
  if (belief.pass >= known) return belief.root;
  const nearest = parentOf(condition);
  if (nearest === null || nearest.belief.pass >= known) {
    const root = nearest === null ? condition : nearest.belief.root;
    belief.root = standsAlone(condition, root) ? condition : root;
    belief.pass = pass;
    return belief.root;
  }
  const path: Condition[] = [];
  let at = condition;
  while (at.belief.pass < known) {
    path.push(at);
    const parent = parentOf(at);
    if (parent === null) break;
    at = parent;
  }
  let root = at.belief.pass >= known ? at.belief.root : at;
  for (const one of path.toReversed()) {
    if (standsAlone(one, root)) root = one;
    one.belief.root = root;
    one.belief.pass = pass;
  }
  return root;
}

/**
 * What is planned of one device never explains a critical fault of another one, by however many steps: a reset of one GPU
 * says nothing of a GPU that is lost meanwhile. Nor does a reset that only a library reports explain what the kernel reports
 * of the same device, where a reset that worked leaves no such line.
 */
function standsAlone({ kind, severity, component, sources, causes, belief }: Condition, root: Condition): boolean {
  if (!root.roles.explains) return false;
  // Nor does any plan explain what is still there when its usual time is over, by whatever else was part of it.
  if (causes.get(root)?.outlasted === true && !belief.explained) return true;
  if (severity !== 'critical') return false;
  if (component === null || root.component === null) return false;
  // What hangs on what was declared, or is above it for nothing else, does not count as another device.
  if (isOtherDevice(root.component, component) && causes.get(root)?.row.relation !== 'within') return true;
  return survivesPlan(kind, root.kind) && byKernel(sources) && !byKernel(root.sources);
}

function byKernel(sources: Condition['sources']): boolean {
  return [...sources.values()].includes('kernel');
}
