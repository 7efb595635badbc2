// Compares the parts that are there with those that are known: which are gone, swapped, moved or new. Pure.

import type { KnownPart, Part } from './part.ts';

export interface Swap {
  readonly before: Part;
  readonly after: Part;
}

export interface Difference {
  /** Known ones that no part stands for now. */
  readonly missing: readonly KnownPart[];
  /** So many more are missing; which of several they are does not show. */
  readonly unnamed: number;
  /** Another part is in the slot of a known one. */
  readonly swapped: readonly Swap[];
  /** A known part is in another slot. */
  readonly moved: readonly Swap[];
  readonly added: readonly Part[];
  /** Each known part that is there, and what stands for it. */
  readonly same: readonly { readonly known: KnownPart; readonly now: Part }[];
}

/** All of one type, each slot once. The serial decides; where one side has none, the slot. */
export function compareParts(known: readonly KnownPart[], present: readonly Part[]): Difference {
  const left = new Set(present);
  const pairs = new Map<KnownPart, Part>();
  const pair = (one: KnownPart, now: Part | undefined): void => {
    if (now === undefined) return;
    pairs.set(one, now);
    left.delete(now);
  };
  const find = (wanted: (part: Part) => boolean): Part | undefined => [...left].find(wanted);
  for (const one of known)
    if (one.serial !== null)
      pair(
        one,
        find(({ serial }) => serial === one.serial),
      );
  const unpaired = (): KnownPart[] => known.filter((one) => !pairs.has(one));
  for (const one of unpaired())
    pair(
      one,
      find((part) => part.slot === one.slot && (part.serial === null || one.serial === null)),
    );
  const swapped: Swap[] = [];
  for (const one of unpaired()) {
    const now = find(({ slot }) => slot === one.slot);
    if (now === undefined) continue;
    pair(one, now);
    swapped.push({ before: one, after: now });
  }
  const moved = [...pairs].filter(([one, now]) => one.slot !== now.slot);
  // Slots are counted from the start again where a device in the middle is gone: of those without a serial only the number shows.
  const nameless = [...left].filter(({ serial }) => serial === null);
  const gone = unpaired();
  for (const [i, part] of nameless.entries()) {
    const one = gone[i];
    if (one === undefined) break;
    pairs.set(one, one);
    left.delete(part);
  }
  const named = nameless.length === 0 ? gone : [];
  return {
    missing: named,
    unnamed: nameless.length === 0 ? 0 : Math.max(0, gone.length - nameless.length),
    swapped,
    moved: moved.map(([before, after]) => ({ before, after })),
    added: [...left],
    same: [...pairs].map(([one, now]) => ({ known: one, now })),
  };
}
