// Sent notification: what became of one thing that people were to be sent: for the history that the API shows.

import type { Severity } from './severity.ts';

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
  readonly state: 'waiting' | 'sent' | 'refused' | 'held';
  readonly stateMs: number;
  /** Why it waits, was refused or held; null where it was sent. */
  readonly detail: string | null;
}
