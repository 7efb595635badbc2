// Facts about the work on this host: what each source says of processes, pods and scheduled jobs, before anything is joined.
// A fact replaces the one before under the same key. What belongs together is decided from all of them at once
// (assemble.ts), so that the order in which they come cannot matter.

import type { NamedBy } from '../../model/native-files.ts';
import type { WrittenFile } from '../../native.ts';
import type { GpuFacts } from '../host-gpus.ts';
import type { NicFacts } from '../host-nics.ts';
import type { SaidByCommand } from '../rank/said-by-command.ts';
import type { RunFolder } from './run-folders.ts';

/** Where a process is among the control groups; whatever they do not say is null. */
export interface GroupPlace {
  /** Uid of the pod, with dashes as the API writes it; of a static pod the 32 digits of its configuration's hash. */
  readonly pod: string | null;
  /** Id of the innermost container, as its runtime writes it. */
  readonly container: string | null;
  /** Which runtime's form that was: containerd, cri-o, docker, podman, … */
  readonly runtime: string | null;
  readonly batch: BatchPlace | null;
}

export interface BatchPlace {
  readonly manager: BatchManager;
  /** The scheduler's own name of the job; null where only its `sluid` is in the path. */
  readonly job: string | null;
  /** Slurm's sortable id, which names the group from 26.05 on. */
  readonly sluid: string | null;
  /** A number, or batch, extern, interactive; null where the path does not say. */
  readonly step: string | null;
  /** Task of the step; over the whole job or only this node, by the version of Slurm. */
  readonly task: number | null;
}

export const BATCH_MANAGERS = ['slurm', 'pbs', 'lsf', 'flux'] as const;
export type BatchManager = (typeof BATCH_MANAGERS)[number];

/** A process that may be work: it is a rank, holds a GPU, or belongs to a pod, a container or a scheduled job. */
export interface ProcessFact {
  readonly pid: number;
  /** Clock ticks from boot to its start: with the pid, one process of this boot. */
  readonly startTicks: number;
  /** Epoch ms; null where procfs does not say. */
  readonly startedMs: number | null;
  readonly parent: number;
  /** Effective user, then its groups: by whose rights the paths that it names are read. */
  readonly owner: NamedBy;
  /** Its pid in its own namespace; equal to `pid` where that is ours. */
  readonly innerPid: number;
  readonly place: GroupPlace;
  /** Of its environment at first sight only what is on the list; empty where that may not be read. */
  readonly variables: Readonly<Record<string, string>>;
  /** Its environment may be read. */
  readonly readable: boolean;
  /** What its own paths begin with for us: empty where it sees the same file systems. */
  readonly root: string;
  /** What part of the work it does, in the words of its command line; empty where that does not say. */
  readonly role: string;
  /** It starts ranks and is none, by its command line: torchrun, mpirun, srun, … */
  readonly launcher: string | null;
  /** What its command line says of ranks; null where nothing. */
  readonly said: SaidByCommand | null;
  /** By its command line or the libraries that it has mapped. */
  readonly framework: { readonly name: string; readonly knownBy: string } | null;
  /** Of Weights & Biases and TensorBoard, as its command line and variables name them. */
  readonly folders: readonly RunFolder[];
  readonly writes: readonly WrittenFile[];
  /** Device files of network cards that it has open: /dev/infiniband/uverbs0. */
  readonly devices: readonly string[];
}

/** A pod that is, or was a moment ago, on this node. */
export interface PodFact {
  /** As the API writes it; null where the source does not say (PodResources): then namespace and name are its key. */
  readonly uid: string | null;
  /** Of a static pod: the 32 digits by which its control group is named; null where it has none. */
  readonly configHash: string | null;
  readonly namespace: string;
  readonly name: string;
  /** Pending, Running, Succeeded, Failed; null where the source does not say. */
  readonly phase: string | null;
  /** The topmost object that owns it, by its labels or its controller: PyTorchJob llama-70b. */
  readonly owner: { readonly kind: string; readonly name: string } | null;
  /** Queue or cluster queue; priority class; user or team as far as labels of the allow-list say. */
  readonly queue: string | null;
  readonly user: string | null;
  /** How often the job was started again; null where it is not known. */
  readonly attempt: number | null;
  /** Id of the scheduled job that it is for, where Slurm runs in or under Kubernetes. */
  readonly batchJob: string | null;
  readonly containers: readonly PodContainer[];
  /** Epoch ms. */
  readonly startedMs: number | null;
  /** How it is known: "kubelet Pods API", "PodResources", "names of log files". */
  readonly knownBy: string;
}

export interface PodContainer {
  readonly name: string;
  /** Without the runtime's prefix; null until it runs, or where the source does not say. */
  readonly id: string | null;
  /** Variables of the allow-list that the pod's specification sets to fixed texts. */
  readonly variables: Readonly<Record<string, string>>;
  /** Given to it, as its device plugin or driver names them; several pods may have one device. */
  readonly devices: readonly PodDevice[];
  /** Its log of this run, as a path of this host; null where it is not known. */
  readonly log: string | null;
  /** Its interfaces are the node's own, or these: name → PCI address or RDMA device. Left out where that is not known. */
  readonly network?: 'host' | Readonly<Record<string, string>>;
}

export interface PodDevice {
  /** nvidia.com/gpu, rdma/hca, gpu.nvidia.com (DRA driver) */
  readonly resource: string;
  readonly id: string;
  /** Other names of the same device, the surest first: of a claim what its CDI file or its driver's ResourceSlice has. */
  readonly also?: readonly string[];
}

/** A job of a scheduler that has an allocation on this node. */
export interface ScheduledJobFact {
  readonly manager: BatchManager;
  /** As users write it: 991, 991_3 of an array. */
  readonly id: string;
  /** Other ids of the same job: the raw number of an array's task, the SLUID. */
  readonly aliases: readonly string[];
  readonly name: string | null;
  readonly user: string | null;
  /** Number of that user. Processes of others are never taken for its own by what they say of themselves. */
  readonly userId: number | null;
  readonly account: string | null;
  /** Partition or queue. */
  readonly queue: string | null;
  /** In the scheduler's words, its flags behind it: RUNNING, COMPLETING. */
  readonly states: readonly string[];
  /** Minors or indices of its GPUs on this node in the scheduler's order; empty where it gave none, null where it does not say. */
  readonly gpus: readonly number[] | null;
  /** Others may have parts of the same GPUs: Slurm's shards, MPS. */
  readonly sharesGpus?: boolean;
  /** Processes of its tasks on this node. */
  readonly tasks: readonly ScheduledTask[];
  /** The `task_K` of its control groups count over the whole job (Slurm 24.05 and later); false where that is not known. */
  readonly taskGroupsAreGlobal: boolean;
  /** Tasks of the whole job or step; null where it is not known. */
  readonly worldSize: number | null;
  /** Files that its output goes to, as paths of this host. */
  readonly logs: readonly string[];
  readonly restarts: number | null;
  /** Epoch ms. */
  readonly startedMs: number | null;
  /** It ended, or waits to start again: it is kept a while for what is reported of its end. */
  readonly isOver?: boolean;
  readonly knownBy: string;
}

export interface ScheduledTask {
  readonly pid: number;
  readonly step: string;
  /** Task over the whole step; null for helpers. */
  readonly rank: number | null;
  readonly localRank: number | null;
}

/** What the configuration calls the job of a process, by the log that it writes or the folder that it dumps into. */
export interface NamedFact {
  readonly pid: number;
  readonly job: string;
  readonly knownBy: string;
}

/** A process itself reports its rank: in a dump of the flight recorder, in a line of NCCL. */
export interface ReportedRankFact {
  readonly pid: number;
  /** As the job was called then. */
  readonly job: string;
  readonly rank: number;
  readonly knownBy: string;
}

/** Dumps of a flight recorder name the ranks that wrote them, and not the processes. */
export interface DumpedRanksFact {
  /** Whose files they are. */
  readonly user: number;
  /** As the dumps are reported. */
  readonly job: string;
  readonly ranks: readonly number[];
  readonly world: number | null;
  /** Of the newest, epoch ms. */
  readonly atMs: number;
  readonly knownBy: string;
}

/** What a user of this host is called. */
export interface UserFact {
  readonly id: number;
  readonly name: string;
}

/** All that is known at one time. The order within a list never matters. */
export interface Facts {
  readonly processes: readonly ProcessFact[];
  readonly pods: readonly PodFact[];
  readonly scheduled: readonly ScheduledJobFact[];
  readonly named: readonly NamedFact[];
  readonly reported: readonly ReportedRankFact[];
  readonly dumped: readonly DumpedRanksFact[];
  readonly users: readonly UserFact[];
  readonly gpus: GpuFacts;
  readonly nics: NicFacts;
}
