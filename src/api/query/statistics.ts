// Statistics: how many incidents and alerts there were, of what, and how long they lasted.

import { median } from '../../helpers/median.ts';
import type { Incident } from '../../model/incident.ts';
import type { Alert } from './alerts.ts';

const MOST_GROUPS = 200;

type Counts = Readonly<Record<string, number>>;

export function incidentStatistics(incidents: readonly Incident[]): object {
  const resolved = incidents.flatMap(({ openedMs, resolvedMs }) =>
    resolvedMs === null ? [] : [resolvedMs - openedMs],
  );
  const half = median(resolved);
  return {
    total: incidents.length,
    open: incidents.filter(({ state, mergedInto }) => state === 'open' && mergedInto === null).length,
    by_severity: counted(incidents.map(({ severity }) => severity)),
    by_kind: counted(incidents.map(({ root }) => root.kind)),
    by_component_type: counted(incidents.flatMap(({ root }) => root.component?.type ?? [])),
    by_job: counted(incidents.flatMap(({ whose = [] }) => whose.flatMap(({ job }) => job ?? []))),
    by_user: counted(incidents.flatMap(({ whose = [] }) => whose.flatMap(({ user }) => user ?? []))),
    by_day: counted(incidents.map(({ openedMs }) => new Date(openedMs).toISOString().slice(0, 10))),
    /** Of those that are over. */
    median_duration_s: half === null ? null : Math.round(half / 1000),
  };
}

export function alertStatistics(alerts: readonly Alert[]): object {
  return {
    total: alerts.length,
    firing: alerts.filter(({ state }) => state === 'firing').length,
    in_no_incident: alerts.filter(({ incident }) => incident === null).length,
    by_severity: counted(alerts.map(({ severity }) => severity)),
    by_kind: counted(alerts.map(({ event }) => event.kind)),
    by_source: counted(alerts.map(({ event }) => event.source)),
  };
}

/** Those with most first; names are what others wrote, so that the object has no inherited keys. */
export function counted(names: readonly string[]): Counts {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Object.fromEntries([...counts].sort((a, b) => b[1] - a[1]).slice(0, MOST_GROUPS));
}
