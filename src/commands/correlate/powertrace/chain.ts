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
export function inOrder(events: readonly DeviceEvent[]): Ordered {
  const rank = ({ source }: DeviceEvent): number => (PHYSICAL.has(source) ? 0 : 1);
  const sorted = events.toSorted((a, b) => a.at - b.at || rank(a) - rank(b));
  return { events: sorted, times: Float64Array.from(sorted, ({ at }) => at) };
}

export interface Ordered {
  readonly events: readonly DeviceEvent[];
  readonly times: Float64Array;
}

/** @param sorted as `inOrder` gives them. Null where no event is near. */
export function chainOf(
  { events, times }: Ordered,
  { service, points: [first] }: Degradation,
  services: ServicesOf,
  options: ChainOptions,
): Chain | null {
  const near = events.slice(
    firstAt(times, first.at - options.lag, false),
    firstAt(times, first.at + options.window, true),
  );
  if (near.length === 0) return null;
  const mapped = (event: DeviceEvent): ReadonlySet<string> => services.get(event.device) ?? NONE;
  const unmapped = near.filter((event) => mapped(event).size === 0);
  const related = near.filter((event) => mapped(event).size === 0 || mapped(event).has(service));
  const [root, ...rest] = stepsOf(related.length === 0 ? near : related, service, first.at, mapped, options);
  if (root === undefined) return null;
  const steps = [root, ...rest] as const;
  const sum = steps.reduce((total, { score }) => total + score, 0);
  return {
    steps,
    confidence: rounded(sum / steps.length, 2),
    unmapped: [...new Set(unmapped.map(({ device }) => device))],
    warnings: [
      ...unmapped.map(
        ({ device }) => `Device '${plain(device, 200)}' is in no mapping: it counts, with less confidence.`,
      ),
      ...longLags(steps),
    ],
  };
}

function stepsOf(
  events: readonly DeviceEvent[],
  service: string,
  startS: number,
  mapped: (event: DeviceEvent) => ReadonlySet<string>,
  { lag }: ChainOptions,
): Step[] {
  return events.map((event, index) => {
    const before = events[index - 1];
    const gap = before === undefined ? 0 : event.at - before.at;
    const lead = startS - event.at;
    const indirect = lead > LONG_S || gap > LONG_S;
    // In this order: sums of doubles depend on it.
    let score = BASE;
    if (mapped(event).size === 0) score -= 0.2;
    else if (!mapped(event).has(service)) score -= 0.08;
    score -= severityPenalty(event);
    if (lead > LONG_S) score -= 0.25;
    else if (lead > 0 && lag > 0) score -= (lead / lag) * 0.06;
    if (gap > LONG_S) score -= 0.25;
    else if (gap > CLOSE_S) score -= 0.1;
    return {
      event,
      score: Math.max(LEAST, Math.min(rounded(score, 4), MOST)),
      indirect,
      lag: rounded(before === undefined ? lead : gap, 1),
    };
  });
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
