// Dumps of a job of any size for the flight-recorder benchmarks: groups of eight and the world, rank 5 one operation behind.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dumpOf } from '../../test/native-fr/generator/dump.ts';

/** `shape(index)`: elements of the operation and line of the code that called it. */
export function dumpOfRank({ ranks, count, rank, frames, shape = stepShape }) {
  const world = { name: '0', desc: 'default_pg', ranks: worldOf(ranks) };
  const first = rank & ~7;
  const group = { name: groupName(rank), desc: 'tp', ranks: world.ranks.slice(first, first + 8) };
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

const SITES = 64;
const OPERATIONS = ['all_gather_into_tensor_coalesced', '_reduce_scatter_base', 'all_reduce'];

/** What a large model looks like: 64 places that call, each 25 frames deep, of which the outer 16 are the same. */
function site(number) {
  const callers = Array.from({ length: 23 }, (_, depth) => (depth < 7 ? 1000 + number * 7 + depth : 100 + depth));
  return { elements: 4096 << (number % 5), line: 10 + number, callers, operation: OPERATIONS[number % 3] };
}
const sites = Array.from({ length: SITES }, (_, number) => site(number));

/** The sites in turn. */
export function deepShape(index) {
  return sites[index % SITES];
}

/** The sites in an order that does not come round. */
export function irregularShape(index) {
  return sites[(Math.imul(index + 1, 0x9e3779b1) >>> 13) % SITES];
}

/** Both, and a size that was never seen before in every operation. */
export function wildShape(index) {
  return { ...irregularShape(index), elements: 1000 + index };
}

const worlds = new Map();
function worldOf(ranks) {
  const known = worlds.get(ranks) ?? Array.from({ length: ranks }, (_, rank) => rank);
  worlds.set(ranks, known);
  return known;
}

function groupName(rank) {
  return `tp-${rank >> 3}`;
}

/** Bytes in MB. The dumps of one place in their group differ in two texts alone: what is between these is made once. */
export function writeJob(folder, ranks, count, shape) {
  mkdirSync(folder, { recursive: true });
  let bytes = 0;
  for (let place = 0; place < 8; place += 1) {
    const first = dumpOfRank({ ranks, count, rank: place, frames: true, shape });
    const usual = place === 5 ? dumpOfRank({ ranks, count, rank: 13, frames: true, shape }) : first;
    const parts = split(usual, place === 5 ? 13 : place);
    for (let rank = place; rank < ranks; rank += 8) {
      const dump =
        rank === place ? first : Buffer.concat(parts.map((part) => (typeof part === 'function' ? part(rank) : part)));
      writeFileSync(join(folder, `nccl_trace_rank_${rank}`), dump);
      bytes += dump.length;
    }
  }
  return bytes / 1e6;
}

/** A text as the pickle has it. */
function text(value) {
  const head = Buffer.from([0x58, 0, 0, 0, 0]);
  head.writeUInt32LE(value.length, 1);
  return Buffer.concat([head, Buffer.from(value)]);
}

function members(rank) {
  return `[${Array.from({ length: 8 }, (_, place) => (rank & ~7) + place).join(', ')}]`;
}

function split(dump, rank) {
  const parts = [];
  let from = 0;
  const cuts = [groupName, members].map((of) => ({ at: dump.indexOf(text(of(rank))), of }));
  for (const { at, of } of cuts.sort((a, b) => a.at - b.at)) {
    if (at < 0 || dump.indexOf(text(of(rank)), at + 1) >= 0) throw new Error('a text that is in the dump once');
    parts.push(dump.subarray(from, at), (other) => text(of(other)));
    from = at + text(of(rank)).length;
  }
  return [...parts, dump.subarray(from)];
}
