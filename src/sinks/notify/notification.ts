// Notification: what one channel is to be sent of one incident, or of what was held back; facts only, as it lies in the queue.

import type { IncidentDocument } from '../../model/documents/incident.ts';
import type { Severity } from '../../model/severity.ts';
import type { Facts } from '../message/facts.ts';

export const NOTIFICATION_SCHEMA = 'faultline/notification/1';

export const WHATS = [
  'opened',
  'revised',
  'repeated',
  'escalated',
  'acknowledged',
  'resolved',
  'held',
  'digest',
  'test',
] as const;
export type What = (typeof WHATS)[number];

export interface HeldBack {
  readonly short: string;
  readonly title: string;
  readonly severity: Severity;
  readonly state: 'open' | 'resolved';
  /** Which silence, quiet hours or limit. */
  readonly why: string;
}

export interface Digest {
  readonly count: number;
  readonly listed: readonly HeldBack[];
  readonly more: number;
  /** Notifications a day, and when the next digest is sent. */
  readonly limit: number;
  readonly at: string;
}

export interface Notification {
  readonly schema: typeof NOTIFICATION_SCHEMA;
  /** The same for each try and after a restart: receivers that know it have it already. */
  readonly key: string;
  /** What belongs together: thread, deduplication key, alias. */
  readonly conversation: string;
  readonly what: What;
  readonly channel: string;
  readonly host: string;
  readonly at: string;
  readonly severity: Severity;
  readonly group: string | null;
  /** Why it is sent, where that is not clear from what it is. */
  readonly reason: string | null;
  readonly facts: Facts | null;
  readonly digest: Digest | null;
  /** The whole incident, for channels that pass it on. */
  readonly incident: IncidentDocument | null;
}
