// Over: whether the lines that were read say that what an incident is about ended.

import { componentText } from '../../model/component.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { ChainLink, Incident } from '../../model/incident.ts';

/** What begins again within this time is the same. */
const AGAIN_MS = 600_000;
/** A driver tries for a minute and more to reset its GPU. */
const RESET_MS = 120_000;

/** With the lines that say of something in it that it was over, and resolved by them where all of its root's kind has such a line after it. */
export function withItsEnd(incident: Incident, events: readonly FaultEvent[]): Incident {
  return withLastEnd(withEnds(incident, events), events);
}

/** A driver that reset its GPU says so, though it hangs again a minute later. */
function withEnds(incident: Incident, events: readonly FaultEvent[]): Incident {
  const begins = new Map<string, number>();
  for (const { kind, component, timeMs } of incident.chain) {
    const key = `${kind} ${placeOf({ component })}`;
    begins.set(key, Math.min(begins.get(key) ?? timeMs, timeMs));
  }
  const lastMs = Math.max(...incident.events.map(({ timeMs }) => timeMs));
  const known = new Set(incident.events.map(({ id }) => id));
  const within = events.filter((event) => {
    const isReset = event.attributes.driver_reset === true && event.timeMs <= lastMs + RESET_MS;
    // What a driver resets its GPU for may have another name than the reset.
    const kinds = isReset ? [event.kind, incident.root.kind] : [event.kind];
    const fromMs = kinds.map((kind) => begins.get(`${kind} ${placeOf(event)}`)).find((ms) => ms !== undefined);
    if (event.state !== 'clear' || fromMs === undefined || known.has(event.id)) return false;
    return event.timeMs >= fromMs && (event.timeMs <= lastMs || isReset);
  });
  const chain = [...incident.chain];
  for (const end of within)
    chain.splice(chain.findLastIndex(({ timeMs }) => timeMs <= end.timeMs) + 1, 0, linkOf(end, incident));
  return within.length === 0 ? incident : { ...incident, events: [...incident.events, ...within], chain };
}

function withLastEnd(incident: Incident, events: readonly FaultEvent[]): Incident {
  const { kind } = incident.root;
  const lastMs = new Map<string, number>();
  for (const event of incident.events)
    if (event.kind === kind && event.state !== 'clear' && isOwn(event, incident))
      lastMs.set(partOf(event), event.timeMs);
  // What began again soon is not over by an end before that.
  for (const event of [...events].sort((a, b) => a.timeMs - b.timeMs)) {
    const since = lastMs.get(partOf(event)) ?? (isOfAnother(event, incident) ? incident.openedMs : undefined);
    if (since === undefined || event.kind !== kind || event.state === 'clear') continue;
    if (event.timeMs >= since && event.timeMs - since <= AGAIN_MS) lastMs.set(partOf(event), event.timeMs);
  }
  const ends = new Map<string, FaultEvent>();
  for (const event of events) {
    if (event.state !== 'clear' || event.kind !== kind) continue;
    for (const part of new Set([partOf(event), partOf({ ...event, state: 'point' })])) {
      const since = lastMs.get(part);
      if (since !== undefined && event.timeMs >= since && !ends.has(part)) ends.set(part, event);
    }
  }
  if (ends.size === 0 || ends.size < lastMs.size) return incident;
  const resolvedMs = Math.max(...[...ends.values()].map(({ timeMs }) => timeMs));
  const known = new Set(incident.events.map(({ id }) => id));
  const more = [...new Set(ends.values())].filter(({ id }) => !known.has(id));
  const chain = [...incident.chain, ...more.map((end) => linkOf(end, incident))];
  return { ...incident, state: 'resolved', resolvedMs, events: [...incident.events, ...more], chain };
}

/** The end as a link of the chain, behind all that it ends. */
function linkOf({ id, kind, component, severity, timeMs, timeDigits, interval }: FaultEvent, of: Incident): ChainLink {
  const { root, chain, confidence } = of;
  const began = chain.find((link) => link.kind === kind && placeOf(link) === placeOf({ component }));
  return {
    eventId: id,
    kind,
    component,
    severity,
    timeMs,
    timeDigits,
    interval,
    causedBy: [began?.eventId ?? root.eventId],
    lagMs: began === undefined ? null : Math.round((timeMs - began.timeMs) * 1000) / 1000,
    confidence,
    orderUnknown: false,
  };
}

function placeOf({ component }: Pick<FaultEvent, 'component'>): string {
  return component === null ? '' : componentText(component);
}

/** Of one place, checks of a cluster's health begin and end each by itself, and so does a server that a later line says is back. */
function partOf({ component, attributes, state }: Pick<FaultEvent, 'component' | 'attributes' | 'state'>): string {
  const server = state === 'point' ? '' : (attributes.server ?? '');
  return `${placeOf({ component })} ${attributes.check ?? ''} ${server}`;
}

/** What is not worth an incident by itself, such as one of many disks behind a server, holds the end of another up no longer. */
function isOwn({ id, severity }: FaultEvent, { root }: Incident): boolean {
  return severity !== 'info' || id === root.eventId;
}

/** Another server that the same host waits for: one incident, of which the first stands for all. */
function isOfAnother({ component, attributes, severity, state }: FaultEvent, { root }: Incident): boolean {
  if (state !== 'onset' || severity === 'info' || attributes.server === undefined) return false;
  return placeOf({ component }) === placeOf(root);
}
