// Values of Slurm's JSON, whatever its generation: a number was a number first, then { set, infinite, number }; a list of
// words was one word first; an empty one may be "", null or [].

const MAX_TEXT = 4096;
const MAX_WORDS = 32;
const MAX_WORD = 64;

export type Row = Readonly<Record<string, unknown>>;

export function rowOf(value: unknown): Row | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Row) : null;
}

/** Null where it is not set, infinite, negative or no whole number. */
export function countOf(value: unknown): number | null {
  const row = rowOf(value);
  if (row !== null) return row.set === false || row.infinite === true ? null : countOf(row.number);
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : null;
}

/** As `countOf`, where 0 means that there is none: ids and times. */
export function positiveOf(value: unknown): number | null {
  const count = countOf(value);
  return count === 0 ? null : count;
}

/** Seconds since the epoch → ms. */
export function timeOf(value: unknown): number | null {
  const seconds = positiveOf(value);
  return seconds === null ? null : seconds * 1000;
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value !== '(null)' ? value.slice(0, MAX_TEXT) : null;
}

/** ["RUNNING", "COMPLETING"], "RUNNING", "IDLE+DRAIN" */
export function wordsOf(value: unknown): string[] {
  const words = Array.isArray(value) ? value.filter((one) => typeof one === 'string') : textOf(value)?.split(/[+,|]/);
  return (words ?? [])
    .slice(0, MAX_WORDS)
    .map((word) => word.trim().toUpperCase().slice(0, MAX_WORD))
    .filter((word) => /^[A-Z][A-Z_]*$/.test(word));
}
