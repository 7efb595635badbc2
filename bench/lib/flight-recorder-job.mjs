// Dumps of a job of any size for the flight-recorder benchmarks: groups of eight and the world, rank 5 one operation behind.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dumpOf } from '../../test/native-fr/generator/dump.ts';

/** `shape(index)`: elements of the operation and line of the code that called it. */
export function dumpOfRank({ ranks, count, rank, frames, shape = stepShape }) {
  const world = { name: '0', desc: 'default_pg', ranks: worldOf(ranks) };
  const first = rank & ~7;
  const group = { name: `${1 + (rank >> 3)}`, desc: 'tp', ranks: world.ranks.slice(first, first + 8) };
  const entries = [];
  let inWorld = 0;
  let inGroup = 0;
  for (let index = 0; index < count; index += 1) {
    const own = index % 8 === 7 ? world : group;
    const sequence = own === world ? ++inWorld : ++inGroup;
    const state = index === count - 1 ? 'scheduled' : 'completed';
    const call = { group: own, operation: 'all_reduce', dtype: 'BFloat16', ...shape(index) };
    entries.push({ call, sequence, createdMs: index * 10, state });
  }
  if (rank === 5) entries.pop();
  const groups = [world, group];
  return dumpOf(entries, { rank, groups, version: '2.10', ring: count, onlyActive: false, frames, timing: false });
}

/** A training loop: 24 shapes that come round. */
function stepShape(index) {
  return { elements: 256 << (index % 3), line: 10 + (index % 7) };
}

/** Tensors of a size that was never seen before, in every operation. */
export function newShape(index) {
  return { elements: 1000 + index, line: 10 + (index % 7) };
}

const worlds = new Map();
function worldOf(ranks) {
  const known = worlds.get(ranks) ?? Array.from({ length: ranks }, (_, rank) => rank);
  worlds.set(ranks, known);
  return known;
}

export function writeJob(folder, ranks, count) {
  mkdirSync(folder, { recursive: true });
  for (let rank = 0; rank < ranks; rank += 1) {
    writeFileSync(join(folder, `nccl_trace_rank_${rank}`), dumpOfRank({ ranks, count, rank, frames: true }));
  }
}
