// Place marks: one object for each place that conditions name, so that how many places some of them have is counted without texts.

export interface PlaceMark {
  /** In how many conditions it is named. */
  uses: number;
  /** The last count that it was in. */
  counted: number;
}

export class PlaceMarks {
  readonly #byText = new Map<string, PlaceMark>();

  /** The mark of a place, for one more condition. */
  take(text: string): PlaceMark {
    const known = this.#byText.get(text);
    if (known !== undefined) {
      known.uses += 1;
      return known;
    }
    const mark: PlaceMark = { uses: 1, counted: 0 };
    this.#byText.set(text, mark);
    return mark;
  }

  /** A condition that had it is gone. */
  give(text: string): void {
    const mark = this.#byText.get(text);
    if (mark === undefined) return;
    mark.uses -= 1;
    if (mark.uses === 0) this.#byText.delete(text);
  }
}

let counts = 0;

/** A count begins; marks that were in an earlier one can be in this one. */
export function newCount(): number {
  counts += 1;
  return counts;
}

/** True for the first of its place in this count. */
export function isNew(mark: PlaceMark, count: number): boolean {
  if (mark.counted === count) return false;
  mark.counted = count;
  return true;
}
