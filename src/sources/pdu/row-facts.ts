// Row facts: what is read once of the rows of a table — numbers, labels, ratings, what a row hangs on.

import {
  type ColumnPlace,
  columnOid,
  type FactColumn,
  type PduCatalogue,
  type PduModule,
  type PduTable,
} from './catalogue.ts';
import { decodeReading, decodeWord, rawNumber, rawText } from './decode.ts';
import type { Draft } from './found-parts.ts';
import { partNames } from './part-names.ts';
import type { SnmpRequests, Timed } from './request.ts';

export class RowFacts {
  readonly #columns: readonly FactColumn[];
  readonly #values: ReadonlyMap<string, Timed>;

  constructor(columns: readonly FactColumn[], values: ReadonlyMap<string, Timed>) {
    this.#columns = columns;
    this.#values = values;
  }

  static key(column: ColumnPlace, index: string): string {
    return `${column.entry ?? ''}#${column.column}#${index}`;
  }

  /** A number of the table's own columns. */
  number(column: number | undefined, index: string): number | null {
    return column === undefined ? null : rawNumber(this.#values.get(RowFacts.key({ column }, index))?.value);
  }

  describe(draft: Draft, index: string, catalogue: PduCatalogue, module: PduModule): void {
    for (const column of this.#columns) {
      const value = this.#values.get(RowFacts.key(column, index))?.value;
      if (column.is === 'label') draft.label = rawText(value) ?? draft.label;
      if (column.is === 'id') draft.id = rawText(value) ?? draft.id;
      if (column.is === 'phase_id') draft.phaseId = rawText(value) ?? draft.phaseId;
      if (column.is === 'rating') {
        draft.ratingA = decodeReading(amperes(value), column.scale, catalogue.absent) ?? draft.ratingA;
      }
      if (column.is === 'branch') {
        if (column.by_id === true) draft.branchId = rawText(value) ?? draft.branchId;
        else draft.branch = branchNumber(value, column.pointer, module) ?? draft.branch;
      }
      if (column.is === 'phases') {
        const phases = decodeWord(value, column.values);
        if (phases !== null && phases !== 'unknown') draft.phases = phases.split(',');
      }
    }
  }
}

/** Some write "16A". */
function amperes(value: unknown): unknown {
  return /^(\d{1,4}(?:\.\d)?) ?A$/.exec(rawText(value) ?? '')?.[1] ?? value;
}

function branchNumber(value: unknown, pointer: number | undefined, module: PduModule): string | null {
  if (pointer !== undefined) {
    const index = (rawText(value) ?? '').split('.').slice(-pointer).join('.');
    const row = { index, number: null };
    return index === '' ? null : (partNames({ component: 'pdu_branch' }, [row], module.first_unit).get(index) ?? null);
  }
  const number = rawNumber(value);
  return number !== null && number > 0 ? String(number) : null;
}

export async function readFacts(
  requests: SnmpRequests,
  module: PduModule,
  table: PduTable,
  columns: readonly FactColumn[],
  indexes: readonly string[],
): Promise<RowFacts> {
  const keys = new Map<string, string>();
  for (const column of columns) {
    for (const index of indexes) keys.set(columnOid(module, table, column, index), RowFacts.key(column, index));
  }
  const values = await requests.get([...keys.keys()]);
  return new RowFacts(columns, new Map(values.map((value) => [keys.get(value.oid) ?? '', value])));
}
