// Supply fit: a supply that works, and is not of the type, rating or maker that its host is made for, or that its others are of.

const UNFIT =
  /mismatch|unsupported|incompatible|not (?:supported|compatible)|config(?:uration)? error|\b(?:PSU0006|PSU0076|PSU0078)\b/i;

/** Of what a log says of a supply that it counts as failed. */
export function isUnfit(text: string): boolean {
  return UNFIT.test(text);
}
