// Scale: where on a picture a time or a value is, and at which round ones the axis has a line.

export interface Scale {
  readonly from: number;
  readonly to: number;
  /** From `from` to `to` onto the picture. */
  at(value: number): number;
}

export function linear(from: number, to: number, low: number, high: number): Scale {
  const span = to - from;
  return { from, to, at: (value) => low + (span === 0 ? 0.5 : (value - from) / span) * (high - low) };
}

const STEPS_S = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43_200, 86_400];

/** Round times within, at most `most`. */
export function timeTicks(fromMs: number, toMs: number, most = 6): number[] {
  const span = Math.max(toMs - fromMs, 1);
  const known = STEPS_S.find((each) => span / (each * 1000) <= most);
  const step = known === undefined ? 86_400_000 * Math.ceil(span / 86_400_000 / most) : known * 1000;
  return ticks(fromMs, toMs, step);
}

/** Round values within, about `most`. */
export function valueTicks(from: number, to: number, most = 4): number[] {
  const rough = (to - from) / most;
  if (!(rough > 0) || !Number.isFinite(rough)) return [from];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((each) => each * power >= rough) ?? 10) * power;
  return ticks(from, to, step);
}

function ticks(from: number, to: number, step: number): number[] {
  const first = Math.ceil(from / step);
  const count = Math.min(Math.max(Math.floor(to / step) - first + 1, 0), 24);
  return Array.from({ length: count }, (_, i) => (first + i) * step);
}
