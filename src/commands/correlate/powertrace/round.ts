// Rounds as Python does: exact decimal value of the double, a tie to the even digit.

/** Up to here a product is off by far less than what counts as near a tie. */
const EXACT = 1e9;
const NEAR_TIE = 1e-5;
const SCALES = [1, 10, 100, 1e3, 1e4] as const;

export function rounded(value: number, digits: number): number {
  // Far from any tie the nearest whole number decides, and a quotient of whole numbers is the double next to its decimal.
  const scale = SCALES[digits] ?? 10 ** digits;
  const scaled = value * scale;
  const nearest = Math.round(scaled);
  const off = scaled - nearest;
  if (off > NEAR_TIE - 0.5 && off < 0.5 - NEAR_TIE && scaled < EXACT && scaled > -EXACT) return nearest / scale;
  if (!Number.isFinite(value)) return value;
  // Only a multiple of 1/2^(digits + 1) can lie in the middle between two decimals.
  const doubled = value * 2 * scale;
  if (Number.isInteger(value * 2 ** (digits + 1)) && Number.isSafeInteger(doubled) && doubled % 2 !== 0) {
    const even = Math.floor(doubled / 2);
    return (even % 2 === 0 ? even : even + 1) / scale;
  }
  return Math.abs(value) < 1e21 ? Number(value.toFixed(digits)) : value;
}
