// Sees events in what a PDU reports from poll to poll: overload, outlets switched, breakers that must have opened. No I/O.

import type { EventInput } from '../../model/record.ts';
import type { Severity } from '../../model/severity.ts';
import { TripWatch } from './breaker-trip.ts';
import { nameOf } from './cell-keys.ts';
import { type Known, lastKey, pduEvent } from './pdu-event.ts';
import type { PduPart } from './pdu-plan.ts';
import type { PduCell } from './read-cells.ts';
import { StateWatch } from './state-watch.ts';

const LOAD_RANK: Record<string, number> = { low_load: 0, normal: 0, near_overload: 1, overload: 2 };
const LOAD_SEVERITY: readonly Severity[] = ['info', 'warning', 'error'];

/** Share of the reading before at which one is sudden: of a voltage where a sag begins (IEC 61000-4-30), of a current at nothing. */
const SUDDEN: Readonly<Record<string, number>> = { voltage: 0.9, input_voltage: 0.9, current: 0 };

export class PduWatch {
  readonly #last = new Map<string, Known>();
  /** Rank of the overload that was reported and not cleared, by component text. */
  readonly #overloads = new Map<string, number>();
  readonly #outletsOff = new Set<string>();
  readonly #states = new StateWatch();
  #trips: TripWatch;

  constructor(parts: readonly PduPart[]) {
    this.#trips = new TripWatch(parts);
  }

  /** New parts after a rediscovery: what was loaded before says nothing about them; open conditions stay open. */
  restart(parts: readonly PduPart[]): void {
    this.#trips = new TripWatch(parts);
    for (const key of [...this.#last.keys()]) if (key.endsWith('#current')) this.#last.delete(key);
  }

  /** Outlets to read at once: those of branches whose current fell to zero in `cells`. */
  suspects(cells: readonly PduCell[]): ReadonlySet<string> {
    return this.#trips.suspects(cells, this.#last);
  }

  /** A voltage fell below a sag's limit of what it was, or a current of a part that carried some to nothing: a second poll is to say so. */
  isSudden(cells: readonly PduCell[]): boolean {
    return cells.some(({ component, field, value }) => {
      const share = SUDDEN[field];
      if (share === undefined || typeof value !== 'number' || component.type === 'pdu_outlet') return false;
      const before = this.#last.get(lastKey(component, field))?.value;
      return typeof before === 'number' && before > 0 && value <= share * before;
    });
  }

  /** Events that the cells of one poll show; keeps their values for the next. */
  observe(cells: readonly PduCell[], observedMs: number): EventInput[] {
    const events = this.#trips.observe(cells, this.#last, observedMs);
    events.push(...this.#states.observe(cells, this.#last, observedMs));
    for (const cell of cells) {
      if (cell.value === null) continue;
      const key = lastKey(cell.component, cell.field);
      const before = this.#last.get(key);
      if (typeof cell.value === 'string') {
        if (cell.field === 'load_state') events.push(...this.#load(cell, cell.value, before, observedMs));
        if (cell.field === 'outlet') events.push(...this.#outlet(cell, cell.value, before, observedMs));
      }
      this.#last.set(key, { value: cell.value, timeMs: cell.timeMs });
    }
    return events;
  }

  #load(cell: PduCell, word: string, before: Known | undefined, observedMs: number): EventInput[] {
    const rank = LOAD_RANK[word];
    if (rank === undefined) return []; // not supported or unknown: neither onset nor clear
    const key = nameOf(cell.component);
    const active = this.#overloads.get(key) ?? 0;
    if (rank === 0) this.#overloads.delete(key);
    else this.#overloads.set(key, rank);
    const times = { afterMs: before?.timeMs ?? null, timeMs: cell.timeMs, observedMs };
    const text = `${key}: load state ${word}${before ? `, was ${before.value}` : ' at the first reading'}`;
    const attributes = { load_state: word, was: before?.value ?? null };
    if (rank > active) {
      return [
        pduEvent('power.overload', 'onset', cell.component, times, text, {
          severity: LOAD_SEVERITY[rank] ?? 'error',
          attributes,
        }),
      ];
    }
    if (rank === 0 && active > 0) {
      return [
        pduEvent('power.overload', 'clear', cell.component, times, text, {
          severity: LOAD_SEVERITY[active] ?? 'error',
          attributes,
        }),
      ];
    }
    return [];
  }

  #outlet(cell: PduCell, word: string, before: Known | undefined, observedMs: number): EventInput[] {
    const key = nameOf(cell.component);
    const times = { afterMs: before?.timeMs ?? null, timeMs: cell.timeMs, observedMs };
    const text = `${key}: outlet ${word}${before ? `, was ${before.value}` : ''}`;
    if (word === 'off' && before?.value === 'on') {
      this.#outletsOff.add(key);
      return [pduEvent('power.outlet_off', 'onset', cell.component, times, text)];
    }
    if (word === 'on' && this.#outletsOff.delete(key)) {
      return [pduEvent('power.outlet_off', 'clear', cell.component, times, text)];
    }
    return [];
  }
}
