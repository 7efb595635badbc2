// Alert desk: alerts as events, each once: its beginning when it first comes, its end when that is said or it is not sent again.

import { errorText } from '../../helpers/error-text.ts';
import { type Component, componentText } from '../../model/component.ts';
import type { Emit } from '../../model/record.ts';
import type { Alert } from './alert.ts';

export interface DeskOptions {
  readonly trust: 'tenant' | 'facility';
  readonly expireMs: number;
  /** The steady clock, epoch ms, and the time on it when the wall clock showed `wallMs`. */
  readonly now: () => number;
  readonly steady: (wallMs: number) => number;
  readonly placeOf: (labels: Alert['labels']) => Component | null;
}

/** Who passed an alert on. */
export interface AlertSender {
  /** Which system, by the path that it uses. */
  readonly from: string;
  /** "token", else the user or address that sends it, as the kernel has it. */
  readonly by: string;
}

interface Firing extends AlertSender {
  readonly alert: Alert;
  readonly component: Component;
  lastMs: number;
}

export interface DeskCounts {
  /** Alerts of requests that were taken. */
  alerts: number;
  /** Sent again while they fire. */
  repeated: number;
  /** Of another host, or of nothing that this one knows. */
  elsewhere: number;
  /** That made room for others: more than are followed at once. */
  crowded: number;
}

const SOURCE = 'alerts-in';
export const MOST_FIRING = 1024;
/** What began longer ago joins nothing that is seen now. */
const OLDEST_MS = 900_000;

export class AlertDesk {
  readonly counts: DeskCounts = { alerts: 0, repeated: 0, elsewhere: 0, crowded: 0 };
  readonly #options: DeskOptions;
  readonly #emit: Emit;
  /** By fingerprint; what was not sent again for longest comes first. */
  readonly #firing = new Map<string, Firing>();

  constructor(options: DeskOptions, emit: Emit) {
    this.#options = options;
    this.#emit = emit;
  }

  get firing(): number {
    return this.#firing.size;
  }

  take(alert: Alert, { from, by }: AlertSender): void {
    this.counts.alerts += 1;
    // Of each sender: no sender ends what another one says.
    const key = `${by} ${alert.fingerprint}`;
    const known = this.#firing.get(key);
    if (!alert.firing) {
      if (known !== undefined) this.#end(known, 'resolved');
      return;
    }
    if (known !== undefined) {
      known.lastMs = this.#options.now();
      this.#firing.delete(key);
      this.#firing.set(key, known);
      this.counts.repeated += 1;
      return;
    }
    const component = this.#options.placeOf(alert.labels);
    if (component === null) {
      this.counts.elsewhere += 1;
      return;
    }
    if (this.#firing.size >= MOST_FIRING) this.#makeRoom({ from, by });
    const firing: Firing = { alert, component, from, by, lastMs: this.#options.now() };
    this.#firing.set(key, firing);
    this.#report(firing, 'onset', 'firing');
  }

  /** Ends what was not sent again. */
  expire(): void {
    const nowMs = this.#options.now();
    for (const firing of this.#firing.values())
      if (nowMs - firing.lastMs >= this.#options.expireMs) this.#end(firing, 'expired');
  }

  /** Of the sender that has most, and there of the system that has most; of several the one that sends. Whoever floods takes no other's place. */
  #makeRoom({ from, by }: AlertSender): void {
    const all = [...this.#firing.values()];
    const whose = mostOf(all.map((firing) => firing.by), by); // biome-ignore format: one line
    const own = all.filter((firing) => firing.by === whose);
    const which = mostOf(own.map((firing) => firing.from), from); // biome-ignore format: one line
    for (const firing of own) {
      if (firing.from !== which) continue;
      this.counts.crowded += 1;
      this.#end(firing, 'crowded out');
      return;
    }
  }

  #end(firing: Firing, status: string): void {
    this.#firing.delete(`${firing.by} ${firing.alert.fingerprint}`);
    this.#report(firing, 'clear', status);
  }

  #report({ alert, component, from, by }: Firing, state: 'onset' | 'clear', status: string): void {
    const { trust, now, steady } = this.#options;
    const { fingerprint, name, severity, summary, startsMs } = alert;
    const nowMs = now();
    const began =
      state === 'clear' || startsMs === null ? nowMs : Math.min(nowMs, Math.max(nowMs - OLDEST_MS, steady(startsMs)));
    const about = `${name}${severity === null ? '' : ` (${severity})`} of ${componentText(component)}`;
    try {
      this.#emit.event({
        kind: 'alert.firing',
        component,
        timeMs: began,
        interval: { earliestMs: began, latestMs: nowMs },
        observedMs: nowMs,
        trust,
        state,
        source: SOURCE,
        attributes: { alert: name, fingerprint, status, alert_severity: severity, summary, from, sent_by: by },
        evidence: [
          { source: SOURCE, timeMs: began, text: `${status}: ${about}${summary === null ? '' : `: ${summary}`}` },
        ],
        discriminator: `${fingerprint} ${by} ${began}`,
      });
    } catch (error) {
      this.#emit.failed?.(new Error(errorText(error)));
    }
  }
}

/** The name that comes most often; `first` where several do. */
function mostOf(names: readonly string[], first: string): string {
  const counts = new Map([[first, 0]]);
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  let most = first;
  for (const [name, count] of counts) if (count > (counts.get(most) ?? 0)) most = name;
  return most;
}
