// CsvTable: rows of a metrics file whose first line names the columns, as Lightning's CSVLogger writes it.

import { entriesOf } from './framework.ts';
import { readCount } from './number.ts';
import type { StepLine } from './progress.ts';
import { stepFields, stepOf } from './step-fields.ts';

export const TABLES = entriesOf('tables').map((entry) => ({ ...entry, read: stepFields(entry.columns) }));
type TableWords = (typeof TABLES)[number];

const MAX_COLUMNS = 128;
const NAME = /^[A-Za-z_][\w ./-]{0,63}$/;

export class CsvTable {
  readonly #words: TableWords;
  /** Place of each field's column; null until a header was read. */
  #places: ReadonlyMap<string, number> | null = null;
  #columns = 0;

  constructor(words: TableWords) {
    this.#words = words;
  }

  /** A header was read: rows follow, which have no words. */
  get open(): boolean {
    return this.#places !== null;
  }

  /** Null for what is not a row of the table that was begun last. */
  read(line: string): StepLine | null {
    if (!line.includes(',')) return null;
    const cells = line.trim().split(',', MAX_COLUMNS + 1);
    if (cells.length > MAX_COLUMNS) return null;
    if (this.#isHeader(cells) || this.#places === null || cells.length !== this.#columns) return null;
    const text = (field: string): string | null => {
      const cell = cells[this.#places?.get(field) ?? -1];
      return cell === undefined || cell === '' ? null : cell;
    };
    const iteration = readCount(text('iteration') ?? undefined);
    const step = stepOf(this.#words.framework, this.#words.read, (_, field) => text(field));
    // Rows of an evaluation have no loss of the training.
    return iteration === null || step.loss === null ? null : { ...step, iteration, target_iteration: null };
  }

  #isHeader(cells: readonly string[]): boolean {
    if (!cells.every((cell) => NAME.test(cell))) return false;
    const places = new Map<string, number>();
    for (const [field, names] of Object.entries(this.#words.columns)) {
      const place = names.map((name) => cells.indexOf(name)).find((at) => at >= 0);
      if (place !== undefined) places.set(field, place);
    }
    if (!places.has('iteration') || !places.has('loss')) return false;
    this.#places = places;
    this.#columns = cells.length;
    return true;
  }
}
