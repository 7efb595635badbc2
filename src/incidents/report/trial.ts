// Trial: what was injected or simulated asks for nothing; each line that says what to do has that mark.

import type { Incident } from '../../model/incident.ts';
import { mark } from '../../model/mark.ts';

/** `[injected] nothing to do: it is a trial`; null for what is real. */
export function trialText(incident: Pick<Incident, 'made'>): string | null {
  return incident.made === undefined ? null : `${mark(incident)}nothing to do: it is a trial`;
}

/** The same with what would be done about the real thing, for a report whose use is to show that; its head has the mark. */
export function trialAdvice(incident: Pick<Incident, 'made'>, does: string): string {
  return incident.made === undefined ? does : `nothing, a trial; were it real: ${does}`;
}

/** A step under that, or whom to call; its last line may be all that is read of it, and pasted. */
export function trialStep(incident: Pick<Incident, 'made'>, step: string): string {
  return incident.made === undefined ? step : `were it real: ${step} (a trial)`;
}

/** Whom to call about the real thing. */
export function trialCall(incident: Pick<Incident, 'made'>, whom: string): string {
  return incident.made === undefined ? whom : `were it real: ${whom}`;
}
