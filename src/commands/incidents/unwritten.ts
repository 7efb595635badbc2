// Unwritten: incidents that the daemon of a log has and the log has not, as on a full disk: an empty list would say that all is well.

import { join } from 'node:path';
import { ask, socketCandidates } from '../../api/client.ts';
import { CURRENT } from '../../incidents/log/files.ts';
import { incidentFromDocument } from '../../model/documents/incident.ts';
import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import { type LogOptions, runtimeDirectoryOf } from '../common/incident-context.ts';

const ANSWER_MS = 1_000;

export interface Unwritten {
  /** Newer than the log has them, or not there at all. */
  readonly incidents: readonly Incident[];
  readonly why: string;
}

/** Null where the daemon writes this log, none answers, or this user may not ask it. */
export async function unwrittenOf(
  directory: string,
  listed: readonly Pick<Incident, 'id' | 'revision'>[],
  options: LogOptions,
): Promise<Unwritten | null> {
  try {
    const sockets = socketCandidates(await runtimeDirectoryOf(options));
    const get = (path: string) => ask('GET', path, sockets, {}, undefined, ANSWER_MS);
    const status = fields(await get('/v1/status'));
    const { trouble } = fields(status.log);
    if (status.incident_log !== join(directory, CURRENT) || typeof trouble !== 'string') return null;
    const revisions = new Map(listed.map(({ id, revision }) => [id, revision]));
    const { incidents } = fields(await get('/v1/incidents?log=unavailable&limit=500'));
    const held = (Array.isArray(incidents) ? incidents : []).flatMap((document: unknown) => {
      const incident = incidentFromDocument(document);
      return incident === null || (revisions.get(incident.id) ?? 0) >= incident.revision ? [] : [incident];
    });
    return { incidents: held, why: plain(trouble) };
  } catch {
    return null;
  }
}

export function unwrittenText({ incidents, why }: Unwritten): string {
  const what = incidents.length === 1 ? 'one incident is' : `${incidents.length} incidents are`;
  return incidents.length === 0
    ? `the daemon cannot write this log (${why}): what it finds from now on is not in it`
    : `the daemon cannot write this log (${why}): ${what} listed as it has them, and lost when it ends before the disk takes them`;
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
