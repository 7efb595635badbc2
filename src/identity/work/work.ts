// Work: the jobs on this host with their ranks and devices, joined from what processes, pods and schedulers say.

import type { NamedBy } from '../../model/native-files.ts';
import type { RunFolder } from './run-folders.ts';

/** A job as far as it is on this host. */
export interface Work {
  /** The one name that it is reported under: component job/<id>. */
  readonly id: string;
  /** All other names of the same job. */
  readonly aliases: readonly string[];
  /** What runs it: slurm, kubernetes, pbs, lsf, flux, mpi, torchrun, …; "process" where nothing but a process is known. */
  readonly manager: string;
  /** As users know it: the name that its user gave it; null where there is none. */
  readonly name: string | null;
  /** Name, else number of the user. */
  readonly user: string | null;
  readonly account: string | null;
  /** Partition or queue. */
  readonly queue: string | null;
  readonly pods: readonly WorkPod[];
  /** Rising by rank. */
  readonly ranks: readonly WorkRank[];
  readonly worldSize: number | null;
  readonly framework: { readonly name: string; readonly knownBy: string } | null;
  /** Files that its output goes to, as paths that this daemon can open. */
  readonly logs: readonly WorkFile[];
  /** Where Weights & Biases or TensorBoard record it; left out where nothing says. */
  readonly runFolders?: readonly RunFolder[];
  /** Step of the scheduler, where there is one. */
  readonly step: string | null;
  readonly attempt: number | null;
  readonly startedMs: number | null;
  /** Its scheduler says that it is over, and nothing of it is left here. */
  readonly isOver?: boolean;
  /** What says all this, in words: "environment of its processes", "scontrol listpids", "kubelet Pods API". */
  readonly knownBy: readonly string[];
}

export interface WorkPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly container: string | null;
}

export interface WorkRank {
  readonly rank: number;
  readonly localRank: number | null;
  /** Null where it is known only from what a scheduler says. */
  readonly pid: number | null;
  /** GPU ids (PCI addresses), MIG instances. */
  readonly gpus: readonly string[];
  readonly nics: readonly string[];
  readonly pod: string | null;
  /** What part of the work it does; empty where nothing says. */
  readonly role: string;
  /** What says that it is this rank. */
  readonly knownBy: string;
}

export interface WorkFile {
  readonly path: string;
  /** User and groups by whose rights it is read; null where they are not known: it is shown, and not read. */
  readonly namedBy: NamedBy | null;
  readonly knownBy: string;
  /** The only rank that writes it; left out where several do, or it is not known. */
  readonly rank?: number;
  /** A process that prints into it, by whose descriptor it can be opened where its path leads nowhere for this daemon. */
  readonly writer?: LogWriter;
}

export interface LogWriter {
  readonly pid: number;
  readonly startTicks: number;
  /** Of the file; 0 where the kernel does not say. */
  readonly inode: number;
}

/** A descriptor for reading of what a process prints into; null where it cannot be had. Never rejects. */
export type LendLog = (writer: LogWriter) => Promise<number | null>;

/** Who has a device: one row for each job and container that shares it. */
export interface DeviceUse {
  /** Component text: gpu/0000:9b:00.0, gpu_instance/…, nic/mlx5_0. */
  readonly device: string;
  /** Job; null where a process or pod without a known job has it. */
  readonly work: string | null;
  readonly ranks: readonly number[];
  readonly pod: WorkPod | null;
  /** How many share the device. */
  readonly sharedBy: number;
  readonly knownBy: string;
}

/** Facts that speak against each other. Nothing was joined for them. */
export interface WorkConflict {
  /** About what: "rank of process 4711", "gpu/0000:9b:00.0". */
  readonly about: string;
  readonly reason: string;
}

export interface WorkView {
  /** Another one where anything below changed. */
  readonly version: number;
  readonly works: readonly Work[];
  readonly devices: readonly DeviceUse[];
  readonly conflicts: readonly WorkConflict[];
}
