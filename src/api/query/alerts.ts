// Alerts: what is or was wrong, one for each thing and kind, from its beginning to its end, and the incident that it is part of.

import type { Component } from '../../model/component.ts';
import { computedTime } from '../../model/documents/fields.ts';
import { jobsOf } from '../../model/documents/whose.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { maxSeverity } from '../../model/severity.ts';
import type { Searched } from './conditions.ts';
import type { Placed } from './page.ts';

export interface Alert extends Placed, Searched {
  readonly event: FaultEvent;
  /** Null while it lasts. */
  readonly endsMs: number | null;
  readonly count: number;
  /** Null where it is part of none. */
  readonly incident: Incident | null;
}

/** `events` and `incidents`: all that are kept, oldest first. */
export function alertsOf(events: readonly FaultEvent[], incidents: readonly Incident[]): Alert[] {
  const partOf = incidentsByEvent(incidents);
  const open = new Map<string, number>();
  const alerts: Alert[] = [];
  for (const event of events) {
    const key = keyOf(event);
    const at = open.get(key);
    const known = at === undefined ? undefined : alerts[at];
    if (event.state === 'clear') {
      open.delete(key);
      if (known !== undefined && at !== undefined)
        alerts[at] = { ...known, state: 'resolved', endsMs: event.timeMs, toMs: event.timeMs };
      continue;
    }
    if (known !== undefined && at !== undefined) {
      const severity = maxSeverity(known.severity, event.severity);
      alerts[at] = { ...known, severity, count: known.count + event.count };
      continue;
    }
    const lasts = event.state === 'onset';
    if (lasts) open.set(key, alerts.length);
    alerts.push({
      id: event.id,
      timeMs: event.timeMs,
      fromMs: event.timeMs,
      toMs: lasts ? Number.POSITIVE_INFINITY : event.timeMs,
      severity: event.severity,
      kinds: [event.kind],
      places: event.component === null ? [] : [event.component],
      whose: event.whose,
      state: lasts ? 'firing' : 'resolved',
      event,
      endsMs: lasts ? null : event.timeMs,
      count: event.count,
      incident: partOf.get(event.id) ?? null,
    });
  }
  return alerts;
}

export function alertToDocument(alert: Alert): object {
  const { id, state, severity, event, endsMs, count, incident, whose } = alert;
  const { kind, component, source, trust, attributes } = event;
  const about: Component | null = component;
  return {
    id,
    state,
    kind,
    component: about,
    severity,
    source,
    trust,
    starts_at: computedTime(event.timeMs),
    ends_at: endsMs === null ? null : computedTime(endsMs),
    count,
    attributes,
    ...jobsOf({ whose: whose ?? [] }),
    incident: incident === null ? null : incident.id,
    is_root: incident !== null && incident.root.eventId === id,
  };
}

/** What lasts is one alert until its end, however often it is reported. Alerts of others are told apart by their fingerprint. */
function keyOf({ kind, component, attributes }: FaultEvent): string {
  const place = component === null ? '' : `${component.type}/${component.host ?? ''}/${component.id}`;
  return `${kind} ${place} ${attributes.fingerprint ?? attributes.rule ?? ''}`;
}

function incidentsByEvent(incidents: readonly Incident[]): ReadonlyMap<string, Incident> {
  const found = new Map<string, Incident>();
  for (const incident of incidents) {
    if (incident.mergedInto !== null) continue;
    for (const { eventId } of incident.chain) found.set(eventId, incident);
  }
  return found;
}
