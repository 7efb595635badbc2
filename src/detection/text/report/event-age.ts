// Event age: how long ago kubectl says that an event was, "23m", "2m19s (x3 over 5m)": in `describe` behind its reason, in `get events` first.

const AGE = /(?:^|\s)((?:\d{1,5}[smhdy]){1,3})(?=\s|$)/;
const AGE_PARTS = /(\d+)([smhdy])/g;
const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, y: 31_536_000 };

/** In seconds; it was less than `within` longer ago, for what is smaller is left out. */
export interface EventAge {
  readonly seconds: number;
  readonly within: number;
}

/** Null where the line has no age. */
export function ageOf(line: string): EventAge | null {
  const text = AGE.exec(line)?.[1];
  if (text === undefined) return null;
  const parts = [...text.matchAll(AGE_PARTS)].map(
    ([, count, unit = '']) => [Number(count), SECONDS[unit] ?? 0] as const,
  );
  return {
    seconds: parts.reduce((sum, [count, unit]) => sum + count * unit, 0),
    within: Math.min(...parts.map(([, unit]) => unit)),
  };
}
