// Routing: which channels an incident goes to, and by which route.

import { matchesAll } from '../../../model/matcher.ts';
import { compareSeverity } from '../../../model/severity.ts';
import type { Route } from '../settings.ts';
import type { View } from './view.ts';

/** The first route that fits decides for a channel how: its groups, hours and repeats. */
export function routesOf(view: View, routes: readonly Route[]): ReadonlyMap<string, Route> {
  const found = new Map<string, Route>();
  for (const route of routes) {
    if (!fits(view, route)) continue;
    for (const channel of route.to) if (!found.has(channel)) found.set(channel, route);
  }
  return found;
}

function fits({ severity, incident, labels }: View, route: Route): boolean {
  if (compareSeverity(severity, route.severity) < 0 || incident.confidence < route.minConfidence) return false;
  return matchesAll(route.matchers, labels);
}

/** `job=991 rack=r14`; null where incidents are not grouped, or this one lacks what they are grouped by. */
export function groupOf({ labels }: View, { groupBy }: Route): string | null {
  if (groupBy.length === 0) return null;
  const parts = groupBy.map((name) => [name, [...(labels[name] ?? [])].sort()[0]] as const);
  if (parts.some(([, value]) => value === undefined)) return null;
  return parts.map(([name, value]) => `${name}=${value}`).join(' ');
}
