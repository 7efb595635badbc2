// LeftBehind: a setting that was changed on several devices at once and is back on most of them was forgotten on the others.

import { componentText } from '../../model/component.ts';
import type { Kind } from '../../model/kind.ts';
import type { EventInput } from '../../model/record.ts';

/** What one command sets on all devices of a host. */
const SETTINGS: ReadonlySet<Kind> = new Set<Kind>(['gpu.power_limit_changed']);
/** Set one after the other by one hand. */
const TOGETHER_MS = 60_000;
/** So long the other devices may take until they are set back, too. */
const PATIENCE_MS = 60_000;
/** Fewer that are back show no intention. */
const LEAST_BACK = 2;
/** More devices than a host holds. */
const MAX_PLACES = 1024;

interface Changed {
  readonly event: EventInput;
  /** When it was set back; null while it is changed. */
  backMs: number | null;
  reported: boolean;
}

export class LeftBehind {
  /** By kind and place: the last change of each. */
  readonly #changed = new Map<string, Changed>();

  take(event: EventInput): void {
    const { kind, component, state, timeMs } = event;
    if (!SETTINGS.has(kind) || component === null) return;
    const key = `${kind} ${componentText(component)}`;
    const known = this.#changed.get(key);
    if (state === 'clear') {
      if (known !== undefined) known.backMs = timeMs;
    } else if (state === 'onset' && (known !== undefined || this.#changed.size < MAX_PLACES))
      this.#changed.set(key, { event, backMs: null, reported: false });
  }

  get waiting(): boolean {
    return this.#changed.size > 0;
  }

  /** Those that are left, reported again as what they are. */
  settle(nowMs: number): EventInput[] {
    const found: EventInput[] = [];
    for (const one of this.#changed.values()) {
      if (one.backMs !== null || one.reported) continue;
      const fellows = [...this.#changed.values()].filter((other) => areTogether(one, other));
      const back = fellows.flatMap(({ backMs }) => backMs ?? []);
      if (back.length < LEAST_BACK || back.length <= fellows.length - back.length) continue;
      const dueMs = Math.max(...back) + PATIENCE_MS;
      if (nowMs < dueMs) continue;
      one.reported = true;
      found.push(left(one.event, back.length, dueMs, nowMs));
    }
    return found;
  }
}

function areTogether({ event: a }: Changed, { event: b }: Changed): boolean {
  return a.kind === b.kind && Math.abs(a.timeMs - b.timeMs) <= TOGETHER_MS;
}

function left(event: EventInput, back: number, timeMs: number, nowMs: number): EventInput {
  return {
    ...event,
    timeMs,
    interval: { earliestMs: timeMs, latestMs: timeMs },
    observedMs: Math.max(timeMs, nowMs),
    attributes: { ...event.attributes, left_behind: true, set_back_on: back },
    discriminator: `${event.discriminator} left behind`,
  };
}
