// Metric table: which metric a series becomes — name, unit, instrument, attributes — read from catalog/metrics.json.

import catalog from '#catalog/metrics.json' with { type: 'json' };
import { parseComponent } from '../model/component.ts';
import { parseSeriesKey } from '../model/reading.ts';

export type Instrument = 'gauge' | 'counter' | 'updowncounter';

export interface Metric {
  readonly name: string;
  /** UCUM. */
  readonly unit: string;
  readonly instrument: Instrument;
  readonly description: string;
}

export interface SeriesMetric {
  readonly metric: Metric;
  readonly attributes: Readonly<Record<string, string>>;
  /** The lowest and the highest value of each export interval are worth metrics of their own. */
  readonly extremes: boolean;
  /** The metric's value for a value of 1 of the series: the conventions count fans in revolutions a minute. */
  readonly scale: number;
  /** Text of the component. */
  readonly component: string;
}

interface Row {
  readonly quantity: string;
  readonly metric: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly extremes?: boolean;
  readonly scale?: number;
}

const INSTRUMENTS: readonly Instrument[] = ['gauge', 'counter', 'updowncounter'];
const QUANTITY = /^[a-z][a-z0-9_]{0,62}$/;
const MOST_ID = 256;

const metrics = new Map<string, Metric>();
for (const [name, [unit = '', kind, description = '']] of Object.entries(catalog.metrics)) {
  const instrument = INSTRUMENTS.find((each) => each === kind) ?? 'gauge';
  metrics.set(name, { name, unit, instrument, description });
}
const rows = new Map<string, Row>();
for (const { on, ...row } of catalog.series) for (const type of on) rows.set(`${type}#${row.quantity}`, row);
const hwTypes = new Map<string, string>(Object.entries(catalog.hw_types));
const units = new Map<string, string>(Object.entries(catalog.units));

/** The metric of this name; throws where the catalogue has none, which a test of the catalogue rules out. */
export function metricNamed(name: string): Metric {
  const metric = metrics.get(name);
  if (metric === undefined) throw new Error(`metric ${name} is not in catalog/metrics.json`);
  return metric;
}

/** hw.type of a component type: the conventions' word, else ours; null for what is not hardware. */
export function hardwareType(componentType: string): string | null {
  if (['process', 'job', 'rank', 'service'].includes(componentType)) return null;
  return hwTypes.get(componentType) ?? componentType;
}

/** hw.id and hw.type of hardware, or the job or process that it is. */
export function componentAttributes(type: string, id: string): Record<string, string> {
  const hwType = hardwareType(type);
  const short = id.slice(0, MOST_ID).toWellFormed();
  return hwType === null ? { [`faultline.${type}.id`]: short } : { 'hw.id': short, 'hw.type': hwType };
}

/**
 * The metric of a series key; what the table does not know becomes `faultline.<component type>.<quantity>`. Null for a
 * key that names no known component type or no quantity.
 */
export function seriesMetric(key: string): SeriesMetric | null {
  const { component: text, quantity } = parseSeriesKey(key);
  const component = parseComponent(text);
  if (component === null || !QUANTITY.test(quantity)) return null;
  const own = componentAttributes(component.type, component.id);
  const row = rows.get(`${component.type}#${quantity}`);
  if (row !== undefined) {
    const attributes = { ...own, ...row.attributes };
    const { extremes = false, scale = 1 } = row;
    return { metric: metricNamed(row.metric), attributes, extremes, scale, component: text };
  }
  const name = `faultline.${component.type}.${quantity}`;
  const known = metrics.get(name) ?? { name, unit: unitOf(quantity), instrument: 'gauge', description: '' };
  return { metric: known, attributes: own, extremes: false, scale: 1, component: text };
}

/** By the whole word, else by its last part, whatever number is behind it: `exhaust_temperature_2` is a temperature. */
function unitOf(quantity: string): string {
  const [last = ''] = quantity.replace(/_\d+$/, '').split('_').slice(-1);
  return units.get(quantity) ?? units.get(last) ?? '';
}

/** The companion metrics of one with `extremes`: ours, because the conventions' names are not ours to extend. */
export function extremeMetrics(metric: Metric): { readonly min: Metric; readonly max: Metric } {
  const base = metric.name.startsWith('faultline.') ? metric.name : `faultline.${metric.name}`;
  const of = (end: 'min' | 'max', word: string): Metric => ({
    ...metric,
    name: `${base}.${end}`,
    description: `${word} value of ${metric.name} within the export interval`,
  });
  return { min: of('min', 'Lowest'), max: of('max', 'Highest') };
}
