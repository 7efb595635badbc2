// Measure: of each family of messages the share that a scan reads behind each carrier as it reads it in its own log.

import { crc32 } from 'node:zlib';
import { CARRIERS, type Carried } from './carriers.ts';
import { FAMILIES } from './families.ts';
import { kindsOf, scanner } from './scanned.ts';

/** Percent, by carrier and family. */
export type Matrix = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** What the test measures of each family. */
export const FEWEST = 8;

export interface Measured {
  readonly matrix: Matrix;
  /** Over all families. */
  readonly overall: Readonly<Record<string, number>>;
  /** Rows of each family. */
  readonly rows: Readonly<Record<string, number>>;
  readonly missed: readonly Missed[];
}

export interface Missed {
  readonly carrier: string;
  readonly family: string;
  readonly text: string;
  readonly wanted: string;
  readonly got: string;
}

/** `most`: so many rows of each family. */
export async function measure(most: number): Promise<Measured> {
  const scan = scanner();
  const kinds = async (text: string): Promise<string> => kindsOf(await scan(text));
  const matrix: Record<string, Record<string, number>> = {};
  const missed: Missed[] = [];
  const rowsOf: Record<string, number> = {};
  for (const [family, rows] of Object.entries(FAMILIES)) {
    const known: { readonly row: Carried; readonly wanted: string }[] = [];
    for (const row of chosen(rows, most)) {
      const wanted = await kinds(row.logged);
      if (wanted !== '') known.push({ row, wanted });
    }
    rowsOf[family] = known.length;
    for (const [carrier, carry] of Object.entries(CARRIERS)) {
      let right = 0;
      for (const { row, wanted } of known) {
        const text = carry(row);
        const got = await kinds(text);
        if (got === wanted) right += 1;
        else missed.push({ carrier, family, text, wanted, got });
      }
      matrix[carrier] = { ...matrix[carrier], [family]: Math.floor((100 * right) / Math.max(1, known.length)) };
    }
  }
  const all = Object.values(rowsOf).reduce((sum, count) => sum + count, 0);
  const lost = (carrier: string): number => missed.filter((each) => each.carrier === carrier).length;
  const overall = Object.fromEntries(
    Object.keys(CARRIERS).map((carrier) => [carrier, 100 - (100 * lost(carrier)) / all]),
  );
  return { matrix, overall, rows: rowsOf, missed };
}

/** The same ones however many others are added. */
function chosen(rows: readonly Carried[], most: number): readonly Carried[] {
  if (rows.length <= most) return rows;
  const order = (row: Carried): number => crc32(row.said);
  return rows.toSorted((a, b) => order(a) - order(b)).slice(0, most);
}
