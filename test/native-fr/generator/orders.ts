// Jobs of random layout and program, with several operations a step, in which one rank enters two groups the other way round.

import { type Case, randomOf } from './cases.ts';
import { dumpOf } from './dump.ts';
import { type Call, type Entry, type Group, run } from './job.ts';

/** An operation of the program that all ranks run, each in its own group of that description. */
interface Step {
  readonly desc: string;
  readonly operation: string;
  readonly elements: number;
  /** Only in every so manieth step. */
  readonly every: number;
  /** How often it comes in a step, as part of a microbatch. */
  readonly part: 'micro' | 'step';
}

export interface OrderCase extends Case {
  /** What was made, in words. */
  readonly layout: string;
}

type Random = (below: number) => number;

const OPERATIONS = ['all_reduce', '_all_gather_base', '_reduce_scatter_base', 'broadcast'];
const DESCRIPTIONS = ['tp', 'ep', 'cp', 'dp', 'pp'];

/** The groups of each description: slices of a mesh, and at times the same ranks under a second name. */
function layoutOf(size: number, random: Random): Map<string, readonly Group[]> {
  const layout = new Map<string, readonly Group[]>();
  const names = [...DESCRIPTIONS];
  const take = (): string => names.splice(random(names.length), 1)[0] ?? 'tp';
  let name = 1;
  const add = (desc: string, lists: readonly (readonly number[])[]): void => {
    layout.set(desc, lists.map((ranks) => ({ name: `${name++}`, desc, ranks }))); // biome-ignore format: one line
  };
  const dims: number[] = [];
  for (let rest = size; rest > 1; rest /= dims.at(-1) ?? rest) {
    const choices = [2, 4, 8, 16].filter((each) => rest % each === 0);
    dims.push(dims.length === 2 ? rest : (choices[random(choices.length)] ?? rest));
  }
  let stride = 1;
  for (const dim of dims) {
    const width = stride;
    const lists = Array.from({ length: size }, (_, rank) => rank)
      .filter((rank) => Math.floor(rank / width) % dim === 0)
      .map((first) => Array.from({ length: dim }, (_, at) => first + at * width));
    add(take(), lists);
    if (layout.size < 4 && random(3) === 0) add(take(), lists);
    stride *= dim;
  }
  if (layout.size < 2 || random(2) === 0) {
    layout.set('default_pg', [{ name: '0', desc: 'default_pg', ranks: Array.from({ length: size }, (_, rank) => rank) }]); // biome-ignore format: one line
  }
  return layout;
}

function stepOf(descs: readonly string[], random: Random): Step[] {
  const alike = random(3) === 0;
  const steps = descs.flatMap((desc): Step[] =>
    Array.from({ length: 1 + random(4) }, () => ({
      desc,
      operation: alike ? 'all_reduce' : (OPERATIONS[random(OPERATIONS.length)] ?? 'all_reduce'),
      elements: alike ? 64 : 64 << random(3),
      every: desc === 'default_pg' && random(2) === 0 ? 3 : 1,
      part: random(4) === 0 ? 'step' : 'micro',
    })),
  );
  for (let at = steps.length - 1; at > 0; at -= 1) {
    const other = random(at + 1);
    const [a, b] = [steps[at], steps[other]];
    if (a && b) [steps[at], steps[other]] = [b, a];
  }
  return [...steps.filter(({ part }) => part === 'micro'), ...steps.filter(({ part }) => part === 'step')];
}

/** Moves one operation before or behind one of another group, without passing its own; -1 where there is no such place. */
function misplace(program: Call[], from: number, to: number, random: Random): number {
  const places: (readonly [number, number])[] = [];
  for (let at = from; at < to; at += 1) {
    for (let by = at + 1; by < to && by < at + 5; by += 1) {
      const [first, second] = [program[at], program[by]];
      if (first === undefined || second === undefined || first.group === second.group) continue;
      const between = program.slice(at, by + 1);
      if (between.filter(({ group }) => group === second.group).length === 1) places.push([by, at]);
      if (between.filter(({ group }) => group === first.group).length === 1) places.push([at, by]);
    }
  }
  const place = places[random(Math.max(1, places.length))];
  if (place === undefined) return -1;
  program.splice(place[1], 0, ...program.splice(place[0], 1));
  return Math.min(...place);
}

/** Null where this seed makes a job that ends in spite of it. */
export function makeOrderCase(seed: number): OrderCase | null {
  const random = randomOf(seed + 77);
  for (let skip = 0; skip < 8; skip += 1) random(2);
  const size = [2, 2, 4, 8, 8, 16][random(6)] ?? 8;
  const layout = layoutOf(size, random);
  const steps = stepOf([...layout.keys()], random);
  const [micro, count] = [1 + random(3), 5 + random(8)];
  const bounds: number[] = [];
  const programs = Array.from({ length: size }, (_, rank) => {
    const calls: Call[] = [];
    for (let step = 0; step < count; step += 1) {
      if (rank === 0) bounds.push(calls.length);
      for (let batch = 0; batch < micro; batch += 1) {
        for (const each of steps) {
          if (step % each.every !== 0 || (each.part === 'step' && batch < micro - 1)) continue;
          const group = layout.get(each.desc)?.find(({ ranks }) => ranks.includes(rank));
          if (group === undefined) throw new Error(`rank ${rank} is in no group of ${each.desc}`);
          calls.push({ group, operation: each.operation, elements: each.elements, dtype: 'BFloat16', line: 10 });
        }
      }
    }
    return calls;
  });
  const culprit = random(size);
  const step = 3 + random(count - 4);
  const own = programs[culprit] ?? [];
  const at = misplace(own, bounds[step] ?? 0, bounds[step + 1] ?? own.length, random);
  if (at < 0) return null;
  const entries = run(programs, {});
  if (entries.every((list, rank) => list.length === programs[rank]?.length && list.every(({ state }) => state === 'completed'))) return null; // biome-ignore format: one line
  const ring = random(4) === 0 ? 40 : 10_000;
  const options = {
    groups: [...layout.values()].flat(),
    ring,
    onlyActive: random(12) === 0,
    frames: random(2) === 0,
    timing: random(2) === 0,
    version: '2.10',
  };
  const offsets = Array.from({ length: size }, () => random(40));
  const clocked = entries.map((list, rank) =>
    list.map((entry): Entry => ({ ...entry, createdMs: entry.createdMs + (offsets[rank] ?? 0) })),
  );
  const files = clocked.map((list, rank) => ({ name: `nccl_trace_rank_${rank}`, bytes: dumpOf(list, { ...options, rank }) })); // biome-ignore format: one line
  const groups = [...layout].map(([desc, list]) => `${desc}${list[0]?.ranks.length}`);
  return {
    kind: 'lock_order',
    files,
    type: 'lock_order',
    culprits: [culprit],
    layout: `${size} ranks, ${groups.join(' ')}, ${steps.length} operations × ${micro}, step ${step}, ring ${ring}${options.onlyActive ? ', active only' : ''}`,
  };
}
