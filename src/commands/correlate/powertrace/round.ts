// Rounds as Python does: exact decimal value of the double, a tie to the even digit.

/** Up to here a product is off by far less than what counts as near a tie. */
const EXACT = 1e9;
const NEAR_TIE = 1e-5;

export function rounded(value: number, digits: number): number {
  if (!Number.isFinite(value)) return value;
  // Far from any tie the nearest whole number decides, and a quotient of whole numbers is the double next to its decimal.
  const scaled = value * 10 ** digits;
  const below = Math.floor(scaled);
  if (Math.abs(scaled) < EXACT && Math.abs(scaled - below - 0.5) > NEAR_TIE) return Math.round(scaled) / 10 ** digits;
  // Only a multiple of 1/2^(digits + 1) can lie in the middle between two decimals.
  const doubled = value * 2 * 10 ** digits;
  if (Number.isInteger(value * 2 ** (digits + 1)) && Number.isSafeInteger(doubled) && doubled % 2 !== 0) {
    const even = Math.floor(doubled / 2);
    return (even % 2 === 0 ? even : even + 1) / 10 ** digits;
  }
  return Math.abs(value) < 1e21 ? Number(value.toFixed(digits)) : value;
}
