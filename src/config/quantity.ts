// Durations ("500ms", "2s", "10m", "24h", "90d") and sizes ("64MiB") as people write them.

const DURATION_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const SIZE_BYTES = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 } as const;

export const DURATION_PATTERN = '^[0-9]{1,9}(\\.[0-9]{1,3})?(ms|s|m|h|d)$';
export const SIZE_PATTERN = '^[0-9]{1,9}(\\.[0-9]{1,3})?(B|KiB|MiB|GiB)$';

function parse(text: string, pattern: string, units: Readonly<Record<string, number>>): number | null {
  if (!new RegExp(pattern).test(text)) return null;
  const split = text.search(/[A-Za-z]/);
  const unit = units[text.slice(split)];
  return unit === undefined ? null : Number(text.slice(0, split)) * unit;
}

function format(value: number, units: Readonly<Record<string, number>>): string {
  let best = '';
  for (const [unit, factor] of Object.entries(units)) {
    if (best === '' || (value !== 0 && value % factor === 0)) best = `${value / factor}${unit}`;
  }
  return best;
}

/** Milliseconds; null when the text is not a duration. */
export function parseDuration(text: string): number | null {
  return parse(text, DURATION_PATTERN, DURATION_MS);
}

/** Milliseconds of a text that fits the schema of a duration. */
export function durationMs(text: string): number {
  return parseDuration(text) ?? 0;
}

/** The largest unit that gives a whole number: 120000 → "2m". */
export function formatDuration(ms: number): string {
  return format(ms, DURATION_MS);
}

/** Bytes, rounded to whole ones; null when the text is not a size. */
export function parseSize(text: string): number | null {
  const bytes = parse(text, SIZE_PATTERN, SIZE_BYTES);
  return bytes === null ? null : Math.round(bytes);
}

/** Bytes of a text that fits the schema of a size. */
export function sizeBytes(text: string): number {
  return parseSize(text) ?? 0;
}

export function formatSize(bytes: number): string {
  return format(bytes, SIZE_BYTES);
}
