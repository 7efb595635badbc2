// The document that `faultline scan --json` prints.

import { adviceDocument, placedAction } from '../../incidents/report/advice-document.ts';
import { eventToDocument } from '../../model/documents/event.ts';
import { incidentToDocument } from '../../model/documents/incident.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { asTyped } from './as-typed.ts';
import type { JudgedReport } from './healthy.ts';
import type { NextTo } from './next-to.ts';
import { byGravity } from './overview.ts';
import type { Readings } from './readings.ts';
import type { StepEntry } from './steps.ts';
import { SCAN_ZONE } from './zone.ts';

const SCHEMA = 'faultline/scan/1';

export interface ScannedInput {
  readonly name: string;
  readonly format: string;
  readonly lines: number;
  readonly undated_lines: number;
  /** What the lines do not say of their times, and was assumed; `host_from_job_log`: of which host they are only the log of a job says. */
  readonly assumed: readonly string[];
  /** Of a text of which no line was read as anything: what it looks like, and where to look instead. */
  readonly not_understood?: string;
  /** Of a document that says what to do when a fault shows: how many events its lines would be, were they of a host. */
  readonly samples?: number;
  /** Of reports in which nothing was found and that say that all is well: what they say. */
  readonly judged?: readonly JudgedReport[];
}

export interface Scanned {
  readonly inputs: readonly ScannedInput[];
  readonly events: readonly { readonly event: FaultEvent; readonly host: string }[];
  readonly incidents: readonly Incident[];
  readonly nextTo: readonly NextTo[];
  readonly steps: readonly StepEntry[];
  readonly readings: Readings;
  /** Folder of flight-recorder dumps among what was named. */
  readonly dumps: string | null;
  /** What makes no incident and is to be looked at all the same. */
  readonly look: readonly string[];
}

/** In no log; what to do as its report has it, and host and target those that it names. */
function withAdvice(incident: Incident, { nextTo, dumps }: Scanned): object {
  const advice = adviceDocument(
    {
      incident,
      nowMs: incident.updatedMs,
      timeZone: SCAN_ZONE,
      place: null,
      dumps,
      nextTo: nextTo.flatMap(({ of, text }) => (of === incident.id ? [text] : [])),
      first: nextTo.find(({ of, first }) => of === incident.id && first !== undefined)?.first,
    },
    asTyped,
  );
  const document = incidentToDocument({
    ...incident,
    host: advice.host ?? incident.host,
    action: placedAction(incident),
  });
  return { ...document, log: 'none', advice };
}

/** Incidents in the order of time; `act_on` is the gravest of them, with which the text begins, null of none. */
export function scanDocument(scanned: Scanned): object {
  const { inputs, events, incidents, nextTo, steps, readings, look } = scanned;
  return {
    schema: SCHEMA,
    inputs,
    events: events.map(({ event, host }) => eventToDocument(event, host)),
    incidents: incidents.map((incident) => withAdvice(incident, scanned)),
    act_on: byGravity(incidents)[0]?.id ?? null,
    next_to: nextTo.map(({ of, text }) => ({ incident: of, text })),
    look_at: look,
    progress: steps,
    readings: readings.readings,
    states: readings.states,
  };
}
