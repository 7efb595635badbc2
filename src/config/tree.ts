// Tree: values with their places in the file, without the parser that finds them.

import type { Problem } from './config-error.ts';

export interface Place {
  readonly line: number;
  readonly column: number;
  /** The scalar as written, before expansion; null for lists and maps. */
  readonly source: string | null;
  /** True where the value came out of a variable. */
  readonly expanded: boolean;
  /** The drop-in that it is in. */
  readonly file?: string;
}

/** Where a problem is, from the place of a value. */
export function whereOf(place: Place | undefined): Pick<Problem, 'line' | 'column' | 'file'> {
  if (place === undefined) return { line: null, column: null };
  const { line, column, file } = place;
  return { line, column, ...(file === undefined ? {} : { file }) };
}

export interface Tree {
  readonly value: unknown;
  /** By JSON pointer; keys have their own place under `<pointer>#key`. */
  readonly places: ReadonlyMap<string, Place>;
  readonly problems: readonly Problem[];
}
