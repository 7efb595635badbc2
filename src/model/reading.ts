// Reading: one measured value, as probes print it and series carry it.

export type ReadingState = 'normal' | 'low_warning' | 'low_critical' | 'high_warning' | 'high_critical' | 'unknown';

export interface Reading {
  /** Text form of the component. */
  readonly component: string;
  /** voltage, current, power, apparent_power, power_factor, energy, temperature, clock, power_limit, load ... */
  readonly quantity: string;
  /** SI; null when the device says that it does not know. */
  readonly value: number | null;
  /** V, A, W, VA, J, Hz, Cel, 1 ... */
  readonly unit: string;
  readonly state?: ReadingState;
}

export interface DeviceState {
  readonly component: string;
  readonly name: string;
  readonly value: string;
}

/** Key of a series: `<component text>#<quantity>`, for example `pdu_phase/pdu-b/1#voltage`. */
export function seriesKey(component: string, quantity: string): string {
  return `${component}#${quantity}`;
}

export interface SeriesName {
  readonly component: string;
  readonly quantity: string;
}

/** The same few keys come with each sample. */
const MOST_PARSED = 4096;
const parsed = new Map<string, SeriesName>();

export function parseSeriesKey(key: string): SeriesName {
  const known = parsed.get(key);
  if (known !== undefined) return known;
  const hash = key.lastIndexOf('#');
  const name = { component: key.slice(0, hash), quantity: key.slice(hash + 1) };
  if (parsed.size >= MOST_PARSED) parsed.clear();
  parsed.set(key, name);
  return name;
}
