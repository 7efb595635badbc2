// Meaning of a trap: which event it announces and of which part, by the catalogue and by the objects that it carries. Pure.

import { type Component, componentText } from '../../../model/component.ts';
import type { EventInput } from '../../../model/record.ts';
import type { Severity } from '../../../model/severity.ts';
import type { TrapRule } from '../catalogue.ts';
import { decodeWord } from '../decode.ts';
import { oidSuffix } from '../oid.ts';
import type { PduPlan, PlannedCell } from '../pdu-plan.ts';
import type { Trap } from './trap.ts';

export interface Meaning {
  /** As the vendor's MIB calls it, or its identifier. */
  readonly name: string;
  /** Null where it says only that something changed. */
  readonly kind: EventInput['kind'] | null;
  readonly onset: boolean;
  readonly component: Component;
  readonly severity?: Severity;
}

/** Words of states that are an event of a kind, as traps carry them. */
const BAD: Readonly<Record<string, Readonly<Record<string, EventInput['kind']>>>> = {
  breaker: { open: 'power.breaker_trip' },
  outlet: { off: 'power.outlet_off' },
  source: { battery: 'power.source_transfer', bypass: 'power.source_transfer' },
  redundancy: { lost: 'power.redundancy_lost' },
  load_state: { near_overload: 'power.overload', overload: 'power.overload' },
  condition: {
    low_warning: 'power.voltage_sag',
    low_critical: 'power.voltage_sag',
    high_warning: 'power.voltage_swell',
    high_critical: 'power.voltage_swell',
  },
};

export function meaningOf(trap: Trap, plan: PduPlan): Meaning {
  const root = plan.parts[0]?.component ?? { type: 'pdu', id: '' };
  const rule = plan.traps.find(({ oid }) => trap.oids.includes(oid));
  const name = rule?.name ?? trap.oids[0] ?? '';
  const carried = states(trap, plan);
  const bad = carried.find(({ kind }) => kind !== null);
  const component = bad?.component ?? carried[0]?.component ?? partOf(trap, plan, rule) ?? root;
  if (rule?.kind !== undefined) {
    const { kind, state, severity } = rule;
    return { name, kind, onset: state !== 'clear', component, ...(severity === undefined ? {} : { severity }) };
  }
  return { name, kind: bad?.kind ?? null, onset: true, component };
}

/** Objects of the trap that are states which the plan reads. */
function states(trap: Trap, plan: PduPlan): { component: Component; kind: EventInput['kind'] | null }[] {
  return trap.varbinds.flatMap(({ oid, value }) => {
    const cells = plan.cells.filter((cell) => cell.oid === oid);
    return cells.flatMap(({ column, component }) => {
      if (column.is === 'reading') return [];
      const word = decodeWord(value, column.values) ?? 'unknown';
      const field = column.is === 'state' ? column.name : column.is;
      if (field === 'condition' && column.is === 'condition' && column.of !== 'voltage') return [];
      return [{ component, kind: BAD[field]?.[word] ?? null }];
    });
  });
}

/** By an index: a row of a table that the plan reads; by a number: of the phase, bank or outlet that the rule says. */
function partOf(trap: Trap, plan: PduPlan, rule: TrapRule | undefined): Component | null {
  for (const { component, number } of rule?.parts ?? []) {
    const varbind = trap.varbinds.find(({ oid }) => oidSuffix(number, oid) !== null);
    const value = Number(varbind?.value);
    // A trap of a phase has no bank, and the number is 0 then.
    if (!Number.isInteger(value) || value <= 0) continue;
    const part = plan.parts.find(
      (each) => each.component.type === component && each.component.id.endsWith(`/${value}`),
    );
    if (part !== undefined) return part.component;
  }
  for (const { oid } of trap.varbinds) {
    const cell = plan.cells.find((each) => isSameRow(each, oid));
    if (cell !== undefined) return cell.component;
  }
  return null;
}

/** Another column of the row that a cell is of. */
function isSameRow({ oid, index, column }: PlannedCell, other: string): boolean {
  if (column.type !== undefined || !index.includes('.')) return false;
  const row = `.${index}`;
  const entry = oid.slice(0, -row.length).split('.').slice(0, -1).join('.');
  return other.endsWith(row) && other.startsWith(`${entry}.`) && other.split('.').length === oid.split('.').length;
}

export function describeTrap({ name, component }: Meaning): string {
  return `trap ${name} of ${componentText(component)}`;
}
