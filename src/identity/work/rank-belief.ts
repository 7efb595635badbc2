// Which rank a process is: everything that says so, in the order in which it is believed, and what speaks against it.

import type { WorkVariable } from '../rank/variables.ts';
import type { ProcessFact, ReportedRankFact, ScheduledJobFact, ScheduledTask } from './facts.ts';

const MAX_RANK = 1_048_575;
/** Steps that are none: batch, extern, interactive (slurm.h: SLURM_MAX_NORMAL_STEP_ID). */
const FIRST_SPECIAL_STEP = 0xffff_0000;

/** One thing that gives a process a rank. */
interface Saying {
  readonly rank: number;
  readonly localRank: number | null;
  /** How many ranks there are; null where that is not said with it. */
  readonly world: number | null;
  readonly knownBy: string;
}

export interface RankBelief extends Saying {
  /** Why it is not taken, where it is not. */
  readonly conflict: string | null;
}

export interface RankEvidence {
  /** Its own variables, and those that its container was given. */
  readonly variables: Readonly<Record<string, string>>;
  readonly reported: ReportedRankFact | null;
  readonly scheduled: ScheduledJobFact | null;
  readonly task: ScheduledTask | null;
  /** Other processes of the job have RANK: a task of the scheduler is then what starts them. */
  readonly othersHaveRank: boolean;
  /** A launcher of its own started it: what the scheduler counts is that launcher. */
  readonly launched: boolean;
}

/** By names of the list alone: no other is ever read. Null: the launcher sets none. */
interface RankVariables {
  readonly by: WorkVariable;
  readonly local: WorkVariable | null;
  readonly size: WorkVariable | null;
}

const MPI: readonly RankVariables[] = [
  { by: 'OMPI_COMM_WORLD_RANK', local: 'OMPI_COMM_WORLD_LOCAL_RANK', size: 'OMPI_COMM_WORLD_SIZE' },
  { by: 'MV2_COMM_WORLD_RANK', local: 'MV2_COMM_WORLD_LOCAL_RANK', size: 'MV2_COMM_WORLD_SIZE' },
  { by: 'PALS_RANKID', local: 'PALS_LOCAL_RANKID', size: null },
  { by: 'JSM_NAMESPACE_RANK', local: 'JSM_NAMESPACE_LOCAL_RANK', size: 'JSM_NAMESPACE_SIZE' },
  { by: 'PMIX_RANK', local: null, size: null },
  { by: 'PMI_RANK', local: 'MPI_LOCALRANKID', size: 'PMI_SIZE' },
  { by: 'JAX_PROCESS_ID', local: null, size: 'JAX_NUM_PROCESSES' },
  { by: 'FLUX_TASK_RANK', local: 'FLUX_TASK_LOCAL_ID', size: 'FLUX_JOB_SIZE' },
];
/** What says which of the nodes of a job this is. */
const NODE_RANKS = ['GROUP_RANK', 'PET_NODE_RANK', 'NODE_RANK', 'LWS_WORKER_INDEX', 'JOB_COMPLETION_INDEX', 'VC_TASK_INDEX', 'SLURM_NODEID'] as const satisfies WorkVariable[]; // biome-ignore format: one line
const LOCAL_SIZES = ['LOCAL_WORLD_SIZE', 'PET_NPROC_PER_NODE'] as const satisfies WorkVariable[];

/** Null where nothing says that it is a rank. */
export function rankBelief(process: ProcessFact, evidence: RankEvidence): RankBelief | null {
  if (process.launcher !== null) return null;
  const sayings = [
    ...reportedRank(evidence),
    ...environmentRank(evidence),
    ...mpiRanks(evidence),
    ...schedulerRanks(process, evidence),
  ];
  const [first] = sayings;
  if (first === undefined) return nodeRank(evidence);
  const local = sayings.find(({ localRank }) => localRank !== null)?.localRank ?? null;
  const against = sayings.find((other) => other.rank !== first.rank && comparable(first, other, evidence.variables));
  const conflict =
    against === undefined ? null : `${first.knownBy} says ${first.rank}, ${against.knownBy} says ${against.rank}`;
  return { ...first, localRank: first.localRank ?? local, conflict };
}

/** Both count the same things: what an elastic launcher starts, a scheduler does not count. */
function comparable(one: Saying, other: Saying, variables: RankEvidence['variables']): boolean {
  if (one.world === null || other.world === null || one.world !== other.world) return false;
  return variables.TORCHELASTIC_RUN_ID === undefined && variables.GROUP_RANK === undefined;
}

function reportedRank({ reported, variables }: RankEvidence): Saying[] {
  if (reported === null) return [];
  return [{ rank: reported.rank, localRank: null, world: numberOf(variables.WORLD_SIZE), knownBy: reported.knownBy }];
}

function environmentRank({ variables }: RankEvidence): Saying[] {
  const [rank, world] = [numberOf(variables.RANK), numberOf(variables.WORLD_SIZE)];
  if (rank === null || (world !== null && rank >= world)) return [];
  return [{ rank, localRank: numberOf(variables.LOCAL_RANK), world, knownBy: 'RANK' }];
}

function mpiRanks({ variables }: RankEvidence): Saying[] {
  return MPI.flatMap(({ by, local, size }) => {
    const [rank, world] = [numberOf(variables[by]), size === null ? null : numberOf(variables[size])];
    if (rank === null || (world !== null && rank >= world)) return [];
    return [{ rank, localRank: local === null ? null : numberOf(variables[local]), world, knownBy: by }];
  });
}

/** A task is a rank only below a numbered step, and only where the tasks are the world. */
function schedulerRanks(process: ProcessFact, evidence: RankEvidence): Saying[] {
  const { variables, scheduled, task, othersHaveRank, launched } = evidence;
  const { batch } = process.place;
  if ((othersHaveRank || launched) && variables.RANK === undefined) return [];
  const tasks = numberOf(variables.SLURM_STEP_NUM_TASKS ?? variables.SLURM_NTASKS) ?? scheduled?.worldSize ?? null;
  const world = numberOf(variables.WORLD_SIZE);
  if (world !== null && tasks !== null && world !== tasks) return [];
  const localRank = task?.localRank ?? numberOf(variables.SLURM_LOCALID);
  const sayings: Saying[] = [];
  if (task !== null && task.rank !== null && isNumbered(task.step))
    sayings.push({ rank: task.rank, localRank, world: tasks, knownBy: scheduled?.knownBy ?? 'scheduler' });
  const below = batch?.manager === 'slurm' ? batch.step : (variables.SLURM_STEP_ID ?? null);
  if (below === null || !isNumbered(below)) return sayings;
  const said = numberOf(variables.SLURM_PROCID);
  if (said !== null) sayings.push({ rank: said, localRank, world: tasks, knownBy: 'SLURM_PROCID' });
  const isGlobal = scheduled?.taskGroupsAreGlobal === true || (batch !== null && batch.sluid !== null);
  if (isGlobal && batch !== null && batch.task !== null)
    sayings.push({ rank: batch.task, localRank, world: tasks, knownBy: 'task of its control group' });
  return sayings;
}

function nodeRank({ variables }: RankEvidence): RankBelief | null {
  const local = numberOf(variables.LOCAL_RANK);
  const by = NODE_RANKS.find((name) => numberOf(variables[name]) !== null);
  const size = LOCAL_SIZES.map((name) => numberOf(variables[name])).find((each) => each !== null);
  if (local === null || by === undefined || size === undefined || size === null || local >= size) return null;
  const rank = (numberOf(variables[by]) ?? 0) * size + local;
  return { rank, localRank: local, world: null, knownBy: `${by} × ${size} + LOCAL_RANK`, conflict: null };
}

function isNumbered(step: string): boolean {
  return /^\d{1,10}(?:\+\d{1,4})?$/.test(step) && Number.parseInt(step, 10) < FIRST_SPECIAL_STEP;
}

export function numberOf(text: string | undefined): number | null {
  if (text === undefined || !/^\d{1,7}$/.test(text)) return null;
  const value = Number(text);
  return value <= MAX_RANK ? value : null;
}
