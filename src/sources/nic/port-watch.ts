// What the readings of one port mean: down and up again, flapping, shut by order. Pure: it remembers, and reads nothing.

import type { Severity } from '../../model/severity.ts';
import type { Interval } from '../../model/time.ts';
import { FLAP_CHANGES, FLAP_WINDOW_MS, STEADY_DOWN_READS, UP_READS } from './catalogue.ts';

export interface PortState {
  readonly up: boolean;
  /** It was shut down on purpose. */
  readonly byOrder: boolean;
  /** Times that the link went down since the driver was loaded; null where nothing counts it. */
  readonly downs: number | null;
  /** How the port names its state, for people. */
  readonly text: string;
}

export interface PortEdge {
  readonly kind: 'nic.port_down' | 'nic.link_flap';
  readonly state: 'onset' | 'clear';
  readonly interval: Interval;
  /** Only where it is not the kind's own. */
  readonly severity?: Severity;
  /** It was shut on purpose. */
  readonly byOrder?: true;
  readonly text: string;
  /** Changes of state within the window. */
  readonly changes: number;
}

/** Changes that are kept apart; a port that changes more often than this in ten minutes is flapping long since. */
const MAX_CHANGES = 256;

export class PortWatch {
  #last: PortState | null = null;
  #lastMs = 0;
  #everUp = false;
  #changes: { timeMs: number; count: number }[] = [];
  #flapping = false;
  /** What it was reported as that is not over. */
  #reported: PortEdge['kind'] | null = null;
  #downs: number | null = null;
  #downReads = 0;
  #upReads = 0;
  #turned: Interval = { earliestMs: 0, latestMs: 0 };
  /** A drop must last: the card came back, and its ports train. */
  #settling = false;

  /** `wasUp`: it was up when an earlier run read it last, so that one that stays down after a boot is down. */
  constructor(wasUp = false) {
    this.#everUp = wasUp;
    this.#settling = wasUp;
  }

  get everUp(): boolean {
    return this.#everUp;
  }

  /** The card was away: its counters start again, and its ports may take a while. */
  returned(): void {
    this.#downs = null;
    this.#settling = true;
    this.#downReads = 0;
  }

  /** Readings that find the port as the last one did tell nothing: neither it nor what was before it is on the move. */
  get settled(): boolean {
    if (this.#last === null || this.#settling || this.#flapping || this.#changes.length > 0) return false;
    return this.#last.up ? this.#upReads >= UP_READS : this.#downReads > STEADY_DOWN_READS;
  }

  /** Until then readings found a settled port as the last one did. */
  same(timeMs: number): void {
    this.#lastMs = Math.max(this.#lastMs, timeMs);
  }

  /** `timeMs` is when the state was read. */
  update(now: PortState, timeMs: number): PortEdge[] {
    const before = this.#last;
    const interval: Interval = { earliestMs: before === null ? timeMs : this.#lastMs, latestMs: timeMs };
    const wasUp = before?.up ?? now.up;
    const drops = this.#drops(now, wasUp);
    this.#last = now;
    this.#lastMs = timeMs;
    this.#everUp ||= now.up;
    if (now.up !== wasUp || before === null) this.#turned = interval;
    this.#upReads = now.up ? (now.up === wasUp && drops === 0 ? this.#upReads + 1 : 1) : 0;
    this.#downReads = now.up ? 0 : this.#downReads + 1;
    if (now.up) this.#settling = false;
    const ordered = now.byOrder || before?.byOrder === true;
    if (before !== null && !ordered && !this.#settling) this.#count(drops, wasUp, now.up, timeMs);
    return [...this.#flap(interval), ...this.#down(now, drops, wasUp, interval)];
  }

  /** How often the link went down since the last reading, as its counter or the two readings tell. */
  #drops(now: PortState, wasUp: boolean): number {
    const counted = now.downs !== null && this.#downs !== null ? Math.max(0, now.downs - this.#downs) : 0;
    this.#downs = now.downs ?? this.#downs;
    return Math.max(counted, wasUp && !now.up ? 1 : 0);
  }

  #count(drops: number, wasUp: boolean, isUp: boolean, timeMs: number): void {
    // Each drop but the last is followed by a return; whether the last one is, and the first was, the states tell.
    const count = 2 * drops + (isUp ? 1 : 0) - (wasUp ? 1 : 0);
    if (count > 0) this.#changes.push({ timeMs, count });
    if (this.#changes.length > MAX_CHANGES) this.#changes.shift();
  }

  #flap(interval: Interval): PortEdge[] {
    const since = interval.latestMs - FLAP_WINDOW_MS;
    this.#changes = this.#changes.filter(({ timeMs }) => timeMs >= since);
    const changes = this.#changes.reduce((sum, { count }) => sum + count, 0);
    const text = `${changes} changes of the port's state in ${FLAP_WINDOW_MS / 60_000} minutes`;
    if (!this.#flapping && changes >= FLAP_CHANGES) {
      this.#flapping = true;
      const once = this.#reported === 'nic.link_flap' ? this.#droppedNoMore(interval) : [];
      return [...once, { kind: 'nic.link_flap', state: 'onset', interval, text, changes }];
    }
    if (this.#flapping && changes === 0) {
      this.#flapping = false;
      return [{ kind: 'nic.link_flap', state: 'clear', interval, text, changes }];
    }
    return [];
  }

  /** That it dropped once is over: it flaps, or stays down. */
  #droppedNoMore(interval: Interval): PortEdge[] {
    this.#reported = null;
    return [{ kind: 'nic.link_flap', state: 'clear', interval, text: 'it dropped again', changes: 0 }];
  }

  #down(now: PortState, drops: number, wasUp: boolean, interval: Interval): PortEdge[] {
    const changes = this.#changes.reduce((sum, { count }) => sum + count, 0);
    if (this.#reported === 'nic.link_flap' && !now.up)
      return [...this.#droppedNoMore(interval), ...this.#down(now, drops, wasUp, interval)];
    if (this.#reported !== null) {
      if (this.#upReads < UP_READS) return [];
      const kind = this.#reported;
      this.#reported = null;
      return [{ kind, text: now.text, changes, state: 'clear', interval: this.#turned }];
    }
    if (!this.#everUp) return [];
    const unsteady = this.#flapping || this.#settling;
    const fresh = drops > 0 && (wasUp || !now.up) && !unsteady;
    const steady = unsteady && this.#downReads === STEADY_DOWN_READS;
    if (!fresh && !steady) return [];
    // It is up: it dropped once, and nothing waits for it.
    const once = fresh && now.up;
    this.#reported = once ? 'nic.link_flap' : 'nic.port_down';
    if (once) this.#turned = interval;
    const text = once ? `down and up again between two readings (${now.text})` : now.text;
    const order = now.byOrder
      ? { severity: 'info' as const, byOrder: true as const }
      : once
        ? { severity: 'warning' as const }
        : {};
    return [
      { kind: this.#reported, text, changes, ...order, state: 'onset', interval: steady ? this.#turned : interval },
    ];
  }
}
