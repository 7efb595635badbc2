// Concerns: whether something that was done to the host was done about this incident. Where that is a guess, it was not.

import type { Action } from '../../model/action.ts';
import type { Component } from '../../model/component.ts';
import type { Incident } from '../../model/incident.ts';
import { type Kind, kindEntry } from '../../model/kind.ts';
import type { Act } from './act.ts';

/** Advice by which a node or a part of it is taken out of service; the others are the user's, or about something elsewhere. */
const OF_THE_NODE: ReadonlySet<Action> = new Set<Action>([
  'reset_gpu',
  'drain_reset_gpu',
  'reset_nic',
  'reboot_node',
  'power_cycle_node',
  'drain_node',
  'check_cooling',
  'check_link',
  'inspect_hardware',
  'replace_part',
  'contact_vendor',
  'update_software',
]);
const SHORT_ID = 6;

/** Of a quarantine, or of a remediation. Stages that follow from a quarantine are with it. */
export function concerns(incident: Incident, act: Act): boolean {
  if (act.incidentId !== null) return act.incidentId === incident.id;
  if (act.beganMs < beganMs(incident) || isBefore(incident, act)) return false;
  if (act.name === 'remediated') return remedies(incident, act);
  if (namesIt(incident, act)) return true;
  if (incident.state === 'resolved' && act.beganMs > (incident.resolvedMs ?? incident.updatedMs)) return false;
  return incident.chain.some(({ eventId }) => eventId === act.eventId) || OF_THE_NODE.has(incident.action.kind);
}

/** The first sign of its root, as early as the clocks leave it. */
export function beganMs({ chain, root, openedMs }: Incident): number {
  return chain.find(({ eventId }) => eventId === root.eventId)?.interval.earliestMs ?? openedMs;
}

/** What it did not come back from, or follows from. */
function isBefore({ outlasted, root }: Incident, { eventId }: Act): boolean {
  return eventId !== null && (outlasted?.eventId === eventId || root.eventId === eventId);
}

function namesIt({ id }: Incident, { reason }: Act): boolean {
  return reason?.includes(id.slice(0, SHORT_ID)) === true;
}

/** A remedy of the whole host for what such a remedy ends; one of a part for what is wrong with that part. */
function remedies(incident: Incident, { kind, component }: Act): boolean {
  const ends = incident.chain.some((link) => kind !== null && endsWith(link.kind, kind));
  if (component === null || component.type === 'host') return ends || OF_THE_NODE.has(incident.action.kind);
  return incident.chain.some((link) => isSame(link.component, component));
}

function endsWith(kind: Kind, remedy: Kind): boolean {
  return kindEntry(kind).lasts_until?.includes(remedy) === true;
}

function isSame(a: Component | null, b: Component): boolean {
  return a !== null && a.type === b.type && (a.id === b.id || a.aliases?.includes(b.id) === true);
}
