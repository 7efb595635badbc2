// As one: incidents of several hosts that one thing is behind, as one incident that the first of them leads.

import { type Component, componentText } from '../../model/component.ts';
import type { Alternative, ChainLink, Incident } from '../../model/incident.ts';
import { compareSeverity } from '../../model/severity.ts';

/** What only the form of one log, or one user, says is more than that where other hosts say it as well. */
const OF_ONE_LOG: ReadonlySet<string> = new Set(['calibration', 'tenant_only', 'as_logged']);
/** What could have brought it about as well is a part of it. */
const OF_RIVALS: ReadonlySet<string> = new Set(['rival_cause', 'rival_in_part', 'rival_effect']);
const MOST = 0.95;

/** The lead's root, id and host; the events, evidence and effects of all. */
export function asOne(lead: Incident, others: readonly Incident[]): Incident {
  const all = [lead, ...others];
  const events = once(
    all.flatMap(({ events }) => events),
    ({ id }) => id,
  );
  const more = others.flatMap((other) => other.chain.map((link) => belowLead(link, lead)));
  const links = once([...lead.chain, ...more], ({ eventId }) => eventId);
  const whose = [...new Map(all.flatMap(({ whose = [] }) => whose.map((one) => [JSON.stringify(one), one]))).values()];
  const ends = all.map(({ resolvedMs }) => resolvedMs);
  const isOver = all.every(({ state }) => state === 'resolved');
  const alternatives = lead.alternatives.filter(({ root }) => !others.some((other) => isRootOf(root, other)));
  const hadRivals = lead.alternatives.length > 0 && alternatives.length === 0;
  const parts = lead.confidenceParts.filter(
    ({ code }) => code === null || !(OF_ONE_LOG.has(code) || (hadRivals && OF_RIVALS.has(code))),
  );
  const sum = Math.round(100 * parts.reduce((total, { delta }) => total + delta, 0)) / 100;
  return {
    ...lead,
    events,
    ...(whose.length === 0 ? {} : { whose }),
    chain: links.sort((a, b) => (a.eventId === lead.root.eventId ? -1 : b.eventId === lead.root.eventId ? 1 : a.timeMs - b.timeMs)), // biome-ignore format: one order
    impact: once(
      all.flatMap(({ impact }) => impact),
      ({ component, quantity, text }) => JSON.stringify([component, quantity, text]),
    ),
    alternatives,
    evidence: once(
      all.flatMap(({ evidence }) => evidence),
      (one) => JSON.stringify(one),
    ),
    severity: all.map(({ severity }) => severity).reduce((a, b) => (compareSeverity(a, b) >= 0 ? a : b)),
    confidence: Math.min(MOST, sum),
    confidenceParts: parts,
    unconfirmed: all.some(({ unconfirmed }) => unconfirmed === null) ? null : lead.unconfirmed,
    title: all.some(({ unconfirmed }) => unconfirmed === null) ? lead.title.replace(/^Unconfirmed: /, '') : lead.title,
    state: isOver ? 'resolved' : 'open',
    resolvedMs: isOver ? Math.max(...ends.map((ms) => ms ?? 0)) : null,
    openedMs: Math.min(...all.map(({ openedMs }) => openedMs)),
    updatedMs: Math.max(...all.map(({ updatedMs }) => updatedMs)),
  };
}

function isRootOf({ kind, component }: Alternative['root'], { root }: Incident): boolean {
  const nameOf = (of: Component | null): string => (of === null ? '' : `${of.host ?? ''} ${componentText(of)}`);
  return kind === root.kind && nameOf(component) === nameOf(root.component);
}

/** Two incidents may have one end. */
function once<T>(all: readonly T[], keyOf: (one: T) => string): T[] {
  return [...new Map(all.toReversed().map((one) => [keyOf(one), one])).values()].toReversed();
}

/** What began on other hosts came with the lead's root. */
function belowLead(link: ChainLink, lead: Incident): ChainLink {
  return link.causedBy.length > 0 ? link : { ...link, causedBy: [lead.root.eventId], lagMs: null, orderUnknown: true };
}
