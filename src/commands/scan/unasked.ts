// Unasked: what a scan needs not raise, for nothing there is wrong now or it is of every day: jobs whose end a scheduler keeps among what
// hosts say themselves, and what was over long before the logs end.

import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import type { Read } from './reading.ts';

/** Logs of BMCs and UPSs keep years; what ended this long before the newest line is asked of by no one. */
const LONG_OVER_MS = 7 * 86_400_000;
const OF_OLD_LOGS = /^(?:psu|power|cooling)\.|^host\.fan_failure$/;

/** `lineMs`: of the newest line that has a time by itself. */
export function withoutUnasked({ events, incidents }: Pick<Read, 'events' | 'incidents'>, lineMs: number): Incident[] {
  // Entries of a BMC's event log have a time each, but are not lines.
  const newestMs = events.reduce((ms, { event }) => (event.source === 'ipmi-sel' ? Math.max(ms, event.timeMs) : ms), lineMs); // biome-ignore format: one rule
  const now = incidents.filter((one) => !isLongOver(one, newestMs));
  const isExplained = now.some(({ root, events }) => root.kind !== 'job.failed' && !events.every(isOfJob));
  const hasHost = events.some(({ event }) => event.source === 'kernel-log' && !isOfJob(event));
  return isExplained || hasHost ? now.filter((one) => !isKeptEnd(one)) : now;
}

/** By a line that says so, not by silence. */
function isLongOver({ root, resolvedMs, events }: Incident, newestMs: number): boolean {
  const isEnded = events.some(({ kind, state }) => kind === root.kind && state === 'clear');
  return isEnded && OF_OLD_LOGS.test(root.kind) && resolvedMs !== null && newestMs - resolvedMs >= LONG_OVER_MS;
}

/** An exit status that slurmctld keeps says that a job ended, and of hundreds a day some end with an error by themselves. */
function isKeptEnd({ root, events }: Incident): boolean {
  return root.kind === 'job.failed' && events.every(isKept);
}

function isKept({ kind, source, attributes }: FaultEvent): boolean {
  return kind === 'job.failed' && source === 'program-log' && attributes.program === 'slurmctld';
}

function isOfJob({ kind }: FaultEvent): boolean {
  return kind.startsWith('job.');
}
