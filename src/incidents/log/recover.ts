// Recover: what the log says after any crash — the incidents, the open ones whole — and a log that can be appended to.

import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOrText } from '../../helpers/error-code.ts';
import type { Incident } from '../../model/incident.ts';
import type { JobRun } from '../../model/job-run.ts';
import type { Note } from '../../model/note.ts';
import { CURRENT, MAX_LINE_BYTES, openForRepair, openTornFile, syncDirectory } from './files.ts';
import type { Head } from './head.ts';
import { type Loaded, loadIncidents } from './load.ts';
import { Said } from './load-notes.ts';
import { LoggedRuns } from './load-runs.ts';
import { Past, type PastIncident } from './past.ts';
import { parseLine } from './read-log.ts';

export interface Recovered {
  /** Newest revisions of the last hundred incidents of the newest two files; only the open ones have their events. */
  readonly incidents: readonly Incident[];
  readonly openIncidents: readonly Incident[];
  /** What people said in the newest two files, in order. */
  readonly notes: readonly Note[];
  /** Runs of jobs in the newest two files, as they were reported last. */
  readonly runs: readonly JobRun[];
  /** What is known of more that were resolved: those that changed last, at the end. */
  readonly past: readonly PastIncident[];
  /** Where a revision is in the log, if it is the newest of its incident. */
  readonly placeOf: Loaded['placeOf'];
  /** One line each, with code, file and line, for the daemon's log. */
  readonly warnings: readonly string[];
}

const REMEMBERED = 100;
const COPY_BYTES = 1024 * 1024;
/** No crash of ours tears a longer line: what is longer was made by another program, and is left where it is. */
const MOST_TORN_BYTES = 4 * MAX_LINE_BYTES;

/**
 * Reads the log of `directory` before anything is written to it. A torn last line is cut off to a side file
 * `incidents.jsonl.torn-<n>`. Each file begins with what was open, so that the newest two tell all that is open, and a
 * start does not read a log of gigabytes; they are read once. `mostPast`: how many resolved incidents are reported in `past`. Never throws: what cannot be read or fixed is a warning.
 */
export async function recover(directory: string, mostPast = REMEMBERED): Promise<Recovered> {
  const fixed = await fix(directory, join(directory, CURRENT));
  try {
    const withEvents = (incident: Incident): boolean => incident.state === 'open';
    const past = new Past(mostPast);
    const said = new Said();
    const runs = new LoggedRuns();
    const also = (line: Buffer | null, head: Head | null): void => {
      past.take(line, head);
      said.take(line);
      runs.take(line);
    };
    const options = { limit: REMEMBERED, withEvents, newestFiles: 1, also };
    const { incidents, warnings, placeOf } = await loadIncidents(directory, options);
    const openIncidents = incidents.filter(withEvents);
    const reported = [...fixed, ...warnings.list()];
    return {
      incidents,
      openIncidents,
      notes: said.list(),
      runs: runs.list(),
      past: past.list(),
      placeOf,
      warnings: reported,
    };
  } catch (error) {
    const warning = `FL3105 the incident log in ${directory} could not be read (${codeOrText(error)}); open incidents of before are not taken up`;
    return {
      incidents: [],
      openIncidents: [],
      notes: [],
      runs: [],
      past: [],
      placeOf: () => null,
      warnings: [warning],
    };
  }
}

/** Moves a torn last line into a side file; only ends it where it is a whole line. What was done, in at most one line. */
async function fix(directory: string, path: string): Promise<string[]> {
  try {
    await using log = await openForRepair(path);
    const { size } = await log.stat();
    const offset = await lastLineStart(log, size);
    if (offset === null) {
      return [
        `FL3106 ${path}: its end is not a line of ours, as it is longer than ${MOST_TORN_BYTES} bytes; new lines begin after it`,
      ];
    }
    if (offset === size) return [];
    const bytes = Buffer.alloc(Math.min(size - offset, MAX_LINE_BYTES));
    await log.read(bytes, 0, bytes.length, offset);
    if (size - offset <= MAX_LINE_BYTES && parseLine(bytes) !== undefined) {
      await log.write(Buffer.from('\n'), 0, 1, size);
      await log.datasync();
      return [`FL3106 ${path}: the last line lacked only its end, which was added; nothing is lost`];
    }
    const side = await openTornFile(directory);
    await using sideHandle = side.handle;
    for (let at = offset; at < size; at += COPY_BYTES) {
      const part = Buffer.alloc(Math.min(COPY_BYTES, size - at));
      const { bytesRead } = await log.read(part, 0, part.length, at);
      await sideHandle.appendFile(part.subarray(0, bytesRead));
    }
    await sideHandle.sync();
    await syncDirectory(directory);
    await log.truncate(offset);
    await log.sync();
    return [`FL3106 ${path}: a crash tore the last line; its ${size - offset} bytes are kept in ${side.name}`];
  } catch (error) {
    // Reading tells of a file that cannot be opened; here only one counts that can be read but not fixed.
    const code = codeOrText(error);
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENOTREG'].includes(code)) return [];
    return [`FL3106 ${path} could not be checked for a torn last line (${code}); new lines begin after it`];
  }
}

/** Where the line that has no end begins; `size` where the last line has one, null where it is longer than any of ours. */
async function lastLineStart(log: FileHandle, size: number): Promise<number | null> {
  for (let end = size; end > 0; ) {
    if (size - end >= MOST_TORN_BYTES) return null;
    const start = Math.max(end - COPY_BYTES, 0);
    const part = Buffer.alloc(end - start);
    await log.read(part, 0, part.length, start);
    const newline = part.lastIndexOf(10);
    if (newline >= 0) return start + newline + 1;
    end = start;
  }
  return 0;
}
