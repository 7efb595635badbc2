// Finds the rows of one table of the catalogue on a device, and which of its objects to read for which part.

import type { ComponentType } from '../../model/component.ts';
import {
  type ColumnPlace,
  columnOid,
  type FactColumn,
  isPolled,
  type PduCatalogue,
  type PduColumn,
  type PduModule,
  type PduTable,
  type PolledColumn,
} from './catalogue.ts';
import { decodeReading, rawNumber } from './decode.ts';
import type { Draft, FoundParts } from './found-parts.ts';
import { partNames } from './part-names.ts';
import type { PlannedCell } from './pdu-plan.ts';
import type { SnmpRequests } from './request.ts';
import { type RowFacts, readFacts } from './row-facts.ts';

/** Rows of a typed table: a PDU of 54 outlets with some twenty sensors each has a thousand. */
const MOST_SENSORS = 4000;

export interface TableAt {
  readonly catalogue: PduCatalogue;
  readonly module: PduModule;
  readonly table: PduTable;
  /** Component types that an earlier module has: they are not taken from this one. */
  readonly taken: ReadonlySet<ComponentType>;
}

interface Rows {
  /** Columns that the device answers. */
  readonly answered: readonly PduColumn[];
  readonly indexes: readonly string[];
  /** In a typed table: which sensors are there, as `<index>.<type>`; null in others. */
  readonly sensors: ReadonlySet<string> | null;
}

export async function addTable(requests: SnmpRequests, at: TableAt, found: FoundParts): Promise<void> {
  const { catalogue, module, table, taken } = at;
  if (table.parts.every((rule) => taken.has(rule.component))) return;
  const rows = await findRows(requests, module, table);
  if (rows === null) return;
  const columns = rows.answered.filter((column): column is FactColumn => !isPolled(column));
  const facts = await readFacts(requests, module, table, columns, rows.indexes);

  const drafts = new Map<string, Draft>();
  for (const [rule, indexes] of partRules(table, rows.indexes, facts)) {
    if (taken.has(rule.component)) continue;
    const named = indexes.map((index) => ({ index, number: facts.number(rule.number, index) }));
    for (const [index, name] of partNames(rule, named, module.first_unit)) {
      const draft = found.part(rule.component, name);
      facts.describe(draft, index, catalogue, module);
      drafts.set(index, draft);
    }
  }
  const present = (column: ColumnPlace, index: string) => rows.sensors?.has(`${index}.${column.type}`) ?? true;
  const cells: PlannedCell[] = [];
  for (const column of rows.answered.filter(isPolled)) {
    for (const [index, { component }] of drafts) {
      if (present(column, index)) cells.push(plannedCell(module, table, column, index, component));
    }
  }
  found.cells.push(...(await scaled(requests, at, cells)));
  if (drafts.size === 0 || rows.sensors !== null) return;
  for (const column of table.columns.filter(isPolled)) {
    if (!rows.answered.some((other) => isPolled(other) && columnName(other) === columnName(column)))
      found.warnings.push(`${table.name}: the device does not answer ${columnName(column)}`);
  }
}

async function findRows(requests: SnmpRequests, module: PduModule, table: PduTable): Promise<Rows | null> {
  if (table.only !== undefined) {
    const [value] = await requests.get([`${module.base}.${table.only.object}`]);
    if (rawNumber(value?.value) !== table.only.equals) return null;
  }
  if (table.typed !== undefined) {
    const all = await requests.rows(columnOid(module, table, table.typed), MOST_SENSORS);
    const indexes = [...new Set(all.map((index) => index.slice(0, index.lastIndexOf('.'))))];
    if (indexes.length === 0) return null;
    const places = [...new Set(table.columns.map((column) => columnOid(module, table, column)))];
    const firsts = await requests.first(places);
    const answers = new Set(places.filter((_, i) => firsts[i] !== null && firsts[i] !== undefined));
    const answered = table.columns.filter((column) => answers.has(columnOid(module, table, column)));
    return { answered, indexes, sensors: new Set(all) };
  }
  const firsts = await requests.first(table.columns.map((column) => columnOid(module, table, column)));
  const all = table.columns.filter((_, i) => firsts[i] !== null && firsts[i] !== undefined);
  const answers = (column: number) => all.some((other) => other.entry === undefined && other.column === column);
  const answered = all.filter((column) => column.is !== 'reading' || !column.unless || !answers(column.unless));
  const lead = answered.find((column) => column.entry === undefined);
  if (lead === undefined) return null;
  const rows = await requests.rows(columnOid(module, table, lead));
  const indexes = await countedRows(requests, module, table, rows);
  return { answered, indexes: await presentRows(requests, module, table, indexes), sensors: null };
}

async function countedRows(
  requests: SnmpRequests,
  module: PduModule,
  table: PduTable,
  indexes: readonly string[],
): Promise<readonly string[]> {
  if (table.count === undefined) return indexes;
  const [value] = await requests.get([`${module.base}.${table.count}`]);
  const count = rawNumber(value?.value);
  return count !== null && count >= 1 ? indexes.slice(0, count) : indexes;
}

async function presentRows(
  requests: SnmpRequests,
  module: PduModule,
  table: PduTable,
  indexes: readonly string[],
): Promise<readonly string[]> {
  const { present } = table;
  if (present === undefined) return indexes;
  const values = await requests.get(indexes.map((index) => columnOid(module, table, { column: present }, index)));
  return indexes.filter((_, i) => (rawNumber(values[i]?.value) ?? -1) >= 0);
}

/** Which rule each row is of; rows that are none are left out. */
function partRules(table: PduTable, indexes: readonly string[], facts: RowFacts) {
  const rules = new Map(table.parts.map((rule) => [rule, [] as string[]]));
  for (const index of indexes) {
    if (table.skip !== undefined && facts.number(table.skip.column, index) === table.skip.equals) continue;
    const rule = table.parts.find(({ when }) => {
      if (when === undefined) return true;
      const value = facts.number(when.column, index);
      // A row without the column that tells a part from the whole is not a part.
      return value === null ? when.without === undefined || when.without === index : value === when.equals;
    });
    if (rule !== undefined) rules.get(rule)?.push(index);
  }
  return rules;
}

function plannedCell(
  module: PduModule,
  table: PduTable,
  column: PolledColumn,
  index: string,
  component: PlannedCell['component'],
): PlannedCell {
  const place = (other: number) => columnOid(module, table, { ...column, column: other }, index);
  const cell = { oid: columnOid(module, table, column, index), index, component, column, poll: column.poll };
  if (column.is !== 'reading') return cell;
  const guard = column.guard && { oid: place(column.guard.column), values: column.guard.values };
  return { ...cell, scale: column.scale, ...(guard ? { guard } : {}) };
}

/** Decimal digits, signedness and tenths, as the device has them. */
async function scaled(requests: SnmpRequests, at: TableAt, cells: readonly PlannedCell[]): Promise<PlannedCell[]> {
  const { module, table, catalogue } = at;
  const oids = new Set<string>();
  const ask = (oid: string) => oids.add(oid);
  const of = (cell: PlannedCell, place: ColumnPlace) =>
    columnOid(
      module,
      table,
      { ...(cell.column.type === undefined ? {} : { type: cell.column.type }), ...place },
      cell.index,
    );
  for (const cell of cells) {
    if (cell.column.is !== 'reading') continue;
    if (cell.column.digits) ask(of(cell, cell.column.digits));
    if (cell.column.signed) ask(of(cell, cell.column.signed.minimum));
    if (cell.column.tenths_above !== undefined) ask(cell.oid);
  }
  const values = new Map((await requests.get([...oids])).map(({ oid, value }) => [oid, value]));
  const isTenths = (cell: PlannedCell): boolean => {
    if (cell.column.is !== 'reading' || cell.column.tenths_above === undefined) return false;
    const value = decodeReading(values.get(cell.oid), cell.column.scale, cell.column.absent ?? catalogue.absent);
    return value !== null && value > cell.column.tenths_above;
  };
  const tenths = new Set(cells.filter(isTenths).map((cell) => cell.column));
  return cells.map((cell) => {
    if (cell.column.is !== 'reading' || cell.scale === undefined) return cell;
    const { digits, signed } = cell.column;
    const shift = digits === undefined ? 0 : (rawNumber(values.get(of(cell, digits))) ?? 0);
    const negative = signed !== undefined && (rawNumber(values.get(of(cell, signed.minimum))) ?? 0) < 0;
    const divide = 10 ** Math.min(Math.max(shift, 0), 9) * (tenths.has(cell.column) ? 10 : 1);
    const oid = negative ? columnOid(module, table, { ...cell.column, column: signed.column }, cell.index) : cell.oid;
    return { ...cell, oid, scale: [cell.scale[0], cell.scale[1] * divide] };
  });
}

export function columnName(column: PduColumn): string {
  if (column.is === 'reading') return column.quantity;
  if (column.is === 'condition') return `${column.of} condition`;
  return column.is === 'state' ? column.name : column.is;
}
