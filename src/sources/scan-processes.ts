// Reads the processes of a host for the identity room: natively, on its own threads, with a deadline for each process.

import { RANK_MARKER, RANK_VARIABLES } from '../identity/rank/environment.ts';
import type { ScanProcesses } from '../identity/rank/processes.ts';
import { type NativeProcessTable, native } from '../native.ts';

/** `proc`: root of procfs. The addon is loaded with the first scan. */
export function processScanner(proc: string): ScanProcesses {
  let table: NativeProcessTable | undefined;
  return () =>
    new Promise((resolve) => {
      table ??= new (native().ProcessTable)({ proc, variables: RANK_VARIABLES, marker: RANK_MARKER });
      if (!table.scan(resolve)) resolve(null);
    });
}
