// Statistics: how many incidents and alerts there were, of what, and how long they lasted.

import { median } from '../../helpers/median.ts';
import type { Incident } from '../../model/incident.ts';
import type { Alert } from './alerts.ts';

const MOST_GROUPS = 200;

type Counts = Readonly<Record<string, number>>;

/** What is counted of an incident. */
export interface Counted {
  readonly open: boolean;
  readonly severity: string;
  readonly kind: string;
  readonly componentType: string | null;
  readonly jobs: readonly string[];
  readonly users: readonly string[];
  readonly day: string;
  /** Null while it is open. */
  readonly durationMs: number | null;
}

export function countedIncident({
  state,
  mergedInto,
  severity,
  root,
  whose = [],
  openedMs,
  resolvedMs,
}: Incident): Counted {
  return {
    open: state === 'open' && mergedInto === null,
    severity,
    kind: root.kind,
    componentType: root.component?.type ?? null,
    jobs: whose.flatMap(({ job }) => job ?? []),
    users: whose.flatMap(({ user }) => user ?? []),
    day: new Date(openedMs).toISOString().slice(0, 10),
    durationMs: resolvedMs === null ? null : resolvedMs - openedMs,
  };
}

export function incidentStatistics(incidents: readonly Counted[]): object {
  const half = median(incidents.flatMap(({ durationMs }) => durationMs ?? []));
  return {
    total: incidents.length,
    open: incidents.filter(({ open }) => open).length,
    by_severity: counted(incidents.map(({ severity }) => severity)),
    by_kind: counted(incidents.map(({ kind }) => kind)),
    by_component_type: counted(incidents.flatMap(({ componentType }) => componentType ?? [])),
    by_job: counted(incidents.flatMap(({ jobs }) => jobs)),
    by_user: counted(incidents.flatMap(({ users }) => users)),
    by_day: counted(incidents.map(({ day }) => day)),
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
