// Splice: how a list is made of the list before it and of what is new, so that only what is new is written.

/** No list of ours is a tenth as long. */
const MOST_ITEMS = 65_536;

/** `[from, to]`: these items of the list before; a number: so many of the new items, in their order; `[name, count]`: so many of a name. */
export type Piece = readonly [number, number] | readonly [string, number] | number;

/** A piece by its name. */
export const isNamed = (piece: Piece): piece is readonly [string, number] =>
  typeof piece === 'object' && typeof piece[0] === 'string';

export interface Spliced<T> {
  readonly fresh: readonly T[];
  readonly pieces: readonly Piece[];
}

/**
 * `after` as pieces of `before`. `indexOf` finds an item of `before` that is the same, or gives -1; `named` finds what the items
 * from there on are known by elsewhere, and how many of them it stands for.
 */
export function splice<T>(
  after: readonly T[],
  indexOf: (item: T) => number,
  named: (at: number) => { readonly name: string; readonly count: number } | null = () => null,
): Spliced<T> {
  const fresh: T[] = [];
  const pieces: Piece[] = [];
  for (let at = 0; at < after.length; ) {
    const item = after[at] as T; // within the list
    const index = indexOf(item);
    const name = index < 0 ? named(at) : null;
    const last = pieces.at(-1);
    at += name?.count ?? 1;
    if (name !== null) pieces.push([name.name, name.count]);
    else if (index < 0) {
      fresh.push(item);
      if (typeof last === 'number') pieces[pieces.length - 1] = last + 1;
      else pieces.push(1);
    } else if (typeof last === 'object' && !isNamed(last) && last[1] === index)
      pieces[pieces.length - 1] = [last[0], index + 1];
    else pieces.push([index, index + 1]);
  }
  return { fresh, pieces };
}

/** The list again. Pieces of which `before` does not have the items give what there is of them. */
export function join<T>(
  before: readonly T[],
  { fresh, pieces }: Spliced<T>,
  named: (name: string, count: number) => readonly T[] = () => [],
): T[] {
  const joined: T[] = [];
  let taken = 0;
  for (const piece of pieces) {
    if (joined.length >= MOST_ITEMS) break;
    if (typeof piece === 'object' && isNamed(piece)) joined.push(...named(...piece));
    else if (typeof piece === 'object') joined.push(...before.slice(piece[0], piece[1]));
    else {
      joined.push(...fresh.slice(taken, taken + piece));
      taken += piece;
    }
  }
  return joined;
}

/** The pieces that a document holds; null where they are no such list. */
export function piecesFrom(value: unknown): readonly Piece[] | null {
  if (!Array.isArray(value)) return null;
  const isIndex = (each: unknown): each is number => Number.isSafeInteger(each) && Number(each) >= 0;
  const good = value.every(
    (piece) =>
      isIndex(piece) ||
      (Array.isArray(piece) &&
        piece.length === 2 &&
        (typeof piece[0] === 'string' || isIndex(piece[0])) &&
        isIndex(piece[1])),
  );
  return good ? (value as Piece[]) : null; // each was looked at
}
