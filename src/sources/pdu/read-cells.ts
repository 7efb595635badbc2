// Reads planned objects of a PDU and decodes them.

import type { Component } from '../../model/component.ts';
import { componentText } from '../../model/component.ts';
import type { DeviceState, Reading } from '../../model/reading.ts';
import { seriesKey } from '../../model/reading.ts';
import type { SampleBatch } from '../../model/record.ts';
import { keyOf } from './cell-keys.ts';
import { decodeReading, decodeWord, rawNumber, readingState } from './decode.ts';
import type { PduPlan, PlannedCell } from './pdu-plan.ts';
import type { SnmpRequests, Timed } from './request.ts';

const UNREAD: Partial<Timed> = {};
/** Components that one warning names. */
const MOST_NAMED = 4;

/** One decoded object. `field` is the quantity, "load_state", "condition", or the name of a state; null = the device does not know. */
export interface PduCell {
  readonly component: Component;
  readonly field: string;
  readonly value: number | string | null;
  readonly unit: string | null;
  /** For load_state and condition: the quantity that it qualifies. */
  readonly of: string | null;
  /** False when the object was not answered at all. */
  readonly answered: boolean;
  readonly timeMs: number;
}

/** Reads `cells` in batches; every cell of a batch carries the batch's time. Rejects with SnmpError. */
export async function readCells(
  requests: SnmpRequests,
  plan: PduPlan,
  cells: readonly PlannedCell[],
): Promise<PduCell[]> {
  return decodeCells(plan, cells, await requests.get(oidsOf(cells)));
}

/** What to ask for to know `cells`: each object once. */
export function oidsOf(cells: readonly PlannedCell[]): string[] {
  return [...new Set(cells.flatMap(({ oid, guard }) => (guard === undefined ? [oid] : [oid, guard.oid])))];
}

/** Decodes what was answered to `oidsOf(cells)`. */
export function decodeCells(plan: PduPlan, cells: readonly PlannedCell[], values: readonly Timed[]): PduCell[] {
  const byOid = new Map(values.map((value) => [value.oid, value]));
  return cells.map(({ oid, component, column, scale, guard }) => {
    const { value = null, counter64 = false, timeMs = 0 } = byOid.get(oid) ?? UNREAD;
    const answered = value !== null;
    if (column.is === 'reading') {
      const guarded = guard?.values.includes(rawNumber(byOid.get(guard.oid)?.value) ?? 0) === true;
      const absent = column.absent ?? plan.absent;
      const counts = column.unit === 'J';
      const decoded = guarded ? null : decodeReading(value, scale ?? column.scale, absent, counter64, counts);
      const tenths = decoded !== null && column.tenths_above !== undefined && decoded > column.tenths_above;
      const si = tenths ? decoded / 10 : decoded;
      return { component, answered, timeMs, field: column.quantity, value: si, unit: column.unit, of: null };
    }
    const word = decodeWord(value, column.values);
    const state = column.is === 'state';
    const field = state ? column.name : column.is;
    return { component, answered, timeMs, field, value: word, unit: null, of: state ? null : column.of };
  });
}

/** Samples of what was read: numbers only, nothing for null. Null when there is nothing to tell. */
export function samplesOf(cells: readonly PduCell[]): SampleBatch | null {
  const known = cells.filter((cell): cell is PduCell & { value: number } => typeof cell.value === 'number');
  if (known.length === 0) return null;
  return {
    source: 'pdu',
    trust: 'facility',
    keys: known.map((cell) => keyOf(cell.component, cell.field)),
    timesMs: known.map((cell) => cell.timeMs),
    values: known.map((cell) => cell.value),
  };
}

/** Both as one. */
export function together(one: SampleBatch | null, other: SampleBatch | null): SampleBatch | null {
  if (one === null || other === null) return one ?? other;
  return {
    ...one,
    keys: [...one.keys, ...other.keys],
    timesMs: [...one.timesMs, ...other.timesMs],
    values: [...one.values, ...other.values],
  };
}

/** The cells as a readings document shows them: a load state qualifies the reading of its quantity, other words are states. */
export function readingsOf(cells: readonly PduCell[]): {
  readings: Reading[];
  states: DeviceState[];
  warnings: string[];
} {
  const readings: Reading[] = [];
  const states: DeviceState[] = [];
  /** What is not known, with the components of which it is not. */
  const unknown = new Map<string, string[]>();
  const loads = new Map<string, string>();
  const keyOf = (cell: PduCell, field: string) => seriesKey(componentText(cell.component), field);
  const reported = new Set(cells.filter((cell) => cell.unit !== null).map((cell) => keyOf(cell, cell.field)));
  for (const cell of cells) {
    if (cell.of !== null && typeof cell.value === 'string') loads.set(keyOf(cell, cell.of), cell.value);
  }
  for (const cell of cells) {
    const component = componentText(cell.component);
    if (cell.unit !== null && typeof cell.value !== 'string') {
      const load = loads.get(seriesKey(component, cell.field));
      const reading = { component, quantity: cell.field, value: cell.value, unit: cell.unit };
      readings.push(load === undefined ? reading : { ...reading, state: readingState(load) });
      if (cell.value === null) {
        const what = `${cell.field} ${cell.answered ? 'is not known to the device' : 'is not answered'}`;
        unknown.set(what, [...(unknown.get(what) ?? []), component]);
      }
    } else if (typeof cell.value === 'string' && (cell.of === null || !reported.has(keyOf(cell, cell.of)))) {
      states.push({
        component,
        name: cell.field === 'condition' ? `${cell.of}_condition` : cell.field,
        value: cell.value,
      });
    }
  }
  const warnings = [...unknown].map(([what, of]) => {
    const more = of.length - MOST_NAMED;
    return `${of.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}: ${what}`;
  });
  return { readings, states, warnings };
}
