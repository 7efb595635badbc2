// Part: a piece of hardware that an operator would count — a GPU, a network card, a memory module, a supply, a disk.

export const PART_TYPES = ['gpu', 'nic', 'dimm', 'psu', 'disk'] as const;
export type PartType = (typeof PART_TYPES)[number];

export interface Part {
  readonly type: PartType;
  /** Where it is: a PCI address, a label of the board, a bay. */
  readonly slot: string;
  /** Which one it is; null where it does not say, or where that may not be read. */
  readonly serial: string | null;
  readonly model: string | null;
}

/** A part that was seen once and is expected since. */
export interface KnownPart extends Part {
  readonly firstSeenMs: number;
  /** Since when it is missing, ms; null while it is there. */
  readonly missingSinceMs: number | null;
}

export function isPartType(text: unknown): text is PartType {
  return PART_TYPES.some((type) => type === text);
}
