// Health of the flight-recorder source: what is watched, what was read, or which line fixes it.

import { safeText } from '../../model/safe-text.ts';
import type { SourceHealth } from '../source.ts';

export interface DumpState {
  readonly looked: boolean;
  readonly folders: number;
  readonly files: number;
  readonly ranks: number;
  /** Processes whose environment may not be read. */
  readonly refused: number;
  /** Folders of processes in procfs whose files do not answer. */
  readonly hanging: readonly string[];
  readonly analyses: number;
  /** Folders of the configuration that cannot be read, with the reason. */
  readonly unreadable: readonly (readonly [path: string, reason: string])[];
  /** What in them is not read, since others may have put it there: why and what to do, and whether it is a whole folder. */
  readonly left: { readonly why: string; readonly remedy: string; readonly folder: boolean } | null;
  /** Why the last analysis failed, and of what; null when it did not. */
  readonly failure: { readonly why: string; readonly folder: string } | null;
  /** What the kernel refused to take from the reader. */
  readonly kept: string;
  /** Why ranks and logs were not taken for one job, in words. */
  readonly conflicts: readonly string[];
  /** The recorder is switched off in these jobs. */
  readonly off: readonly string[];
}

const processesOf = (count: number) =>
  count === 1 ? '1 process of another user' : `${count} processes of other users`;

export function dumpHealth(state: DumpState): SourceHealth {
  const source = 'flight-recorder';
  if (!state.looked) return { source, status: 'absent', detail: 'starting', remedy: null };
  if (state.failure !== null) {
    const { why, folder } = state.failure;
    const detail = `FL2411 dumps in ${folder} were not analysed: ${why}; tried again with the next dump`;
    const remedy = `faultline fr ${folder} reads them by hand, here or on another machine that has the memory`;
    return { source, status: 'failed', detail, remedy };
  }
  const refused = state.unreadable.find(([, reason]) => reason === 'EACCES' || reason === 'EPERM');
  if (refused !== undefined) {
    const detail = `FL2412 ${refused[0]} may not be read (${refused[1]})`;
    return { source, status: 'no_permission', detail, remedy: `setfacl -m u:faultline:rx ${refused[0]}` };
  }
  const left = state.left === null ? null : `FL2421 ${state.left.why}: it is not read`;
  if (left !== null && state.left?.folder === true) {
    return { source, status: 'no_permission', detail: left, remedy: state.left.remedy };
  }
  const hanging = state.hanging
    .slice(0, 3)
    .map((path) => `${path} does not answer: that process may hang in the kernel`);
  const conflicts = state.conflicts.slice(0, 3).map((text) => safeText(`${text}: they stay apart`));
  const lines = [...(left === null ? [] : [left]), ...hanging, ...conflicts];
  const notes = lines.length === 0 ? {} : { notes: lines };
  if (state.ranks === 0 && state.files === 0) {
    const hidden = state.refused === 0 ? '' : `; ${processesOf(state.refused)} may not be looked at`;
    const detail = `FL2413 no rank of a job and no dump on this host${hidden}; taken up when they appear`;
    const remedy =
      state.refused === 0
        ? 'set TORCH_FR_DUMP_TEMP_FILE in the job, or add sources.flight_recorder.folders'
        : 'add sources.flight_recorder.folders: [{path: /dumps/job-7}], or let faultline-environ read their environment: docs/guide/jobs.md#the-reader';
    return { source, status: 'absent', detail, remedy, ...notes };
  }
  const off = state.off.length === 0 ? '' : `; job ${state.off.slice(0, 3).join(', ')} runs with the recorder off`;
  const kept = state.kept === '' ? '' : `; the reader keeps: ${state.kept}`;
  // Whoever has only looked has analysed nothing, which says nothing of the daemon.
  const analyses = state.analyses === 0 ? '' : `, ${state.analyses} analyses`;
  const detail = `${state.ranks} ranks here, ${state.files} dumps in ${state.folders} folders${analyses}${off}${kept}`;
  if (state.off.length > 0) {
    const remedy =
      'start the job with TORCH_FR_BUFFER_SIZE=20000 and TORCH_NCCL_DUMP_ON_TIMEOUT=1 (older: TORCH_NCCL_TRACE_BUFFER_SIZE)';
    return { source, status: 'partial', detail, remedy, ...notes };
  }
  return { source, status: 'works', detail, remedy: null, ...notes };
}
