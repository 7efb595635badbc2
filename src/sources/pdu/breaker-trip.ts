// Infers an open breaker where the PDU has no state for it: a branch and its loaded outlets are at 0 A from one poll to the next.

import type { EventInput } from '../../model/record.ts';
import { nameOf } from './cell-keys.ts';
import { type LastValues, lastKey, pduEvent } from './pdu-event.ts';
import type { PduPart } from './pdu-plan.ts';
import type { PduCell } from './read-cells.ts';

/** Outlets that must have gone dark together; one alone may be a server that was switched off. */
const LEAST_OUTLETS = 2;
/** Polls for which the outlets may lag behind the branch: PDU firmware refreshes its tables every one to three seconds. */
const LAG_POLLS = 3;
/** Under this the phase itself is gone, and the breaker is not to blame. V. */
const LIVE_VOLTAGE = 50;

interface Suspicion {
  /** Last poll with current, epoch ms. */
  readonly afterMs: number;
  readonly timeMs: number;
  readonly fromA: number;
  /** Outlets that were on and carried current before, as component text. */
  readonly loaded: readonly string[];
  readonly polls: number;
}

export class TripWatch {
  readonly #branches: readonly PduPart[];
  readonly #outlets: readonly PduPart[];
  readonly #suspicions = new Map<string, Suspicion>();
  readonly #open = new Set<string>();
  /** Outlets (component text) that carry nothing, and did before: since when, epoch ms. */
  readonly #fell = new Map<string, number>();

  constructor(parts: readonly PduPart[]) {
    this.#branches = parts.filter((part) => part.component.type === 'pdu_branch');
    this.#outlets = parts.filter((part) => part.component.type === 'pdu_outlet');
  }

  /** Outlets (component text) of branches that are at 0 A in `cells` and were not, or are under suspicion. */
  suspects(cells: readonly PduCell[], last: LastValues): ReadonlySet<string> {
    const outlets = new Set<string>();
    for (const branch of this.#branches) {
      const now = number(cells, nameOf(branch.component), 'current');
      if (now?.value !== 0) continue;
      const key = nameOf(branch.component);
      if (this.#suspicions.has(key) || before(last, key) > 0)
        for (const outlet of this.#of(branch)) outlets.add(outlet);
    }
    return outlets;
  }

  observe(cells: readonly PduCell[], last: LastValues, observedMs: number): EventInput[] {
    const events: EventInput[] = [];
    this.#noteFalls(cells, last);
    for (const branch of this.#branches) {
      const key = nameOf(branch.component);
      // The device itself says whether it is open.
      if (last.has(lastKey(key, 'breaker'))) continue;
      const now = number(cells, key, 'current');
      if (now === null) continue;
      if (now.value > 0) {
        this.#suspicions.delete(key);
        if (this.#open.delete(key)) {
          const times = { afterMs: last.get(lastKey(key, 'current'))?.timeMs ?? null, timeMs: now.timeMs, observedMs };
          events.push(
            pduEvent('power.breaker_trip', 'clear', branch.component, times, `${key}: carries ${now.value} A again`),
          );
        }
        continue;
      }
      const suspicion = this.#suspicions.get(key) ?? this.#suspect(branch, now.timeMs, last);
      if (suspicion === null || this.#open.has(key)) continue;
      const dark = suspicion.loaded.filter((outlet) => isDark(cells, outlet));
      const alive = this.#of(branch).some((outlet) => (number(cells, outlet, 'current')?.value ?? 0) > 0);
      if (
        dark.length >= LEAST_OUTLETS &&
        dark.length === suspicion.loaded.length &&
        !alive &&
        !phaseGone(cells, branch)
      ) {
        this.#suspicions.delete(key);
        this.#open.add(key);
        const text = `${key}: current fell from ${suspicion.fromA} A to 0 with ${dark.length} outlets that were loaded`;
        const attributes = {
          inferred: true,
          from_a: suspicion.fromA,
          outlets_dark: dark.length,
          rating_a: branch.ratingA,
        };
        events.push(
          pduEvent('power.breaker_trip', 'onset', branch.component, { ...suspicion, observedMs }, text, { attributes }),
        );
      } else if (suspicion.polls >= LAG_POLLS) {
        this.#suspicions.delete(key);
      } else {
        this.#suspicions.set(key, { ...suspicion, polls: suspicion.polls + 1 });
      }
    }
    return events;
  }

  #suspect(branch: PduPart, timeMs: number, last: LastValues): Suspicion | null {
    const key = nameOf(branch.component);
    const known = last.get(lastKey(key, 'current'));
    if (known === undefined || typeof known.value !== 'number' || known.value <= 0) return null;
    const loaded = this.#of(branch).filter(
      // The slow set may read an outlet that went dark with its branch before the fast set reads the branch.
      (outlet) =>
        (before(last, outlet) > 0 || (this.#fell.get(outlet) ?? 0) > known.timeMs) &&
        last.get(lastKey(outlet, 'outlet'))?.value !== 'off',
    );
    if (loaded.length < LEAST_OUTLETS) return null;
    return { afterMs: known.timeMs, timeMs, fromA: known.value, loaded, polls: 1 };
  }

  #noteFalls(cells: readonly PduCell[], last: LastValues): void {
    for (const { component, field, value, timeMs } of cells) {
      if (component.type !== 'pdu_outlet' || field !== 'current' || typeof value !== 'number') continue;
      const key = nameOf(component);
      if (value > 0) this.#fell.delete(key);
      else if (before(last, key) > 0) this.#fell.set(key, timeMs);
    }
  }

  #of(branch: PduPart): string[] {
    const number = branch.component.id.slice(branch.component.id.lastIndexOf('/') + 1);
    return this.#outlets.filter((outlet) => outlet.branch === number).map((outlet) => nameOf(outlet.component));
  }
}

function number(cells: readonly PduCell[], component: string, field: string): { value: number; timeMs: number } | null {
  const cell = cells.find((c) => c.field === field && nameOf(c.component) === component);
  return typeof cell?.value === 'number' ? { value: cell.value, timeMs: cell.timeMs } : null;
}

function before(last: LastValues, component: string): number {
  const value = last.get(lastKey(component, 'current'))?.value;
  return typeof value === 'number' ? value : 0;
}

/** At 0 A though it was not switched off. */
function isDark(cells: readonly PduCell[], outlet: string): boolean {
  const switched = cells.find((c) => c.field === 'outlet' && nameOf(c.component) === outlet)?.value;
  return number(cells, outlet, 'current')?.value === 0 && switched !== 'off';
}

function phaseGone(cells: readonly PduCell[], branch: PduPart): boolean {
  return cells.some(
    (cell) =>
      cell.component.type === 'pdu_phase' &&
      cell.field === 'voltage' &&
      typeof cell.value === 'number' &&
      cell.value < LIVE_VOLTAGE &&
      (branch.phases.length === 0 || branch.phases.some((phase) => cell.component.id.endsWith(`/${phase}`))),
  );
}
