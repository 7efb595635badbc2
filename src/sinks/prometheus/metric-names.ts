// Names: an OpenTelemetry metric or attribute name as Prometheus spells it, so that scraping and OTLP give the same series.

import type { Instrument } from '../metric-table.ts';

export type MetricKind = Instrument | 'histogram';

/** Rules and words of the specification "Prometheus and OpenMetrics Compatibility" as prometheus/otlptranslator reads it. */
const UNITS = words({
  d: 'days',
  h: 'hours',
  min: 'minutes',
  s: 'seconds',
  ms: 'milliseconds',
  us: 'microseconds',
  ns: 'nanoseconds',
  By: 'bytes',
  KiBy: 'kibibytes',
  MiBy: 'mebibytes',
  GiBy: 'gibibytes',
  TiBy: 'tibibytes',
  KBy: 'kilobytes',
  MBy: 'megabytes',
  GBy: 'gigabytes',
  TBy: 'terabytes',
  m: 'meters',
  V: 'volts',
  A: 'amperes',
  J: 'joules',
  W: 'watts',
  g: 'grams',
  Cel: 'celsius',
  Hz: 'hertz',
  '1': '',
  '%': 'percent',
});
const PER = words({
  s: 'second',
  m: 'minute',
  h: 'hour',
  d: 'day',
  w: 'week',
  mo: 'month',
  y: 'year',
});

/** `hw.power` in W, a gauge → `hw_power_watts`; counters end in `_total`, gauges of unit 1 in `_ratio`. */
export function metricName(name: string, unit: string, kind: MetricKind): string {
  let words = name.split(/[^a-zA-Z0-9:]+/).filter((word) => word !== '');
  for (const word of unitWords(unit)) if (!words.includes(word)) words.push(word);
  if (kind === 'counter') words = [...words.filter((word) => word !== 'total'), 'total'];
  if (kind === 'gauge' && unit === '1') words = [...words.filter((word) => word !== 'ratio'), 'ratio'];
  const joined = words.join('_');
  return /^[0-9]/.test(joined) || joined === '' ? `_${joined}` : joined;
}

/** The unit as the name carries it and as OpenMetrics states it: `W` → `watts`, `By/s` → `bytes_per_second`. */
export function unitName(unit: string): string {
  return unitWords(unit).join('_');
}

/** `hw.id` → `hw_id`. */
export function labelName(attribute: string): string {
  const plain = attribute.replace(/[^a-zA-Z0-9_]/g, '_');
  return /^[0-9]/.test(plain) || plain === '' ? `key_${plain}` : plain;
}

function unitWords(unit: string): string[] {
  const slash = unit.indexOf('/');
  const main = (slash < 0 ? unit : unit.slice(0, slash)).trim();
  const per = slash < 0 ? '' : unit.slice(slash + 1).trim();
  const words: string[] = [];
  if (!/[{}]/.test(main)) words.push(clean(UNITS.get(main) ?? main));
  if (per !== '' && !/[{}]/.test(per)) words.push(`per_${clean(PER.get(per) ?? per)}`);
  return words.filter((word) => word !== '' && word !== 'per_');
}

function clean(word: string): string {
  return word.replace(/[^a-zA-Z0-9:]+/g, '_').replace(/^_+|_+$/g, '');
}

function words(table: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(table));
}
