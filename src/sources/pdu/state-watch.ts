// Sees events in states and counters that a PDU or UPS tells by itself: breakers, sources, redundancy, voltage out of its limits. No I/O.

import type { EventInput } from '../../model/record.ts';
import type { Severity } from '../../model/severity.ts';
import { nameOf } from './cell-keys.ts';
import { type Known, type LastValues, lastKey, pduEvent } from './pdu-event.ts';
import type { PduCell } from './read-cells.ts';

/** What a word of a state means; `from`: words before, of which one is needed (a state that is bad from the start is not an event). */
interface StateRule {
  readonly kind: EventInput['kind'];
  readonly bad: readonly string[];
  readonly good: readonly string[];
  /** It counts at the first reading as well: never the state of something that is as it should be. */
  readonly atFirst: boolean;
  readonly severity?: Severity;
}

const RULES: Readonly<Record<string, readonly StateRule[]>> = {
  breaker: [{ kind: 'power.breaker_trip', bad: ['open'], good: ['closed'], atFirst: false }],
  source: [
    {
      kind: 'power.source_transfer',
      bad: ['battery', 'bypass'],
      good: ['normal', 'booster', 'reducer'],
      atFirst: true,
    },
  ],
  redundancy: [{ kind: 'power.redundancy_lost', bad: ['lost'], good: ['full'], atFirst: true }],
  output: [{ kind: 'power.feed_lost', bad: ['failed'], good: ['normal'], atFirst: false }],
  condition: [
    { kind: 'power.voltage_sag', bad: ['low_warning', 'low_critical'], good: ['normal'], atFirst: false },
    { kind: 'power.voltage_swell', bad: ['high_warning', 'high_critical'], good: ['normal'], atFirst: false },
  ],
};
/** Numbers that an event is read from. */
const COUNTED: ReadonlySet<string> = new Set(['line_bads', 'voltage_minimum']);
/** Inputs of a transfer switch: which of them carries is not a fault, a change is an event. */
const INPUTS: ReadonlySet<string> = new Set(['a', 'b']);

export class StateWatch {
  /** Conditions that were reported and not cleared: kind and component. */
  readonly #open = new Set<string>();

  observe(cells: readonly PduCell[], last: LastValues, observedMs: number): EventInput[] {
    // Nearly all are plain numbers, which are for the detectors.
    const meant = cells.filter(({ field, value }) => typeof value === 'string' || COUNTED.has(field));
    return meant.flatMap((cell) => {
      const before = last.get(lastKey(cell.component, cell.field));
      if (cell.field === 'line_bads') return counted(cell, before, observedMs);
      if (cell.field === 'voltage_minimum') return dipped(cell, before, voltageOf(cell, cells, last), observedMs);
      if (typeof cell.value !== 'string' || (cell.field === 'condition' && cell.of !== 'voltage')) return [];
      if (cell.field === 'source' && INPUTS.has(cell.value))
        return this.#switched(cell, cell.value, before, observedMs);
      const word = cell.value;
      return (RULES[cell.field] ?? []).flatMap((rule) => this.#state(cell, word, rule, before, observedMs));
    });
  }

  #state(cell: PduCell, word: string, rule: StateRule, before: Known | undefined, observedMs: number): EventInput[] {
    const name = nameOf(cell.component);
    const key = `${rule.kind} ${name}`;
    const field = cell.field === 'condition' ? 'voltage' : cell.field;
    const text = `${name}: ${field} ${word}${before === undefined ? ' at the first reading' : `, was ${before.value}`}`;
    const times = { afterMs: before?.timeMs ?? null, timeMs: cell.timeMs, observedMs };
    const attributes = { [field]: word, was: before?.value ?? null, inferred: false };
    const more = { attributes, ...(rule.severity === undefined ? {} : { severity: rule.severity }) };
    if (rule.bad.includes(word) && !this.#open.has(key)) {
      if (!rule.atFirst && (before === undefined || !rule.good.includes(String(before.value)))) return [];
      this.#open.add(key);
      return [pduEvent(rule.kind, 'onset', cell.component, times, text, more)];
    }
    if (rule.good.includes(word) && this.#open.delete(key)) {
      return [pduEvent(rule.kind, 'clear', cell.component, times, text, more)];
    }
    return [];
  }

  /** The load has no gap where the switch does what it is for: a warning. */
  #switched(cell: PduCell, word: string, before: Known | undefined, observedMs: number): EventInput[] {
    if (before === undefined || before.value === word || !INPUTS.has(String(before.value))) return [];
    const name = nameOf(cell.component);
    const times = { afterMs: before.timeMs, timeMs: cell.timeMs, observedMs };
    const text = `${name}: carries input ${word.toUpperCase()}, was ${String(before.value).toUpperCase()}`;
    const attributes = { source: word, was: before.value };
    return [
      pduEvent('power.source_transfer', 'point', cell.component, times, text, { severity: 'warning', attributes }),
    ];
  }
}

/** A UPS counts how often its input was out of tolerance: what happened between two polls shows here alone. */
function counted(cell: PduCell, before: Known | undefined, observedMs: number): EventInput[] {
  if (typeof cell.value !== 'number' || typeof before?.value !== 'number' || cell.value <= before.value) return [];
  const times = cell.value - before.value;
  const name = nameOf(cell.component);
  const text = `${name}: its input was out of tolerance ${times} ${times === 1 ? 'time' : 'times'} between two polls`;
  const interval = { afterMs: before.timeMs, timeMs: cell.timeMs, observedMs };
  return [
    pduEvent('power.voltage_sag', 'point', cell.component, interval, text, {
      severity: 'warning',
      attributes: { input: true, counted: times },
    }),
  ];
}

/** Under this share of what is there now, the least voltage was a sag (IEC 61000-4-30). */
const SAG = 0.9;

function voltageOf(cell: PduCell, cells: readonly PduCell[], last: LastValues): number {
  const name = nameOf(cell.component);
  const now = cells.find(({ component, field }) => field === 'voltage' && nameOf(component) === name)?.value;
  const value = now ?? last.get(lastKey(name, 'voltage'))?.value;
  return typeof value === 'number' ? value : 0;
}

/** The least voltage that the device keeps fell: a sag between two polls, over by now. */
function dipped(cell: PduCell, before: Known | undefined, volts: number, observedMs: number): EventInput[] {
  const { value } = cell;
  if (typeof value !== 'number' || typeof before?.value !== 'number') return [];
  if (value >= before.value || value >= SAG * volts) return [];
  const name = nameOf(cell.component);
  const text = `${name}: its least voltage fell to ${value} V, was ${before.value} V; it has ${volts} V now`;
  const times = { afterMs: before.timeMs, timeMs: cell.timeMs, observedMs };
  const attributes = { minimum_v: value, volts };
  return [pduEvent('power.voltage_sag', 'point', cell.component, times, text, { severity: 'warning', attributes })];
}
