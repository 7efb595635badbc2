// What `fr` says when there is nothing to say a verdict on: which paths, what was found there, and what to do.

import { plain } from '../../incidents/report/plain.ts';
import type { FlightRecorderDump } from '../../model/flight-recorder.ts';

const SHOWN = 6;
const WHERE = 'give the folder or the files that TORCH_FR_DUMP_TEMP_FILE names';

/** Errors of the analysis are messages with a code, or a path that could not be entered and why. */
export function dumpError(error: string): string {
  if (/^FL\d{4} /.test(error)) return error;
  const remedy = error.endsWith(': Permission denied') ? '. Run it as the user of the job, or as root' : '';
  return `FL2402 ${error}${remedy}`;
}

/** `dumps`: those that were found and refused. */
export function nothingRead(paths: readonly string[], dumps: readonly FlightRecorderDump[]): string {
  const where = paths.map((path) => plain(path, 100)).join(' ');
  if (dumps.length === 0) {
    return (
      `FL2401 there is no flight-recorder dump in ${where}: ${WHERE}; ` +
      'a job writes them at its timeout when it runs with TORCH_NCCL_DUMP_ON_TIMEOUT=1 and TORCH_FR_BUFFER_SIZE=20000'
    );
  }
  const lines = dumps.slice(0, SHOWN).map(({ path, rejected }) => `  ${plain(path, 200)}: ${refusal(rejected)}`);
  const more = dumps.length > SHOWN ? [`  and ${dumps.length - SHOWN} more`] : [];
  const found = dumps.length === 1 ? 'the only file' : `none of ${dumps.length} files`;
  const could = dumps.length === 1 ? 'could not' : 'could';
  return [`FL2401 ${found} in ${where} ${could} be read as a dump: ${WHERE}`, ...lines, ...more].join('\n');
}

/** Why, and where in the file. */
export function refusal(rejected: FlightRecorderDump['rejected']): string {
  if (rejected === undefined) return '';
  const { offset, opcode, why } = rejected;
  if (opcode !== null) return `${plain(why)} (opcode 0x${opcode.toString(16)} at byte ${offset})`;
  return offset === 0 ? plain(why) : `${plain(why)} (at byte ${offset})`;
}
