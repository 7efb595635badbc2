// Quantity: numbers as people say them — 1,980 MHz, 412 → 897 ms, 93 %.

import { decimalText } from '../../helpers/decimal-text.ts';

interface Scale {
  readonly from: number;
  readonly factor: number;
  readonly unit: string;
}

/** By SI unit, largest first: the first whose `from` the value reaches is used. */
const SCALES: ReadonlyMap<string, readonly Scale[]> = new Map([
  [
    'Hz',
    [
      { from: 1e6, factor: 1e-6, unit: 'MHz' },
      { from: 1e3, factor: 1e-3, unit: 'kHz' },
    ],
  ],
  [
    's',
    [
      { from: 600, factor: 1 / 60, unit: 'min' },
      { from: 10, factor: 1, unit: 's' },
      { from: 0, factor: 1e3, unit: 'ms' },
    ],
  ],
  ['ms', [{ from: 10_000, factor: 1e-3, unit: 's' }]],
  ['W', [{ from: 20_000, factor: 1e-3, unit: 'kW' }]],
  ['VA', [{ from: 20_000, factor: 1e-3, unit: 'kVA' }]],
  [
    'B',
    [
      { from: 2 ** 30, factor: 2 ** -30, unit: 'GiB' },
      { from: 2 ** 20, factor: 2 ** -20, unit: 'MiB' },
    ],
  ],
  ['Cel', [{ from: Number.NEGATIVE_INFINITY, factor: 1, unit: '°C' }]],
  ['1', [{ from: Number.NEGATIVE_INFINITY, factor: 100, unit: '%' }]],
]);

/** Whole from a thousand on, one decimal from one on, two digits below. */
export function numberText(value: number): string {
  if (!Number.isFinite(value)) return 'unknown';
  const size = Math.abs(value);
  if (size >= 1e15) return value.toExponential(2);
  if (size === 0) return '0';
  return decimalText(value, { most: size >= 999.5 ? 0 : size >= 0.95 ? 1 : { significant: 2 } });
}

function scaleOf(values: readonly number[], unit: string): Scale {
  const largest = Math.max(...values.map(Math.abs));
  const scale = SCALES.get(unit)?.find((each) => largest >= each.from);
  return scale ?? { from: 0, factor: 1, unit };
}

/** `109.3 V` */
export function quantityText(value: number, unit: string): string {
  const scale = scaleOf([value], unit);
  return `${numberText(value * scale.factor)} ${scale.unit}`.trim();
}

/** `121.4 → 108.2 V`; with several values on a side their range: `1,980 → 1,095…1,110 MHz`. */
export function changeText(before: readonly number[], after: readonly number[], unit: string): string {
  const scale = scaleOf([...before, ...after], unit);
  const range = (values: readonly number[]): string => {
    const low = numberText(Math.min(...values) * scale.factor);
    const high = numberText(Math.max(...values) * scale.factor);
    return low === high ? low : `${low}…${high}`;
  };
  return `${range(before)} → ${range(after)} ${scale.unit}`.trim();
}

/** `108.2…121.6 V` */
export function rangeText(low: number, high: number, unit: string): string {
  const scale = scaleOf([low, high], unit);
  const [from, to] = [numberText(low * scale.factor), numberText(high * scale.factor)];
  return `${from === to ? from : `${from}…${to}`} ${scale.unit}`.trim();
}

/** `93 %` of a share between 0 and 1. */
export function percentText(share: number): string {
  return `${Math.round(Math.min(Math.max(share, 0), 1) * 100)} %`;
}
