// CsvTable: rows of a metrics file whose first line names the columns, as Lightning's CSVLogger writes it.

import { entriesOf } from './framework.ts';
import { readNumber } from './number.ts';
import { EMPTY_STEP, type StepLine } from './progress.ts';

export const TABLES = entriesOf('tables');
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

  /** Null for what is not a row of the table that was begun last. */
  read(line: string): StepLine | null {
    if (!line.includes(',')) return null;
    const cells = line.trim().split(',', MAX_COLUMNS + 1);
    if (cells.length > MAX_COLUMNS) return null;
    if (this.#isHeader(cells) || this.#places === null || cells.length !== this.#columns) return null;
    const number = (field: string) => {
      const cell = cells[this.#places?.get(field) ?? -1];
      return cell === undefined || cell === '' ? null : readNumber(cell);
    };
    const finite = (field: string): number | null => {
      const value = number(field);
      return typeof value === 'number' ? value : null;
    };
    const iteration = finite('iteration');
    // Rows of an evaluation have no loss of the training.
    const loss = number('loss');
    if (iteration === null || !Number.isSafeInteger(iteration) || iteration < 0 || loss === null) return null;
    const stepTimeS = finite('step_time_s');
    return {
      ...EMPTY_STEP,
      framework: this.#words.framework,
      iteration,
      step_time_ms: stepTimeS === null ? null : stepTimeS * 1000,
      step_time_from: stepTimeS === null ? null : 'printed',
      samples_per_second: finite('samples_per_second'),
      loss,
      grad_norm: number('grad_norm'),
      learning_rate: finite('learning_rate'),
    };
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
