// Advice document: what a report says to do, as a program that pages the operator needs it: whole sentences.

import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import { runbookOf } from './advice.ts';
import { unknownText } from './sentences.ts';
import { adviceText, stepRows } from './steps.ts';

export interface AdviceDocument {
  /** What to do; of an incident without a root, how it is found. */
  readonly do: string;
  /** The first step with its commands, and whom to call; null where there is none. */
  readonly now: string | null;
  readonly call: string | null;
  /** In the folder of the installation. */
  readonly runbook: string;
}

/** `place` as in `stepRows`. */
export function adviceDocument(incident: Incident, timeZone: string, place: string | null): AdviceDocument {
  const rows = new Map(stepRows(incident, timeZone, place).map(({ label, text }) => [label, text]));
  return {
    do: incident.rootKnown ? adviceText(incident, place, timeZone) : unknownText(incident, incident.updatedMs).find,
    now: rows.get('Now') ?? null,
    call: rows.get('Call') ?? null,
    runbook: plain(runbookOf(incident.root.kind)),
  };
}
