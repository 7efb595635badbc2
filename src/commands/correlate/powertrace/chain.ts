// The chain of one degradation: the device events near its beginning in order of time, each scored by penalties.

import { plain } from '../../../model/plain.ts';
import { type DeviceEvent, type DeviceSource, SEVERITIES } from '../records.ts';
import type { Degradation } from './degradations.ts';
import { rounded } from './round.ts';

/** More than this before the degradation, or after the event before it, counts as indirect, s. */
const LONG_S = 30;
const CLOSE_S = 10;
const BASE = 0.9;
const LEAST = 0.3;
const MOST = 0.99;
const PHYSICAL: ReadonlySet<DeviceSource> = new Set(['pdu_snmp', 'redfish', 'poe_snmp', 'ups']);

export interface ChainOptions {
  readonly lag: number;
  readonly window: number;
}

export interface Step {
  readonly event: DeviceEvent;
  readonly score: number;
  readonly indirect: boolean;
  /** s; of the first up to the degradation, of the others from the one before. */
  readonly lag: number;
}

export interface Chain {
  readonly steps: readonly [Step, ...Step[]];
  readonly confidence: number;
  readonly unmapped: readonly string[];
  readonly warnings: readonly string[];
}

const NONE: ReadonlySet<string> = new Set();
type ServicesOf = ReadonlyMap<string, ReadonlySet<string>>;

/** Events in the order in which chains have them; among equals as the file has them. */
export function inOrder(events: readonly DeviceEvent[], services: ServicesOf): Ordered {
  const rank = ({ source }: DeviceEvent): number => (PHYSICAL.has(source) ? 0 : 1);
  const sorted = events.toSorted((a, b) => a.at - b.at || rank(a) - rank(b));
  return {
    events: sorted,
    times: Float64Array.from(sorted, ({ at }) => at),
    served: sorted.map(({ device }) => services.get(device) ?? NONE),
  };
}

export interface Ordered {
  readonly events: readonly DeviceEvent[];
  readonly times: Float64Array;
  /** Of each event, what its device can degrade; none where it is in no mapping. */
  readonly served: readonly ReadonlySet<string>[];
}

/** @param sorted as `inOrder` gives them. Null where no event is near. */
export function chainOf(
  sorted: Ordered,
  { service, points: [first] }: Degradation,
  options: ChainOptions,
): Chain | null {
  const { events, times, served } = sorted;
  const from = firstAt(times, first.at - options.lag, false);
  const to = firstAt(times, first.at + options.window, true);
  const unmapped: string[] = [];
  const related: number[] = [];
  for (let index = from; index < to; index += 1) {
    const own = served[index] ?? NONE;
    if (own.size === 0) unmapped.push(events[index]?.device ?? '');
    if (own.size === 0 || own.has(service)) related.push(index);
  }
  if (related.length === 0) for (let index = from; index < to; index += 1) related.push(index);
  const steps = stepsOf(sorted, related, service, first.at, options.lag);
  if (!isChain(steps)) return null;
  const sum = steps.reduce((total, { score }) => total + score, 0);
  const warnings = unmapped.map(
    (device) => `Device '${plain(device, 200)}' is in no mapping: it counts, with less confidence.`,
  );
  return {
    steps,
    confidence: rounded(sum / steps.length, 2),
    unmapped: unmapped.length < 2 ? unmapped : [...new Set(unmapped)],
    warnings: steps.some(({ indirect }) => indirect) ? [...warnings, ...longLags(steps)] : warnings,
  };
}

function isChain(steps: readonly Step[]): steps is readonly [Step, ...Step[]] {
  return steps.length > 0;
}

/** @param chosen indices of events, in order. */
function stepsOf(
  { events, served }: Ordered,
  chosen: readonly number[],
  service: string,
  startS: number,
  lag: number,
): Step[] {
  const steps: Step[] = [];
  let before: DeviceEvent | undefined;
  chosen.forEach((index) => {
    const event = events[index];
    const own = served[index] ?? NONE;
    if (event === undefined) return;
    const gap = before === undefined ? 0 : event.at - before.at;
    const lead = startS - event.at;
    // In this order: sums of doubles depend on it.
    let score = BASE;
    if (own.size === 0) score -= 0.2;
    else if (!own.has(service)) score -= 0.08;
    score -= severityPenalty(event);
    if (lead > LONG_S) score -= 0.25;
    else if (lead > 0 && lag > 0) score -= (lead / lag) * 0.06;
    if (gap > LONG_S) score -= 0.25;
    else if (gap > CLOSE_S) score -= 0.1;
    steps.push({
      event,
      score: Math.max(LEAST, Math.min(rounded(score, 4), MOST)),
      indirect: lead > LONG_S || gap > LONG_S,
      lag: rounded(before === undefined ? lead : gap, 1),
    });
    before = event;
  });
  return steps;
}

function severityPenalty({ severity }: DeviceEvent): number {
  const rank = SEVERITIES.indexOf(severity);
  return rank === 0 ? 0.05 : rank === 1 ? 0.02 : 0;
}

function longLags(steps: readonly Step[]): string[] {
  return steps.flatMap(({ event, indirect, lag }, index) => {
    const before = steps[index - 1];
    if (before === undefined || !indirect || lag <= LONG_S) return [];
    return [`${rounded(lag, 0)} s lie between '${plain(before.event.id, 200)}' and '${plain(event.id, 200)}': possibly an indirect cause.`]; // biome-ignore format: one line
  });
}

/** The first index whose time is not before `at`; with `after`, the first that is later. */
function firstAt(times: Float64Array, at: number, after: boolean): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const time = times[middle] ?? 0;
    if (after ? time > at : time >= at) high = middle;
    else low = middle + 1;
  }
  return low;
}
