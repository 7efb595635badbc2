// The names in a folder that may be dumps, however many others a user put there, in the order in which they are looked at.

import { eachMatchingName } from '../../files/matching-names.ts';

/** A million names take some seconds; of a folder with more some are not seen. */
const MAX_NAMES = 1_048_576;
/** Names whose files are looked at, of each of the two kinds. */
const MAX_CANDIDATES = 16_384;
/** Not a dump, whatever is in it; the recorder's own pipe among them. */
const OTHER = /\.(?:pipe|log|txt|md|py|ya?ml|html|out|err|part|tmp)$/;
/** As a recorder ends its names: the number of a rank. There are only so many of them. */
const NUMBERED = /(?:^|\D)(?:0|[1-9]\d{0,4})$/;

/** Those that end in a number as ranks have it come first: made-up names cannot push them out of the way. */
export async function dumpNames(folder: string, pattern: string): Promise<readonly string[]> {
  const numbered = new ShortestNames();
  const others = new ShortestNames();
  await eachMatchingName(folder, pattern, MAX_NAMES, (name) => {
    if (!OTHER.test(name)) (NUMBERED.test(name) ? numbered : others).add(name);
  });
  return [...numbered.all(), ...others.all()];
}

/** Keeps the shortest names that come: they are fewer than the long ones that a user can make up. */
class ShortestNames {
  readonly #byLength: string[][] = [];
  #count = 0;

  add(name: string): void {
    const same = this.#byLength[name.length] ?? [];
    this.#byLength[name.length] = same;
    if (same.length >= MAX_CANDIDATES) return;
    same.push(name);
    this.#count += 1;
    const longest = this.#byLength.at(-1) ?? [];
    if (this.#count - longest.length < MAX_CANDIDATES) return;
    this.#count -= longest.length;
    this.#byLength.pop();
  }

  all(): string[] {
    return this.#byLength.flatMap((same) => (same ?? []).sort()).slice(0, MAX_CANDIDATES);
  }
}
