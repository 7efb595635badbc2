// Clock: times of day in UTC, as reports of PowerTrace show them.

const DAY_S = 86_400;

/** 0 to 86,399; `atS`: s since 1970. */
export function secondOfDay(atS: number): number {
  const second = Math.floor(atS) % DAY_S;
  return second < 0 ? second + DAY_S : second;
}

/** UTC, as hh:mm:ss. */
export function clock(atS: number): string {
  const second = secondOfDay(atS);
  return `${two(Math.floor(second / 3600))}:${two(Math.floor(second / 60) % 60)}:${two(second % 60)}`;
}

function two(value: number): string {
  return value < 10 ? `0${value}` : `${value}`;
}
