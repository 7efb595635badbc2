// Clock reasons: the names of NVML's clocks event reasons by bit (nvml.h, nvmlClocksEventReason*).

const NAMES: readonly (readonly [bit: number, name: string, slows: boolean])[] = [
  [0x1, 'idle', false],
  [0x2, 'application clocks', false],
  [0x4, 'power cap', true],
  [0x8, 'hardware slowdown', true],
  [0x10, 'sync boost', false],
  [0x20, 'software thermal slowdown', true],
  [0x40, 'hardware thermal slowdown', true],
  [0x80, 'power brake', true],
  [0x100, 'display clocks', false],
];
/** Covers these: where one of them is set it says nothing of its own. */
const UMBRELLA = 0x8;
const UNDER_IT: readonly number[] = [0x40, 0x80];

const has = (mask: number, bit: number): boolean => Math.floor(mask / bit) % 2 === 1;

/** The names of all bits that are set, in order. */
export function reasonNames(mask: number): string[] {
  return NAMES.filter(([bit]) => has(mask, bit)).map(([, name]) => name);
}

/** The names of those that hold a clock down against its will, without the umbrella where its cause is named. */
export function slowdownNames(mask: number): string[] {
  const named = UNDER_IT.some((bit) => has(mask, bit));
  return NAMES.filter(([bit, , slows]) => slows && has(mask, bit) && !(bit === UMBRELLA && named)).map(
    ([, name]) => name,
  );
}
