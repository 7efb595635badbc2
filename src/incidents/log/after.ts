// After: what the log holds behind one revision, in the order of writing: what a daemon that was killed wrote and did not send.

import { EVENT_SCHEMA, eventFromDocument, INCIDENT_SCHEMA, incidentFromDocument } from '../../model/document.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { headOf } from './head.ts';
import { parseLine, readLog, Warnings } from './read.ts';

export type Logged = { readonly event: FaultEvent } | { readonly incident: Incident };

/** A daemon sends within milliseconds what it wrote; more than this is a spool that could not be written for long. */
const MOST_LINES = 4096;
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * Events and incident revisions, these without their events, in the newest two files; the newest ones where there
 * are more than `MOST_LINES` or `MOST_BYTES`. `after` null stands for the beginning of the log. None where the log does not hold that revision any more.
 * Throws where the directory cannot be read.
 */
export async function loggedAfter(
  directory: string,
  after: { readonly id: string; readonly revision: number } | null,
): Promise<Logged[]> {
  const revisions = new Map<string, number>();
  let found = after === null;
  let lines: Buffer[] = [];
  let bytes = 0;
  const take = (line: Buffer | null): void => {
    const head = line === null ? null : headOf(line);
    if (line === null || head === null || head.schema === 'other') return;
    if (head.schema === INCIDENT_SCHEMA) {
      const { id, revision } = head;
      // Each file begins with what was open: told before, unless it is newer than what was told.
      const known = revisions.get(id) ?? 0;
      revisions.set(id, Math.max(known, revision));
      if (id === after?.id && revision === after.revision) {
        found = true;
        lines = [];
        bytes = 0;
        return;
      }
      if (known >= revision) return;
    }
    if (!found) return;
    lines.push(Buffer.from(line));
    bytes += line.length;
    while (lines.length > MOST_LINES || bytes > MOST_BYTES) bytes -= lines.shift()?.length ?? bytes;
  };
  await readLog(directory, take, new Warnings(), 1);
  return lines.flatMap(logged);
}

function logged(line: Buffer): Logged[] {
  const document = parseLine(line);
  if (document?.schema === EVENT_SCHEMA) {
    const event = eventFromDocument(document);
    return event === null ? [] : [{ event }];
  }
  const incident = incidentFromDocument(document);
  return incident === null ? [] : [{ incident }];
}
