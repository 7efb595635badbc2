// Alert book: the alerts that are open now. What waits in a queue is compared with it when it is sent: an alert is never
// resolved that is open again, and one that waited for hours does not end before it arrives.

import { remember } from '../../helpers/remember.ts';
import type { Incident } from '../../model/incident.ts';
import type { Labels } from '../../model/matcher.ts';
import type { Facts } from '../message/facts.ts';
import { type Alert, type AlertLabels, alertOf, labelKey, type PostableAlert, postable, sameLabels } from './alert.ts';

/** How many times an alert may fail to be sent again before Alertmanager takes it to be over. */
export const MISSED = 4;
/** Sent again while they are open; of more the oldest end by themselves in Alertmanager. */
const MOST_OPEN = 2048;

export class AlertBook {
  readonly #own: AlertLabels;
  readonly #openForMs: number;
  /** By incident. */
  readonly #open = new Map<string, Alert>();
  readonly #keys = new Map<string, Alert>();

  constructor(own: AlertLabels, openForMs: number) {
    this.#own = own;
    this.#openForMs = openForMs;
  }

  get size(): number {
    return this.#open.size;
  }

  has(incidentId: string): boolean {
    return this.#open.has(incidentId);
  }

  /** What is new: the alert as it is now, before it the end of what it was under other labels; empty where nothing is. */
  take(incident: Incident, facts: Facts, labels: Labels): readonly Alert[] {
    const before = this.#open.get(incident.id) ?? null;
    const alert = alertOf(incident, facts, labels, this.#own, before);
    const renamed = before !== null && !sameLabels(before, alert);
    const ended = renamed ? [{ ...before, endsMs: Math.max(incident.updatedMs, before.startsMs) }] : [];
    if (before !== null) this.#keys.delete(labelKey(before));
    if (alert.endsMs === null) {
      remember(this.#open, incident.id, alert, MOST_OPEN);
      remember(this.#keys, labelKey(alert), alert, MOST_OPEN);
    } else this.#open.delete(incident.id);
    const same = before !== null && !renamed && alert.endsMs === null;
    return same && isSame(before, alert) ? [] : [...ended, alert];
  }

  all(nowMs: number): readonly PostableAlert[] {
    return [...this.#open.values()].map((alert) => postable(alert, nowMs, this.#openForMs));
  }

  /** As they are now, whatever they were when they were put in the queue. */
  asNow(alerts: readonly Alert[], nowMs: number): readonly PostableAlert[] {
    return alerts.map((alert) => postable(this.#keys.get(labelKey(alert)) ?? alert, nowMs, this.#openForMs));
  }
}

function isSame(a: Alert, b: Alert): boolean {
  return JSON.stringify(a.annotations) === JSON.stringify(b.annotations);
}
