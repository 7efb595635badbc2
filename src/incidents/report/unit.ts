// Unit: the SI unit of a series by the last word of its quantity, as the catalogue of metrics has it.

import metrics from '#catalog/metrics.json' with { type: 'json' };

const UNITS: ReadonlyMap<string, string> = new Map(Object.entries(metrics.units));

/** `Hz` of `sm_clock`; empty where it is a plain number or not known. */
export function unitOf(quantity: string): string {
  const whole = UNITS.get(quantity);
  // Fan speeds are sampled as turns a second.
  if (quantity === 'fan_speed') return 'turns/s';
  return whole ?? UNITS.get(quantity.slice(quantity.lastIndexOf('_') + 1)) ?? '';
}
