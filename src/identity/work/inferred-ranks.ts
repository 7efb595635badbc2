// Inferred ranks: which rank a process is where neither it nor its scheduler says so, from what its launcher's command line says, the
// order in which a launcher started its children, the GPU that each holds, and dumps that name ranks. Where two of these
// differ nothing is said: a wrong rank is worse than none.

import type { DumpedRanksFact, Facts, ProcessFact } from './facts.ts';
import type { Group, Joined } from './join.ts';
import type { RankBelief } from './rank-belief.ts';
import type { Seen } from './seen.ts';

/** Pid → what is believed of it. */
export type Inferred = ReadonlyMap<number, RankBelief>;

interface Given {
  readonly group: Group;
  readonly names: ReadonlySet<string>;
  readonly facts: Facts;
  readonly joined: Joined;
  readonly seen: Seen;
}

/** Of a job of which no process has a rank by itself. */
export function inferredRanks(given: Given): Inferred {
  const titled = byTitle(given.group.processes);
  if (titled.size > 0) return titled;
  const found = byLauncher(given);
  return found.size > 0 ? found : byDumps(given);
}

/** An inference server that numbers its workers in their titles. */
function byTitle(processes: readonly ProcessFact[]): Inferred {
  const titled = processes.flatMap(({ pid, said }) => (said?.titleRank == null ? [] : [{ pid, rank: said.titleRank }]));
  if (new Set(titled.map(({ rank }) => rank)).size < titled.length) return new Map();
  return new Map(titled.map(({ pid, rank }) => [pid, belief(rank, rank, null, 'inferred from its title')]));
}

/** Children of one launcher, in the order in which it started them, which is that of their local ranks. */
function byLauncher({ group, seen }: Given): Inferred {
  const starters = group.processes.filter(({ launcher, said }) => launcher !== null && said !== null);
  const [only] = starters.filter(({ pid }) => group.processes.some(({ parent }) => parent === pid));
  if (only?.said == null) return new Map();
  const { pid, said } = only;
  const children = group.processes.filter((each) => each.parent === pid && each.launcher === null);
  const holders = children.filter((child) => seen.has(child.pid));
  const ranks = holders.length > 0 ? holders : children;
  const { nodes, nodeRank, perNode } = said;
  if (nodes === null || nodeRank === null || nodeRank >= nodes) return new Map();
  // All that it starts must be there: of one that died the place in the order is not known.
  if (perNode !== null && perNode !== ranks.length) return new Map();
  if (perNode === null && holders.length === 0) return new Map();
  const size = ranks.length;
  const order = [...ranks].sort((a, b) => a.startTicks - b.startTicks || a.pid - b.pid);
  const locals = order.map((each, at) => each.said?.localRank ?? at);
  if (new Set(locals).size < size || locals.some((local) => local >= size)) return new Map();
  const handed = order.every((each) => each.said?.localRank != null);
  const byGpu = gpuOrder(order, seen);
  // One GPU each: where they are held in another order, one of the two orders is not that of the ranks.
  if (!handed && byGpu !== null && byGpu.some((place, at) => place !== at)) return new Map();
  const how = handed
    ? '--local_rank of its command line'
    : `order of the children of its launcher${byGpu === null ? '' : ' and of their GPUs'}`;
  const where = nodes === 1 ? '' : `, node ${nodeRank} of ${nodes}`;
  return new Map(
    order.map(({ pid: child }, at) => {
      const local = locals[at] ?? at;
      return [child, belief(nodeRank * size + local, local, nodes * size, `inferred: ${how}${where}`)];
    }),
  );
}

/**
 * Dumps of the recorder name the ranks that wrote them. Processes of that user that hold one GPU each, as many as there are ranks of
 * this host in the dumps, are these ranks in the order of their GPUs.
 */
function byDumps({ group, names, facts, joined, seen }: Given): Inferred {
  const holders = group.processes.filter((each) => each.launcher === null && seen.has(each.pid));
  const users = new Set(holders.map(({ owner }) => owner[0]));
  const [user] = users;
  if (user === undefined || users.size > 1) return new Map();
  const begunMs = Math.max(...holders.map(({ startedMs }) => startedMs ?? 0));
  // Where only their folder names them, they are of the one job that the user has here.
  const one = joined.groups.filter(({ processes }) => processes.some((each) => each.owner[0] === user && seen.has(each.pid))).length === 1; // biome-ignore format: one line
  const ofUser = facts.dumped.filter((fact) => fact.user === user && fact.atMs >= begunMs && (one || names.has(fact.job))); // biome-ignore format: one line
  const ranks = [...new Set(ofUser.flatMap((fact) => fact.ranks))].sort((a, b) => a - b);
  if (ranks.length !== holders.length || !isWhole(ranks)) return new Map();
  const places = gpuOrder(holders, seen);
  if (places === null) return new Map();
  const [knownBy = ''] = ofUser.map(
    (fact) => `inferred: ${fact.knownBy}${ranks.length > 1 ? ', in the order of the GPUs' : ''}`,
  );
  return new Map(
    holders.map(({ pid }, at) => {
      const place = places[at] ?? 0;
      return [pid, belief(ranks[place] ?? 0, ranks.length > 1 ? place : null, worldOf(ofUser), knownBy)];
    }),
  );
}

/** One without a gap, which begins where a node of so many may begin. */
function isWhole(ranks: readonly number[]): boolean {
  const [first = 0] = ranks;
  return ranks.every((rank, at) => rank === first + at) && first % ranks.length === 0;
}

function worldOf(facts: readonly DumpedRanksFact[]): number | null {
  const worlds = new Set(facts.map(({ world }) => world));
  return worlds.size === 1 ? ([...worlds][0] ?? null) : null;
}

/** Of each its place by the address of its GPU; null where one holds none or several, or two hold the same. */
function gpuOrder(processes: readonly ProcessFact[], seen: Given['seen']): number[] | null {
  const gpus = processes.map(({ pid }) => seen.get(pid) ?? []);
  if (gpus.some(({ length }) => length !== 1)) return null;
  const ids = gpus.flat();
  if (new Set(ids).size < ids.length) return null;
  const sorted = [...ids].sort();
  return ids.map((id) => sorted.indexOf(id));
}

function belief(rank: number, localRank: number | null, world: number | null, knownBy: string): RankBelief {
  return { rank, localRank, world, knownBy, conflict: null };
}
