// Rights: what of other users' processes this daemon may look at, and what is lost where it may not.

import { readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Reader } from '../../model/native-processes.ts';
import { readerFailure, readsThrough } from './reader.ts';

/** Bits of linux/capability.h. */
const CAPABILITIES = { CAP_DAC_READ_SEARCH: 2, CAP_SYS_PTRACE: 19, CAP_PERFMON: 38 } as const;

export interface Rights {
  /** Bits of the effective set; null where it is not known. */
  readonly effective: bigint | null;
  /** Processes of work whose environment may not be read. */
  readonly closed: number;
  /** What hides processes: the option of procfs; null where nothing does. */
  readonly hidepid: string | null;
  /** It runs in a PID namespace of its own, and sees nothing else. */
  readonly shutIn: boolean;
  /** Who is asked for what may not be read here; null where no one is. */
  readonly reader: Reader | null;
}

/** One line for each step that is not possible: what it needs, and what is known without. */
export function lostSteps({ effective, closed, hidepid, shutIn, reader }: Rights): string[] {
  const has = (name: keyof typeof CAPABILITIES): boolean =>
    effective === null || (effective & (1n << BigInt(CAPABILITIES[name]))) !== 0n;
  const trace = has('CAP_SYS_PTRACE');
  const lines: string[] = [];
  if (hidepid !== null)
    lines.push(
      `processes of other users are hidden (hidepid=${hidepid}): without CAP_SYS_PTRACE, or the group of the mount's gid= as SupplementaryGroups=, jobs are known only from schedulers and pods`,
    );
  if (shutIn)
    lines.push(
      'processes of the host are out of sight: this runs in a PID namespace of its own (in a pod set hostPID: true, in a container --pid=host); without it jobs are known only from schedulers and pods, and the driver lists no process on a GPU',
    );
  const reason = readerFailure(reader);
  if (closed > 0) {
    const needs = has('CAP_DAC_READ_SEARCH')
      ? 'CAP_PERFMON, before Linux 6.15 CAP_SYS_PTRACE'
      : 'CAP_DAC_READ_SEARCH and CAP_PERFMON, before Linux 6.15 CAP_SYS_PTRACE';
    lines.push(
      `environment of ${closed} processes of work: needs ${reason === null ? needs : `the reader, or ${needs}`}; without it their ranks come from control groups, schedulers and pods alone`,
    );
  }
  if (reason !== null) lines.push(reason);
  if (!trace && reader?.listsFiles !== true)
    lines.push(
      "files that other users' processes have open: need faultline-environ with CAP_SYS_PTRACE; without it a job's output is known from its scheduler, its pod or the configuration",
    );
  if (!trace && !has('CAP_PERFMON') && !readsThrough(reader))
    lines.push(
      'libraries that they have mapped: need faultline-environ or CAP_PERFMON; without them the framework is known from the command line',
    );
  return lines;
}

/** Of the namespace that the kernel began with (linux/proc_ns.h: PROC_PID_INIT_INO). */
const FIRST_NAMESPACE = 'pid:[4026531836]';

/** Where the host's procfs is mounted, its kernel threads are there, whatever namespace this is. */
export async function isShutIn(proc: string): Promise<boolean> {
  const namespace = await readlink(join(proc, 'self/ns/pid')).catch(() => null);
  if (namespace === null || namespace === FIRST_NAMESPACE) return false;
  return (await readFile(join(proc, '2/comm'), 'latin1').catch(() => '')).trim() !== 'kthreadd';
}

/** Of /proc/self/status. */
export function effectiveRights(status: string): bigint | null {
  const hex = /^CapEff:\t([0-9a-f]{1,16})$/m.exec(status)?.[1];
  return hex === undefined ? null : BigInt(`0x${hex}`);
}

/** Of /proc/self/mounts: how the procfs that is mounted at `proc` hides processes. */
export function hidingOption(mounts: string, proc: string): string | null {
  for (const line of mounts.split('\n')) {
    const [, where, type, options = ''] = line.split(' ');
    if (where !== proc || type !== 'proc') continue;
    const value = /(?:^|,)hidepid=([\w]+)/.exec(options)?.[1] ?? null;
    return value === '0' || value === 'off' ? null : value;
  }
  return null;
}
