// Measure: of each family of messages the share that a scan reads behind each carrier as it reads it in its own log.

import { CARRIERS, type Carried } from './carriers.ts';
import { FAMILIES } from './families.ts';
import { kindsOf, scanner } from './scanned.ts';

/** Percent, by carrier and family. */
export type Matrix = Readonly<Record<string, Readonly<Record<string, number>>>>;

export interface Missed {
  readonly carrier: string;
  readonly family: string;
  readonly text: string;
  readonly wanted: string;
  readonly got: string;
}

/** `most`: so many rows of each family, evenly over all of them. */
export async function measure(most: number): Promise<{ matrix: Matrix; missed: readonly Missed[] }> {
  const scan = scanner();
  const kinds = async (text: string): Promise<string> => kindsOf(await scan(text));
  const matrix: Record<string, Record<string, number>> = {};
  const missed: Missed[] = [];
  for (const [family, rows] of Object.entries(FAMILIES)) {
    const known: { readonly row: Carried; readonly wanted: string }[] = [];
    for (const row of spread(rows, most)) {
      const wanted = await kinds(row.logged);
      if (wanted !== '') known.push({ row, wanted });
    }
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
  return { matrix, missed };
}

function spread<T>(rows: readonly T[], most: number): readonly T[] {
  const step = Math.max(1, rows.length / most);
  return rows.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step));
}
