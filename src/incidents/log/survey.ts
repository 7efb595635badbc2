// Survey: reads the log once and hands over each incident as it stood last, in memory that does not grow with the log.

import { remember } from '../../helpers/remember.ts';
import { INCIDENT_SCHEMA } from '../../model/documents/incident.ts';
import { type Draft, draftFrom } from '../../model/documents/incident-draft.ts';
import type { Incident } from '../../model/incident.ts';
import { type Head, headOf, isEventLine } from './head.ts';
import { parseLine, readLog, Warnings } from './read-log.ts';

/** Whoever writes the log continues no incident beyond 4096 open and 64 resolved ones that were written last. */
const MOST_OPEN = 4096;
const MOST_RESOLVED = 128;

export interface SurveyOptions {
  /** How many files before the current one are read; all when left out. */
  readonly newestFiles?: number;
  /** Without reasons, evidence and alternatives. May come again with a later revision, which counts. */
  readonly onIncident: (incident: Incident) => void;
  /** Sees every line that is not an event's. */
  readonly also?: (line: Buffer | null, head: Head | null) => void;
}

/** Never throws for what the files hold; throws where the directory cannot be read. */
export async function surveyLog(directory: string, { newestFiles, onIncident, also }: SurveyOptions): Promise<void> {
  const [open, resolved] = [new Map<string, Draft>(), new Map<string, Draft>()];
  const take = (line: Buffer | null): void => {
    if (line === null || isEventLine(line)) return;
    const head = headOf(line);
    also?.(line, head);
    if (head?.schema !== INCIDENT_SCHEMA) return;
    const { id, revision, since } = head;
    const before = open.get(id) ?? resolved.get(id) ?? null;
    const known = before?.incident.revision ?? -1;
    // A new file says again what is open, whole.
    if (known > revision || (known === revision && since !== null)) return;
    const draft = draftFrom(parseLine(line), before);
    if (draft === null) return;
    open.delete(id);
    resolved.delete(id);
    const [kept, most] = draft.incident.state === 'open' ? [open, MOST_OPEN] : [resolved, MOST_RESOLVED];
    const [oldest] = kept.values();
    if (kept.size >= most && oldest !== undefined) onIncident(oldest.incident);
    remember(kept, id, slim(draft), most);
  };
  await readLog(directory, take, new Warnings(), newestFiles);
  for (const { incident } of [...resolved.values(), ...open.values()]) onIncident(incident);
}

function slim({ incident, short }: Draft): Draft {
  return {
    incident: { ...incident, evidence: [], confidenceParts: [], alternatives: [], ruledOut: [] },
    evidence: [],
    short,
  };
}
