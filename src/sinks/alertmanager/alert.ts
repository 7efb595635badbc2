// Alert: an incident as Alertmanager knows it. Its labels tell it apart, so they change only where the incident does.

import { couldHaveWritten } from '../../model/could-have-written.ts';
import type { Incident } from '../../model/incident.ts';
import type { Labels } from '../../model/matcher.ts';
import { maxSeverity, type Severity } from '../../model/severity.ts';
import { deviceOf, type Facts } from '../message/facts.ts';

export interface Alert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsMs: number;
  /** Null while it is open. */
  readonly endsMs: number | null;
}

/** One of postableAlerts of Alertmanager's API v2. */
export interface PostableAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt: string;
  readonly endsAt: string;
}

/** One value each: the worst severity that it had, so that an alert that calms down does not become another one. */
const SINGLE = [
  'incident',
  'host',
  'kind',
  'component',
  'component_type',
  'job',
  'user',
  'account',
  'namespace',
  'rack',
] as const;
const ALERT_NAME = 'FaultlineIncident';

/** `before`: what was sent of this incident last. */
export function alertOf(
  incident: Incident,
  facts: Facts,
  labels: Labels,
  own: AlertLabels,
  before: Alert | null,
): Alert {
  const severity = maxSeverity(incident.severity, severityOf(before) ?? incident.severity);
  const known = SINGLE.flatMap((name) => {
    const [value] = labels[name] ?? [];
    // A job that is known once stays the one: the first of several may change its place.
    const kept = name === 'job' || name === 'user' ? before?.labels[name] : undefined;
    const text = kept ?? value;
    return text === undefined || text === '' ? [] : [[name, text.slice(0, LONGEST_LABEL)] as const];
  });
  return {
    labels: { ...own, alertname: ALERT_NAME, severity, ...Object.fromEntries(known), ...madeOf(incident) },
    annotations: annotationsOf(facts, incident),
    startsMs: incident.openedMs,
    endsMs: incident.state === 'resolved' || incident.mergedInto !== null ? endOf(incident) : null,
  };
}

export type AlertLabels = Readonly<Record<string, string>>;

const LONGEST_LABEL = 256;

function madeOf({ made }: Incident): Record<string, string> {
  return made === undefined ? {} : { made };
}

function endOf({ resolvedMs, updatedMs }: Incident): number {
  return resolvedMs ?? updatedMs;
}

function severityOf(alert: Alert | null): Severity | null {
  const text = alert?.labels.severity;
  return text === 'info' || text === 'warning' || text === 'error' || text === 'critical' ? text : null;
}

function annotationsOf(facts: Facts, incident: Incident): Record<string, string> {
  const { title, effect, action, jobs, runbook, runbook_url, log_line, confidence, unconfirmed, merged_into } = facts;
  const entries = {
    summary: title,
    effect,
    action,
    jobs,
    device: incident.root.component === null ? null : deviceOf(incident),
    confidence,
    unconfirmed: unconfirmed === null ? null : `${couldHaveWritten(incident.root.kind)}. ${unconfirmed}`.trim(),
    log_line,
    runbook,
    runbook_url,
    explain: facts.explain,
    merged_into,
  };
  return Object.fromEntries(Object.entries(entries).flatMap(([name, text]) => (text === null ? [] : [[name, text]])));
}

export function sameLabels(a: Alert, b: Alert): boolean {
  return labelKey(a) === labelKey(b);
}

/** What Alertmanager tells alerts apart by. */
export function labelKey({ labels }: Pick<Alert, 'labels'>): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** `openForMs`: how long it holds without being sent again. */
export function postable(
  { labels, annotations, startsMs, endsMs }: Alert,
  nowMs: number,
  openForMs: number,
): PostableAlert {
  const end = endsMs ?? nowMs + openForMs;
  // Alertmanager refuses an end before the start, as clocks that were set may have it.
  const start = Math.min(startsMs, end);
  return { labels, annotations, startsAt: new Date(start).toISOString(), endsAt: new Date(end).toISOString() };
}
