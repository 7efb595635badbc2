// Rounds as Python does: exact decimal value of the double, a tie to the even digit.

export function rounded(value: number, digits: number): number {
  if (!Number.isFinite(value)) return value;
  // Only a multiple of 1/2^(digits + 1) can lie in the middle between two decimals.
  const doubled = value * 2 * 10 ** digits;
  if (Number.isInteger(value * 2 ** (digits + 1)) && Number.isSafeInteger(doubled) && doubled % 2 !== 0) {
    const below = Math.floor(doubled / 2);
    return (below % 2 === 0 ? below : below + 1) / 10 ** digits;
  }
  return Math.abs(value) < 1e21 ? Number(value.toFixed(digits)) : value;
}
