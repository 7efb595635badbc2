// Sent notification: what became of one thing that people were to be sent: for the history that the API shows.

import { SEVERITIES, type Severity } from './severity.ts';

const STATES = ['waiting', 'sent', 'refused', 'held'] as const;

export interface SentNotification {
  /** The same for each try. */
  readonly key: string;
  readonly atMs: number;
  readonly channel: string;
  /** opened, revised, resolved … */
  readonly what: string;
  readonly severity: Severity;
  /** Null of what is not about one incident. */
  readonly incidentId: string | null;
  readonly reason: string | null;
  /** held: a silence, quiet hours or a limit kept it back. */
  readonly state: (typeof STATES)[number];
  readonly stateMs: number;
  /** Why it waits, was refused or held; null where it was sent. */
  readonly detail: string | null;
}

/** Of what an earlier run kept; null for what is none. */
export function sentNotificationFrom(kept: unknown): SentNotification | null {
  if (typeof kept !== 'object' || kept === null) return null;
  const of = kept as Readonly<Record<string, unknown>>; // an object has fields of unknown type
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
  const [key, channel, what] = [of.key, of.channel, of.what].map(text);
  const [atMs, stateMs] = [Number(of.atMs), Number(of.stateMs)];
  const severity = SEVERITIES.find((one) => one === of.severity);
  const state = STATES.find((one) => one === of.state);
  if (key == null || channel == null || what == null || severity === undefined || state === undefined) return null;
  if (!Number.isFinite(atMs) || !Number.isFinite(stateMs)) return null;
  const [incidentId = null, reason = null, detail = null] = [of.incidentId, of.reason, of.detail].map(text);
  return { key, atMs, channel, what, severity, incidentId, reason, state, stateMs, detail };
}
