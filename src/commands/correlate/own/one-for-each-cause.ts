// One for each cause: what feeds several hosts is the root of an incident on each of them, and of one for who reads the files.

import { componentText } from '../../../model/component.ts';
import type { FaultEvent } from '../../../model/event.ts';
import type { Incident } from '../../../model/incident.ts';
import { compareSeverity } from '../../../model/severity.ts';

/** In order of time. The incident of the first host keeps its id; the chains and effects of the others join it. */
export function oneForEachCause(incidents: readonly Incident[]): Incident[] {
  const found = [...Map.groupBy(incidents, rootKey).values()].map((same) => same.reduce(joined));
  const explained = new Map<string, number>();
  for (const { events } of found)
    for (const key of new Set(events.map(eventKey))) explained.set(key, (explained.get(key) ?? 0) + 1);
  // A service of two hosts that one of them slowed down makes no second incident, without a cause, on the other.
  const own = found.filter(
    ({ rootKnown, events }) => rootKnown || events.some((event) => explained.get(eventKey(event)) === 1),
  );
  return own.sort((a, b) => a.openedMs - b.openedMs || compareSeverity(b.severity, a.severity));
}

function rootKey({ root, events }: Incident): string {
  const event = events.find(({ id }) => id === root.eventId);
  return event === undefined ? root.eventId : eventKey(event);
}

/** Each host gives the same event another id. */
function eventKey({ kind, component, timeMs, state, attributes }: FaultEvent): string {
  const name = component === null ? '' : componentText(component);
  return [kind, name, timeMs, state, attributes.event_id ?? ''].join('\n');
}

function joined(one: Incident, other: Incident): Incident {
  const ids = new Map(one.events.map((event) => [eventKey(event), event.id]));
  const known = new Map(other.events.map((event) => [event.id, ids.get(eventKey(event)) ?? event.id]));
  const named = (id: string): string => known.get(id) ?? id;
  const has = new Set(ids.values());
  const fresh = other.chain.filter(({ eventId }) => !has.has(named(eventId)));
  const effects = new Set(one.impact.map(({ text }) => text));
  const evidence = new Set(one.evidence.map((each) => JSON.stringify(each)));
  const worse = compareSeverity(other.severity, one.severity) > 0 ? other : one;
  return {
    ...one,
    state: one.state === 'open' || other.state === 'open' ? 'open' : 'resolved',
    openedMs: Math.min(one.openedMs, other.openedMs),
    updatedMs: Math.max(one.updatedMs, other.updatedMs),
    resolvedMs:
      one.resolvedMs === null || other.resolvedMs === null ? null : Math.max(one.resolvedMs, other.resolvedMs),
    severity: worse.severity,
    // No surer than of the host on which it is least so.
    ...(other.confidence < one.confidence
      ? { confidence: other.confidence, confidenceParts: other.confidenceParts }
      : {}),
    chain: [...one.chain, ...fresh.map((link) => ({ ...link, causedBy: link.causedBy.map(named) }))].sort(
      (a, b) => a.timeMs - b.timeMs,
    ),
    impact: [...one.impact, ...other.impact.filter(({ text }) => !effects.has(text))],
    evidence: [...one.evidence, ...other.evidence.filter((each) => !evidence.has(JSON.stringify(each)))],
    events: [...one.events, ...other.events.filter(({ id }) => !has.has(named(id)))],
  };
}
