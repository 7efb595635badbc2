// Values on their way into requests: times as pairs, texts bounded and well formed.

import type { AnyValue, Attributes, HrTime } from '@opentelemetry/api';
import type { Component } from '../../model/component.ts';
import { componentText } from '../../model/component.ts';
import { componentAttributes } from '../metric-table.ts';

/** A time between the epoch and the end of year 9999; what is not a time becomes the epoch. */
export function timeMs(epochMs: number): number {
  return Number.isFinite(epochMs) ? Math.min(Math.max(epochMs, 0), 253_402_300_799_000) : 0;
}

/** Seconds and nanoseconds; what is not a time becomes the epoch. */
export function hrTime(epochMs: number): HrTime {
  const ms = timeMs(epochMs);
  let seconds = Math.floor(ms / 1000);
  let nanos = Math.round((ms - seconds * 1000) * 1e6);
  if (nanos >= 1e9) {
    seconds += 1;
    nanos = 0;
  }
  return [seconds, nanos];
}

/**
 * The same in whole microseconds, as the incident log holds times: what is made again from the log must be what it was.
 * The rest of a float64 is noise.
 */
export function loggedTime(epochMs: number): HrTime {
  const seconds = Math.floor(timeMs(epochMs) / 1000);
  const micros = Math.round((timeMs(epochMs) - seconds * 1000) * 1000);
  return micros >= 1e6 ? [seconds + 1, 0] : [seconds, micros * 1000];
}

export function short(text: string, most = 1024): string {
  return text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text.toWellFormed();
}

export type Values = Record<string, AnyValue>;

/** The texts of a component that logs and spans carry; identity only, names that users gave included. */
export function componentValues(component: Component | null, prefix = ''): Record<string, string> {
  if (component === null) return {};
  const [alias] = component.aliases ?? [];
  const own = {
    'faultline.component': short(componentText(component), 300),
    ...componentAttributes(component.type, component.id),
  };
  const all = alias === undefined ? own : { ...own, 'hw.name': short(alias, 128) };
  return prefix === ''
    ? all
    : Object.fromEntries(Object.entries(all).map(([name, value]) => [`${prefix}${name}`, value]));
}

/** Without what is absent. */
export function present(values: Readonly<Record<string, AnyValue>>): Attributes {
  const kept = Object.entries(values).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(kept) as Attributes; // the serialiser writes nested values too, which this type does not say
}
