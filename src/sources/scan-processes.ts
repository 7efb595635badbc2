// Reads the processes of a host for the identity room: natively, on its own threads, with a deadline for each process.

import { type LooksAtProcesses, NOTHING_ENDED } from '../identity/host-processes.ts';
import type { ScanProcesses } from '../identity/rank/processes.ts';
import { JOB_MARKERS, PATH_VARIABLES, RANK_MARKERS, WORK_VARIABLES } from '../identity/rank/variables.ts';
import { FRAMEWORK_LIBRARIES } from '../identity/work/framework.ts';
import { GROUP_MARKS } from '../identity/work/group-place.ts';
import { VERBS_DEVICE } from '../identity/work/nics-of-rank.ts';
import { type NativeProcessTable, native } from '../native.ts';

/**
 * `proc`: root of procfs. `reader`: socket of the reader that is asked for what may not be read here; '': none. The addon is
 * loaded with the first scan.
 */
export function processScanner(proc: string, reader = ''): ScanProcesses {
  return processReader(proc, reader).scan;
}

/** The same, and what opens the logs that processes print into and knows of their ends. */
export function processReader(proc: string, reader: string): LooksAtProcesses {
  let table: NativeProcessTable | undefined;
  const made = () => {
    table ??= new (native().ProcessTable)({
      proc,
      variables: WORK_VARIABLES,
      paths: PATH_VARIABLES,
      markers: [...RANK_MARKERS, ...JOB_MARKERS],
      ranks: RANK_MARKERS,
      groups: GROUP_MARKS,
      libraries: FRAMEWORK_LIBRARIES,
      devices: [VERBS_DEVICE],
      reader,
    });
    return table;
  };
  return {
    scan: (holders) =>
      new Promise((resolve) => {
        if (!made().scan(holders, resolve)) resolve(null);
      }),
    watchEnds: (wake) => proc === '/proc' && made().watchEnds('/sys/fs/cgroup', wake),
    takeEnds: () => table?.takeEnds() ?? NOTHING_ENDED,
    stopWatching: () => table?.stopWatching(),
    lend: ({ pid, startTicks, inode }) =>
      new Promise((resolve) => made().lendLog(pid, startTicks, inode, (fd) => resolve(fd < 0 ? null : fd))),
  };
}
