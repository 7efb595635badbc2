// The ranks of one job: of all processes that carry a rank's number the one that is the rank, with its devices.

import type { Facts, PodContainer, PodFact, ProcessFact, ReportedRankFact, ScheduledTask } from './facts.ts';
import { inferredRanks } from './inferred-ranks.ts';
import type { Group, Joined } from './join.ts';
import { nicsOfProcess } from './nics-of-rank.ts';
import { numberOf, type RankBelief, rankBelief } from './rank-belief.ts';
import { gpusOfRank } from './rank-gpus.ts';
import type { Seen } from './seen.ts';
import type { WorkConflict, WorkRank } from './work.ts';

const MAX_ANCESTORS = 32;

interface Believed extends RankBelief {
  readonly process: ProcessFact;
}

export interface GroupRanks {
  readonly ranks: readonly WorkRank[];
  readonly worldSize: number | null;
  readonly conflicts: readonly WorkConflict[];
}

/** `names`: of the job; what is reported under another is not of it. */
export function ranksOf(
  group: Group,
  names: ReadonlySet<string>,
  facts: Facts,
  joined: Joined,
  seen: Seen,
): GroupRanks {
  const conflicts: WorkConflict[] = [];
  const tasks = new Map(group.scheduled?.tasks.map((task) => [task.pid, task]));
  const reported = new Map(facts.reported.filter(({ job }) => names.has(job)).map((fact) => [fact.pid, fact]));
  // How many have RANK at all.
  const ranked = group.processes.filter(({ variables }) => numberOf(variables.RANK) !== null).length;
  const { processes } = joined.context;
  const sure = group.processes.flatMap((process): Believed[] => {
    const task = tasks.get(process.pid) ?? null;
    const launched = isLaunched(process, processes);
    const belief = beliefOf(process, group, { task, reported: reported.get(process.pid) ?? null, ranked, launched });
    if (belief?.conflict === null) return [{ ...belief, process }];
    if (belief !== null) conflicts.push({ about: `rank of process ${process.pid}`, reason: belief.conflict });
    return [];
  });
  const inferred = sure.length + conflicts.length > 0 ? null : inferredRanks({ group, names, facts, joined, seen });
  const believed =
    inferred === null
      ? sure
      : group.processes.flatMap((process): Believed[] => {
          const belief = inferred.get(process.pid);
          return belief === undefined ? [] : [{ ...belief, process }];
        });
  const same = Map.groupBy(believed, ({ rank }) => rank);
  const chosen = new Map<number, Believed | null>();
  for (const [rank, all] of same) {
    const one = theRank(all, seen, joined.context.processes);
    chosen.set(rank, one);
    if (one === null)
      conflicts.push({
        about: `rank ${rank}`,
        reason: `processes ${all.map(({ process }) => process.pid).join(' and ')} say that they are it`,
      });
  }
  const pids = new Map([...same].map(([rank, all]) => [rank, all.map(({ process }) => process.pid)]));
  const isGivenNone = group.scheduled?.gpus?.length === 0;
  const ranks = [...chosen].map(([rank, one]): WorkRank => {
    const first = same.get(rank)?.[0];
    if (one === null)
      return {
        rank,
        localRank: null,
        pid: null,
        gpus: [],
        nics: [],
        pod: null,
        role: '',
        knownBy: first?.knownBy ?? '',
      };
    const { process, localRank, knownBy } = one;
    const container = containerOf(process, group);
    const gpus = gpusOfRank({ process, localRank, container, rank, pids, seen, isGivenNone }, facts.gpus);
    const nics = nicsOfProcess(process, container, facts.nics).map(({ nic }) => nic);
    return { rank, localRank, pid: process.pid, gpus, nics, pod: process.place.pod, role: process.role, knownBy };
  });
  for (const task of group.scheduled?.tasks ?? []) {
    const isOther = task.rank === null || chosen.has(task.rank) || believed.length > 0 || !/^\d+$/.test(task.step);
    if (isOther || joined.context.processes.has(task.pid) || joined.context.batch.taskOf(task.pid) !== group.scheduled)
      continue;
    ranks.push({ rank: task.rank ?? 0, localRank: task.localRank, pid: task.pid, gpus: [], nics: [], pod: null, role: '', knownBy: group.scheduled?.knownBy ?? '' }); // biome-ignore format: one line
  }
  const worlds = new Set(believed.flatMap(({ world }) => (world === null ? [] : [world])));
  const worldSize =
    worlds.size === 1 ? ([...worlds][0] ?? null) : worlds.size === 0 ? (group.scheduled?.worldSize ?? null) : null;
  return { ranks: ranks.sort((a, b) => a.rank - b.rank), worldSize, conflicts };
}

interface Said {
  readonly task: ScheduledTask | null;
  readonly reported: ReportedRankFact | null;
  /** Processes of the job that have RANK. */
  readonly ranked: number;
  readonly launched: boolean;
}

function beliefOf(process: ProcessFact, group: Group, { task, reported, ranked, launched }: Said): RankBelief | null {
  const container = containerOf(process, group);
  const variables = container === null ? process.variables : { ...container.variables, ...process.variables };
  const othersHaveRank = ranked > (numberOf(process.variables.RANK) === null ? 0 : 1);
  return rankBelief(process, { variables, reported, scheduled: group.scheduled, task, othersHaveRank, launched });
}

const OF_SCHEDULERS: ReadonlySet<string> = new Set(['slurm', 'lsf', 'flux']);

/** By a launcher that starts the ranks of one task of the scheduler. */
function isLaunched(process: ProcessFact, processes: ReadonlyMap<number, ProcessFact>): boolean {
  let at = processes.get(process.parent);
  for (let steps = 0; at !== undefined && steps < MAX_ANCESTORS; steps += 1) {
    if (at.launcher !== null) return !OF_SCHEDULERS.has(at.launcher);
    at = processes.get(at.parent);
  }
  return false;
}

/** By its id; where a source does not give those, the only one of its pod. */
export function containerOf(
  { place }: ProcessFact,
  { pods }: { readonly pods: readonly PodFact[] },
): PodContainer | null {
  if (place.pod === null) return null;
  const pod = pods.find(({ uid, configHash }) => uid === place.pod || configHash === place.pod);
  const found = pod?.containers.find(({ id }) => id !== null && id === place.container);
  if (found !== undefined) return found;
  const [only, ...others] = pod?.containers ?? [];
  return others.length === 0 && only?.id === null ? only : null;
}

/** What a rank starts has its variables as well: the one on a GPU is the rank, else the one that started the others. */
function theRank(all: readonly Believed[], seen: Seen, processes: ReadonlyMap<number, ProcessFact>): Believed | null {
  const holders = all.filter(({ process }) => seen.has(process.pid));
  const among = holders.length > 0 ? holders : all;
  const pids = new Set(among.map(({ process }) => process.pid));
  const top = among.filter(({ process }) => !hasAncestor(process, pids, processes));
  return top.length === 1 ? (top[0] ?? null) : null;
}

function hasAncestor(
  process: ProcessFact,
  pids: ReadonlySet<number>,
  processes: ReadonlyMap<number, ProcessFact>,
): boolean {
  let at = processes.get(process.parent);
  for (let steps = 0; at !== undefined && steps < MAX_ANCESTORS; steps += 1) {
    if (pids.has(at.pid)) return true;
    at = processes.get(at.parent);
  }
  return false;
}
