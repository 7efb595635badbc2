// Finds out what a PDU is and which of the catalogue's tables, rows and columns it answers.

import type { Component, ComponentType } from '../../model/component.ts';
import {
  catalogueOrder,
  columnOid,
  type FactColumn,
  isPolled,
  type PduCatalogue,
  type PduColumn,
  type PduModule,
  type PduTable,
} from './catalogue.ts';
import { decodeReading, decodeWord, descriptionToken, rawNumber, rawText } from './decode.ts';
import { normalOid, oidSuffix } from './oid.ts';
import type { PduPart, PduPlan, PlannedCell } from './pdu-plan.ts';
import type { SnmpRequests, Timed } from './request.ts';
import { SnmpError } from './snmp-error.ts';

export const SYS_UP_TIME = '1.3.6.1.2.1.1.3.0';
const SYS_DESCR = '1.3.6.1.2.1.1.1.0';
const SYS_OBJECT_ID = '1.3.6.1.2.1.1.2.0';

export interface DiscoverOptions {
  /** Read only these modules of the catalogue; all where left out. */
  readonly modules?: readonly string[];
}

/** Rejects with SnmpError: `not_a_pdu` where the device answers but has none of the catalogue's tables. */
export async function discoverPdu(
  requests: SnmpRequests,
  name: string,
  options: DiscoverOptions = {},
): Promise<PduPlan> {
  requests.patient = true;
  try {
    return await discover(requests, name, options);
  } finally {
    requests.patient = false;
  }
}

async function discover(requests: SnmpRequests, name: string, options: DiscoverOptions): Promise<PduPlan> {
  const [description, objectId, uptime] = await requests.get([SYS_DESCR, SYS_OBJECT_ID, SYS_UP_TIME]);
  const descriptionText = Buffer.isBuffer(description?.value) ? description.value.toString('latin1') : '';
  const objectIdText = normalOid(rawText(objectId?.value) ?? '');
  const uptimeTicks = rawNumber(uptime?.value);

  for (const catalogue of catalogueOrder(objectIdText)) {
    const wanted = catalogue.modules.filter((module) => options.modules?.includes(module.name) ?? true);
    const probes = await requests.first(wanted.map((module) => `${module.base}.${module.probe}`));
    const modules = wanted.filter((_, i) => probes[i] !== null && probes[i] !== undefined);
    if (modules.length === 0) continue;

    const found = new Found(name);
    for (const module of modules) {
      const taken = found.types();
      for (const table of module.tables) {
        try {
          await addTable(requests, catalogue, module, table, taken, found);
        } catch (error) {
          // What was found already stays; the table is looked for again.
          if (!(error instanceof SnmpError) || error.fault !== 'timeout' || found.cells.length === 0) throw error;
          found.partial = true;
          found.warnings.push(`${table.name}: some answers were lost, so that it is not read`);
        }
      }
    }
    if (found.cells.length === 0) continue;
    return {
      identity: await identity(requests, catalogue, modules, descriptionText),
      partial: found.partial,
      absent: catalogue.absent,
      parts: found.all(),
      cells: found.cells,
      warnings: found.warnings,
      uptime: uptimeTicks,
    };
  }
  const what = rawText(descriptionText) ?? 'no description';
  throw new SnmpError('not_a_pdu', requests.session.peer, `sysObjectID ${objectIdText || 'absent'}, "${what}"`);
}

interface Draft {
  component: Component;
  label: string | null;
  phases: readonly string[];
  branch: string | null;
  ratingA: number | null;
}

/** Parts and cells so far; rows of several tables that name the same component are one part. */
class Found {
  readonly cells: PlannedCell[] = [];
  readonly warnings: string[] = [];
  /** A table could not be read. */
  partial = false;
  readonly #name: string;
  readonly #parts = new Map<string, Draft>();

  constructor(name: string) {
    this.#name = name;
    this.part('pdu', '1');
  }

  /** Component types that have cells already. */
  types(): ReadonlySet<ComponentType> {
    return new Set(this.cells.map((cell) => cell.component.type));
  }

  part(type: ComponentType, number: string): Draft {
    const root = `pdu/${this.#name}`;
    const isRoot = type === 'pdu' && number === '1';
    const id = isRoot ? this.#name : `${this.#name}/${number}`;
    const key = `${type}/${id}`;
    const known = this.#parts.get(key);
    if (known) return known;
    const component: Component = isRoot ? { type, id } : { type, id, parent: root };
    const draft = { component, label: null, phases: [], branch: null, ratingA: null };
    this.#parts.set(key, draft);
    return draft;
  }

  all(): PduPart[] {
    return [...this.#parts.values()];
  }
}

async function addTable(
  requests: SnmpRequests,
  catalogue: PduCatalogue,
  module: PduModule,
  table: PduTable,
  taken: ReadonlySet<ComponentType>,
  found: Found,
): Promise<void> {
  const rules = table.parts.filter((rule) => !taken.has(rule.component));
  if (rules.length === 0) return;
  const firsts = await requests.first(table.columns.map((column) => columnOid(module, table, column)));
  const answered = table.columns.filter((_, i) => firsts[i] !== null && firsts[i] !== undefined);
  const lead = answered.find((column) => column.entry === undefined);
  if (lead === undefined) return;

  const indexes = await requests.rows(columnOid(module, table, lead));
  const facts = await readFacts(requests, module, table, answered, indexes);
  const numbers = indexes.map((index) => facts.number(table.parts[0]?.number, index));
  const rows: { index: string; draft: Draft }[] = [];
  for (const index of indexes) {
    // A row without the column that tells a part from the whole is not a part.
    const rule = table.parts.find(({ when }) => when === undefined || (facts.number(when.column, index) ?? when.equals) === when.equals); // biome-ignore format: one rule
    if (rule === undefined || taken.has(rule.component)) continue;
    const number = facts.number(rule.number, index);
    // A number that several rows share (a chain of PDUs) names nothing; the index does.
    const shared = table.parts.length === 1 && numbers.filter((other) => other === number).length > 1;
    const named = number !== null && number > 0 && !shared;
    const draft = found.part(rule.component, named ? String(number) : index === '0' ? '1' : index);
    facts.describe(draft, index, catalogue);
    rows.push({ index, draft });
  }
  for (const column of answered.filter(isPolled)) {
    for (const { index, draft } of rows) {
      found.cells.push({
        oid: columnOid(module, table, column, index),
        component: draft.component,
        column,
        poll: column.poll,
      });
    }
  }
  if (rows.length === 0) return;
  for (const column of table.columns.filter(isPolled)) {
    if (!answered.includes(column))
      found.warnings.push(`${table.name}: the device does not answer ${columnName(column)}`);
  }
}

function columnName(column: PduColumn): string {
  if (column.is === 'reading') return column.quantity;
  return column.is === 'state' ? column.name : column.is;
}

class Facts {
  readonly #columns: readonly FactColumn[];
  readonly #values: ReadonlyMap<string, Timed>;

  constructor(columns: readonly FactColumn[], values: ReadonlyMap<string, Timed>) {
    this.#columns = columns;
    this.#values = values;
  }

  static key(column: { entry?: string; column: number }, index: string): string {
    return `${column.entry ?? ''}#${column.column}#${index}`;
  }

  number(column: number | undefined, index: string): number | null {
    return column === undefined ? null : rawNumber(this.#values.get(Facts.key({ column }, index))?.value);
  }

  describe(draft: Draft, index: string, catalogue: PduCatalogue): void {
    for (const column of this.#columns) {
      const value = this.#values.get(Facts.key(column, index))?.value;
      if (column.is === 'label') draft.label = rawText(value) ?? draft.label;
      if (column.is === 'rating') draft.ratingA = decodeReading(value, column.scale, catalogue.absent) ?? draft.ratingA;
      if (column.is === 'branch') {
        const branch = rawNumber(value);
        if (branch !== null && branch > 0) draft.branch = String(branch);
      }
      if (column.is === 'phases') {
        const phases = decodeWord(value, column.values);
        if (phases !== null && phases !== 'unknown') draft.phases = phases.split(',');
      }
    }
  }
}

async function readFacts(
  requests: SnmpRequests,
  module: PduModule,
  table: PduTable,
  answered: readonly PduColumn[],
  indexes: readonly string[],
): Promise<Facts> {
  const columns = answered.filter((column): column is FactColumn => !isPolled(column));
  const keys = new Map<string, string>();
  for (const column of columns) {
    for (const index of indexes) keys.set(columnOid(module, table, column, index), Facts.key(column, index));
  }
  const values = await requests.get([...keys.keys()]);
  return new Facts(columns, new Map(values.map((value) => [keys.get(value.oid) ?? '', value])));
}

async function identity(
  requests: SnmpRequests,
  catalogue: PduCatalogue,
  modules: readonly PduModule[],
  description: string,
): Promise<PduPlan['identity']> {
  const result = { vendor: catalogue.vendor, model: null, serial: null, firmware: null } as {
    vendor: string;
    model: string | null;
    serial: string | null;
    firmware: string | null;
  }; // filled in below, first answer wins
  const fields = ['model', 'serial', 'firmware'] as const;
  for (const module of modules) {
    const oids = fields.map((field) => `${module.base}.${module.identity[field]}`);
    const firsts = await requests.first(oids);
    fields.forEach((field, i) => {
      const value = firsts[i];
      if (value && oidSuffix(oids[i] ?? '', value.oid) !== null) result[field] ??= rawText(value.value);
    });
  }
  for (const field of fields) result[field] ??= descriptionToken(description, catalogue.description_tokens[field]);
  return result;
}
