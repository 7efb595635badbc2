// Now: the newest readings of what people watch, for the live view.

import { median } from '../helpers/median.ts';
import { computedTime } from '../model/documents/fields.ts';
import { NOW_SCHEMA, type NowDocument, type NowReading } from '../model/documents/now.ts';
import { parseSeriesKey } from '../model/reading.ts';
import type { NativeCore } from '../native.ts';

/** By type of component. */
const WATCHED: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['gpu', new Set(['power', 'power_limit', 'sm_clock', 'temperature', 'utilization', 'clock_event_reasons'])],
  ['pdu_phase', new Set(['voltage', 'current', 'power'])],
  ['pdu_inlet', new Set(['voltage', 'current', 'power'])],
  ['pdu_branch', new Set(['voltage', 'current', 'power'])],
  ['ups', new Set(['voltage', 'power', 'load'])],
  ['psu', new Set(['input_voltage', 'input_power', 'output_power'])],
  ['job', new Set(['step_time', 'iteration'])],
  ['rank', new Set(['step_time', 'iteration'])],
]);
/** What is older is not now; a PDU is read every few seconds, a BMC every ten. */
const NEWEST_MS = 60_000;
const USUAL_MS = 300_000;
const READINGS = 4096;

interface NowParts {
  readonly host: string;
  readonly core: Pick<NativeCore, 'seriesKeys' | 'history'>;
  readonly now: () => number;
}

export function nowDocument({ host, core, now }: NowParts): NowDocument {
  const nowMs = now();
  const readings: NowReading[] = [];
  for (const key of core.seriesKeys()) {
    const { component, quantity } = parseSeriesKey(key);
    const watched = WATCHED.get(component.slice(0, component.indexOf('/')));
    if (watched?.has(quantity) !== true) continue;
    const isStep = quantity === 'step_time';
    const { timesMs, values } = core.history(key, nowMs - (isStep ? USUAL_MS : NEWEST_MS), nowMs);
    const [value, timeMs] = [values.at(-1), timesMs.at(-1)];
    if (value === undefined || timeMs === undefined) continue;
    const usual = isStep ? median([...values]) : null;
    readings.push({ component, quantity, value, time: computedTime(timeMs), usual });
    if (readings.length >= READINGS) break;
  }
  return { schema: NOW_SCHEMA, host, time: computedTime(nowMs), readings };
}
