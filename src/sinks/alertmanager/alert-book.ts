// Alert book: the alerts that are open now. What waits in a queue is compared with it when it is sent: an alert is never
// resolved that is open again, and one that waited for hours does not end before it arrives.

import { remember } from '../../helpers/remember.ts';
import type { Incident } from '../../model/incident.ts';
import type { Labels } from '../../model/matcher.ts';
import type { SentPart, SentParts } from '../delivery/journal/sent-journal.ts';
import type { UnnotedParts } from '../delivery/journal/sent-marks.ts';
import type { Facts } from '../message/facts.ts';
import { type Alert, type AlertLabels, alertOf, labelKey, type PostableAlert, postable, sameLabels } from './alert.ts';

/** How many times an alert may fail to be sent again before Alertmanager takes it to be over. */
export const MISSED = 4;
/** Sent again while they are open; of more the oldest end by themselves in Alertmanager. */
const MOST_OPEN = 2048;

const MOST_UNNOTED = 8192;
const OVER = 'over';

export class AlertBook implements UnnotedParts {
  readonly #own: AlertLabels;
  readonly #openForMs: number;
  /** By incident. */
  readonly #open = new Map<string, Alert>();
  readonly #keys = new Map<string, Alert>();
  /** What an earlier run sent last of incidents that this one has not heard of yet. */
  readonly #earlier = new Map<string, Alert>();
  readonly #unnoted: SentPart[] = [];

  /** `sent`: what the journal of an earlier run has. */
  constructor(own: AlertLabels, openForMs: number, sent: SentParts = new Map()) {
    this.#own = own;
    this.#openForMs = openForMs;
    for (const [incident, parts] of sent) {
      const alert = alertIn([...parts].at(-1) ?? OVER);
      if (alert !== null) remember(this.#earlier, incident, alert, MOST_OPEN);
    }
  }

  get size(): number {
    return this.#open.size;
  }

  has(incidentId: string): boolean {
    return this.#open.has(incidentId) || this.#earlier.has(incidentId);
  }

  /** What is new: the alert as it is now, before it the end of what it was under other labels; empty where nothing is. */
  take(incident: Incident, facts: Facts, labels: Labels): readonly Alert[] {
    const before = this.#open.get(incident.id) ?? this.#earlier.get(incident.id) ?? null;
    this.#earlier.delete(incident.id);
    const alert = alertOf(incident, facts, labels, this.#own, before);
    const renamed = before !== null && !sameLabels(before, alert);
    const ended = renamed ? [{ ...before, endsMs: Math.max(incident.updatedMs, before.startsMs) }] : [];
    if (before !== null) this.#keys.delete(labelKey(before));
    if (alert.endsMs === null) {
      remember(this.#open, incident.id, alert, MOST_OPEN);
      remember(this.#keys, labelKey(alert), alert, MOST_OPEN);
    } else this.#open.delete(incident.id);
    if (before === null || renamed || alert.endsMs !== null) this.#note(incident.id, alert);
    const same = before !== null && !renamed && alert.endsMs === null;
    return same && isSame(before, alert) ? [] : [...ended, alert];
  }

  /** It was so, and may be otherwise now: what comes next is sent whatever it is. */
  setBack(incidentId: string): void {
    const alert = this.#open.get(incidentId);
    if (alert === undefined) return;
    this.#open.delete(incidentId);
    this.#keys.delete(labelKey(alert));
    remember(this.#earlier, incidentId, { ...alert, annotations: {} }, MOST_OPEN);
  }

  get unnoted(): number {
    return this.#unnoted.length;
  }

  takeUnnoted(count: number): SentPart[] {
    return this.#unnoted.splice(0, count);
  }

  /** Its labels, by which a later run ends it: Alertmanager tells alerts apart by nothing else. */
  #note(incidentId: string, { labels, startsMs, endsMs }: Alert): void {
    const part = endsMs === null ? JSON.stringify({ labels, startsMs }) : OVER;
    this.#unnoted.push({ incidentId, part, whole: true });
    if (this.#unnoted.length > MOST_UNNOTED) this.#unnoted.shift();
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

/** Null for the end of one, and for what cannot be read. Without annotations, so that the alert is sent again as it is now. */
function alertIn(part: string): Alert | null {
  if (part === OVER) return null;
  try {
    const { labels, startsMs } = JSON.parse(part) as Pick<Alert, 'labels' | 'startsMs'>; // what `#note` made
    return { labels, startsMs, annotations: {}, endsMs: null };
  } catch {
    return null;
  }
}
