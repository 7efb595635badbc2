// Several configurations as one: sections are joined, lists grow, and of anything else the later one counts.

import { pointerStep } from './pointer.ts';
import type { Place, Tree } from './tree.ts';

/** By the pointer of a list in the later tree: how many entries stand before its own. */
type Moves = Map<string, number>;

export function mergeTrees(first: Tree, later: readonly Tree[]): Tree {
  let { value } = first;
  const places = new Map(first.places);
  for (const tree of later) {
    const moves: Moves = new Map();
    value = merged(value, tree.value, '', moves);
    for (const [pointer, place] of tree.places) setPlace(places, moved(pointer, moves), place);
  }
  return { value, places, problems: [first, ...later].flatMap(({ problems }) => problems) };
}

function merged(one: unknown, other: unknown, pointer: string, moves: Moves): unknown {
  if (Array.isArray(one) && Array.isArray(other)) {
    moves.set(pointer, one.length);
    return [...one, ...other];
  }
  if (!isMap(one) || !isMap(other)) return other;
  const out: Record<string, unknown> = Object.assign(Object.create(null), one);
  for (const [key, value] of Object.entries(other)) {
    out[key] = Object.hasOwn(one, key) ? merged(one[key], value, pointer + pointerStep(key), moves) : value;
  }
  return out;
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Where an entry of a list came to be. */
function moved(pointer: string, moves: Moves): string {
  for (const [list, before] of moves) {
    const match = pointer.startsWith(`${list}/`) ? /^(\d+)(.*)$/s.exec(pointer.slice(list.length + 1)) : null;
    if (match !== null) return `${list}/${Number(match[1]) + before}${match[2]}`;
  }
  return pointer;
}

/** A section that two files have keeps the place of the first. */
function setPlace(places: Map<string, Place>, pointer: string, place: Place): void {
  const known = places.get(pointer);
  if (known === undefined || place.source !== null) places.set(pointer, place);
}
