// Work: a piece of what the daemon itself did on an incident or for a caller, as a span shows it.

import type { TraceContext } from './trace.ts';

/** The closed list of names, `<Component>/<Operation>`; docs/guide/traces.md says what each covers. */
export const WORK_NAMES = [
  'Detector/Detect',
  'Core/HandOver',
  'Correlator/Correlate',
  'IncidentLog/Append',
  'BlackBox/Save',
  'Bundle/Make',
  'Exporter/Spool',
  'Notifier/Send',
  'VendorChild/Release',
] as const;

export type WorkName = (typeof WORK_NAMES)[number];

interface Done {
  readonly name: WorkName;
  /** Epoch ms on the steady clock. */
  readonly startMs: number;
  readonly endMs: number;
  /** Why it was not done, in words. */
  readonly skipped?: string;
  /** Set where that is a failure. */
  readonly error?: string;
}

/** Work on an event of which it is not known yet which incident takes it up. */
export interface EventWork extends Done {
  readonly eventId: string;
}

export interface IncidentWork extends Done {
  readonly incidentId: string;
  /** The event that it worked on, where it was one. */
  readonly eventId?: string;
  /** The revision of the incident that it was done for. */
  readonly revision?: number;
}

/** Work that a caller asked for within a trace of its own. */
export interface RequestWork extends Done {
  readonly parent: TraceContext;
  /** Our span's id: native code and log lines were given it before. */
  readonly spanId: string;
}

export type Work = EventWork | IncidentWork | RequestWork;

/** Takes a piece of work; null where no sink wants any, and then nothing is measured and nothing is made. */
export type OnWork = ((work: Work) => void) | null;
