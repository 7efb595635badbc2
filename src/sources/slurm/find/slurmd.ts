// The slurmd of this host, by its pid file or its service's control group: with which file and name it was started.

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { SmallFiles } from '../../files/small-files.ts';

export interface Slurmd {
  readonly pid: number;
  /** As it was started: /opt/slurm/sbin/slurmd; null where that is not a whole path. */
  readonly program: string | null;
  readonly conf: string | null;
  readonly node: string | null;
}

export interface SlurmdPlaces {
  readonly proc: string;
  /** Root of the control groups. */
  readonly groups: string;
  readonly pidFiles: readonly string[];
}

/** Null where none runs that root started. */
export async function findSlurmd(files: SmallFiles, { proc, groups, pidFiles }: SlurmdPlaces): Promise<Slurmd | null> {
  const service = join(groups, 'system.slice/slurmd.service/cgroup.procs');
  for (const path of [...pidFiles, service]) {
    const pid = /^(\d{1,10})\s*(?:\n|$)/.exec((await files.read(path)) ?? '')?.[1];
    files.forget(path); // another file by the time of the next look
    if (pid === undefined) continue;
    const found = await slurmdOf(files, join(proc, pid), Number(pid));
    if (found !== null) return found;
  }
  return null;
}

async function slurmdOf(files: SmallFiles, folder: string, pid: number): Promise<Slurmd | null> {
  const owner = await files.answer(folder, () => stat(folder));
  const [program = '', ...words] = ((await files.read(join(folder, 'cmdline'))) ?? '').split('\0');
  files.forget(folder);
  // A pid file may be old, and the number another process's by now.
  if (!/(?:^|\/)slurmd[\w.-]*$/.test(program) || (owner?.uid !== 0 && owner?.uid !== process.geteuid?.())) return null;
  return {
    pid,
    program: program.startsWith('/') ? program : null,
    conf: argumentOf(words, '-f'),
    node: argumentOf(words, '-N'),
  };
}

function argumentOf(words: readonly string[], flag: string): string | null {
  const at = words.findIndex((word) => word.startsWith(flag));
  if (at < 0) return null;
  const value = words[at] === flag ? words[at + 1] : words[at]?.slice(flag.length).replace(/^=/, '');
  return value === undefined || value === '' ? null : value;
}
