// Recover: what the log says after any crash — the incidents, the open ones whole — and a log that can be appended to.

import { join } from 'node:path';
import type { Incident } from '../../model/incident.ts';
import { CURRENT, errorCode, MAX_LINE_BYTES, openForRepair, openTornFile, syncDirectory } from './files.ts';
import { loadIncidents } from './load.ts';
import { parseLine } from './read.ts';

export interface Recovered {
  /** The newest revision of the last thousand incidents; only the open ones have their events. */
  readonly incidents: readonly Incident[];
  readonly openIncidents: readonly Incident[];
  /** One line each, with code, file and line, for the daemon's log. */
  readonly warnings: readonly string[];
}

const REMEMBERED = 1000;
const COPY_BYTES = 1024 * 1024;

/**
 * Reads the log of `directory` before anything is written to it. A torn last line is cut off to a side file
 * `incidents.jsonl.torn-<n>`. Never throws: what cannot be read or mended is a warning.
 */
export async function recover(directory: string): Promise<Recovered> {
  try {
    const { incidents, torn, warnings } = await loadIncidents(directory, {
      limit: REMEMBERED,
      withEvents: (incident) => incident.state === 'open',
    });
    if (torn !== null && torn.path === join(directory, CURRENT)) {
      warnings.add(await cutOff(directory, torn.path, torn.offset));
    }
    const openIncidents = incidents.filter((incident) => incident.state === 'open');
    return { incidents, openIncidents, warnings: warnings.list() };
  } catch (error) {
    const warning = `FL3105 the incident log in ${directory} could not be read (${errorCode(error)}); open incidents of before are not taken up`;
    return { incidents: [], openIncidents: [], warnings: [warning] };
  }
}

/** Moves what stands behind `offset` into a side file; ends it with a newline instead where it is a whole line. */
async function cutOff(directory: string, path: string, offset: number): Promise<string> {
  try {
    await using log = await openForRepair(path);
    const { size } = await log.stat();
    const bytes = Buffer.alloc(Math.min(size - offset, MAX_LINE_BYTES));
    await log.read(bytes, 0, bytes.length, offset);
    if (size - offset <= MAX_LINE_BYTES && parseLine(bytes.toString('utf8')) !== undefined) {
      await log.write(Buffer.from('\n'), 0, 1, size);
      await log.datasync();
      return `FL3106 ${path}: the last line lacked only its end, which was added; nothing is lost`;
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
    return `FL3106 ${path}: a crash tore the last line; its ${size - offset} bytes are kept in ${side.name}`;
  } catch (error) {
    return `FL3106 ${path}: the last line is torn and could not be cut off (${errorCode(error)}); new lines begin after it`;
  }
}
