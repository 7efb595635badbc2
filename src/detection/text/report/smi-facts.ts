// What nvidia-smi and DCGM report of a GPU, by the path of a value: readings, states, and faults that the value means.

import catalog from '#catalog/nvidia-smi.json' with { type: 'json' };
import { type Component, componentText } from '../../../model/component.ts';
import type { Kind } from '../../../model/kind.ts';
import type { Severity } from '../../../model/severity.ts';
import type { Finding } from '../kernel/finding.ts';
import { quantityOf, type Reported } from './report.ts';

interface ReadingRow {
  readonly path: RegExp;
  readonly quantity: string;
  readonly unit?: string;
}

interface EventRow {
  readonly path: RegExp;
  readonly value: RegExp;
  readonly kind: Kind;
  readonly severity?: Severity;
  readonly action?: string;
}

// The casts narrow words to their closed lists; test/catalog/nvidia-smi.test.ts checks every row against those lists.
const READINGS = catalog.readings.map((row) => ({ ...row, path: new RegExp(row.path) })) as readonly ReadingRow[];
const STATES = catalog.states.map((path) => new RegExp(path));
const EVENTS = catalog.events.map((row) => ({
  ...row,
  path: new RegExp(row.path),
  value: new RegExp(row.value),
})) as readonly EventRow[];

/** "HW Power Brake Slowdown" as "hw_power_brake_slowdown". */
export function pathName(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_');
}

/** `path`: names from the outside in, joined by "/". */
export function factsOf(path: string, text: string, gpu: Component | null, unit?: string): Reported {
  const value = text.trim();
  const component = gpu === null ? '' : componentText(gpu);
  const reading = READINGS.find((row) => row.path.test(path));
  const quantity = reading === undefined ? null : quantityOf(value, unit ?? reading.unit);
  const word = pathName(value);
  const name = path.slice(path.lastIndexOf('/') + 1);
  return {
    readings:
      reading === undefined || quantity === null ? [] : [{ component, quantity: reading.quantity, ...quantity }],
    states: STATES.some((row) => row.test(path)) ? [{ component, name, value: stateOf(word, value) }] : [],
    findings: EVENTS.flatMap((row) =>
      row.path.test(path) && row.value.test(word) ? [findingOf(row, gpu, name, value)] : [],
    ),
  };
}

function stateOf(word: string, value: string): string {
  return word === 'not_active' ? 'inactive' : word === 'active' ? word : value;
}

function findingOf({ kind, severity, action }: EventRow, gpu: Component | null, name: string, value: string): Finding {
  const attributes = { reported_as: name, value, ...(action === undefined ? {} : { action }) };
  return { kind, component: gpu, attributes, ...(severity === undefined ? {} : { severity }) };
}
