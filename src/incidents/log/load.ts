// Load: the newest revision of each incident in the log, with its events where they are wanted.

import { EVENT_SCHEMA, eventFromDocument, INCIDENT_SCHEMA, incidentFromDocument } from '../../model/document.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { type LogPlace, parseLine, readLog, Warnings } from './read.ts';

export interface Loaded {
  /** Newest revisions, those that changed last at the end. */
  readonly incidents: readonly Incident[];
  readonly warnings: Warnings;
}

/**
 * Reads the whole log in bounded memory. Where it holds more than `limit` incidents, the longest unchanged resolved
 * ones are left out. Never throws for what the files hold; throws where the directory cannot be read.
 */
export async function loadIncidents(
  directory: string,
  options: { readonly limit: number; readonly withEvents: (incident: Incident) => boolean },
): Promise<Loaded> {
  const newest = new Map<string, Incident>();
  const warnings = new Warnings();
  await readLog(
    directory,
    (line, place) => {
      const incident = incidentOf(line, place, warnings);
      if (incident === null) return;
      const known = newest.get(incident.id);
      if (known !== undefined && known.revision >= incident.revision) return;
      newest.delete(incident.id);
      newest.set(incident.id, incident);
      if (newest.size > options.limit * 2) trim(newest, options.limit);
    },
    warnings,
  );
  trim(newest, options.limit);
  const chosen = [...newest.values()].filter(options.withEvents);
  const events = await loadEvents(directory, chosen);
  for (const incident of chosen) {
    const own = incident.chain.map((link) => events.get(link.eventId)).filter((event) => event !== undefined);
    newest.set(incident.id, { ...incident, events: own });
  }
  return { incidents: [...newest.values()], warnings };
}

function incidentOf(line: string | null, place: LogPlace, warnings: Warnings): Incident | null {
  const document = line === null ? undefined : parseLine(line);
  if (document === undefined) {
    warnings.garbage(place);
    return null;
  }
  if (document.schema !== INCIDENT_SCHEMA) return null;
  const incident = incidentFromDocument(document);
  if (incident === null) warnings.garbage(place);
  return incident;
}

function trim(newest: Map<string, Incident>, limit: number): void {
  for (const [id, incident] of newest) {
    if (newest.size <= limit) return;
    if (incident.state === 'resolved') newest.delete(id);
  }
}

/** The events of the chains, each as it stood last. */
async function loadEvents(directory: string, incidents: readonly Incident[]): Promise<Map<string, FaultEvent>> {
  const wanted = new Set(incidents.flatMap((incident) => incident.chain.map((link) => link.eventId)));
  const found = new Map<string, FaultEvent>();
  if (wanted.size === 0) return found;
  const take = (line: string | null): void => {
    // Our own lines begin with schema and id: most of what is not wanted is known without parsing it.
    const id = /^\{"schema":"faultline\/event\/1","id":"([^"\\]+)"/.exec(line?.slice(0, 200) ?? '')?.[1];
    if (line === null || (id !== undefined && !wanted.has(id))) return;
    const document = parseLine(line);
    if (document?.schema !== EVENT_SCHEMA) return;
    const event = eventFromDocument(document);
    if (event !== null && wanted.has(event.id)) found.set(event.id, event);
  };
  await readLog(directory, take, new Warnings());
  return found;
}
