// After restart: a host that an operator restarts after a fault is missed by its scheduler, and its links go down at the switch: both are of that
// fault; where nothing was wrong before, and the host came back, neither is worth an incident.

import type { FaultEvent } from '../../../model/event.ts';
import type { Incident } from '../../../model/incident.ts';
import type { Kind } from '../../../model/kind.ts';
import { isOfSwitch, isPortDown } from '../../../model/switch-side.ts';
import { type Group, isRooted, joinedGroups, placeOf, rootOf, shortOf } from './groups.ts';

/** A GPU server takes a quarter of an hour to start, and a scheduler misses it after minutes. */
const MISSED_MS = 1_200_000;
/** A scheduler may be asked for the restart before the host says that it goes down. */
const BEFORE_MS = 60_000;
/** Two ends of one link see the same moment. */
const AT_ONCE_MS = 2000;
/** A fault is seen to within a day. */
const SEEN_TO_MS = 86_400_000;

const MISSED: ReadonlySet<Kind> = new Set<Kind>(['host.down', 'host.not_ready', 'host.rebooted', 'driver.service_stopped', 'fabric_manager.stopped']); // biome-ignore format: one list
/** After which a host is restarted by itself, whatever it says then. */
const STOPS: ReadonlySet<Kind> = new Set<Kind>(['host.panic', 'host.kernel_oops', 'power.feed_lost']);

/** When the lines of a host say that it was shut down or restarted on purpose, by its short name. */
export type Restarts = ReadonlyMap<string, readonly number[]>;

/** `events`: all that was found, with ports that went down with a shutdown, which open no incident. */
export function withoutRestarts(
  incidents: readonly Incident[],
  restarts: Restarts,
  events: readonly FaultEvent[],
): Incident[] {
  if (restarts.size === 0) return [...incidents];
  const groups = new Map<Incident, Incident[]>();
  const quiet = new Set<Incident>();
  for (const one of incidents) {
    const host = restartOf(one, restarts, events);
    if (host === null) continue;
    const fault = faultBefore(one, host, incidents);
    if (fault !== null) groups.set(fault, [...(groups.get(fault) ?? []), one]);
    else if (one.state === 'resolved' && rootOf(one)?.attributes.planned === undefined) quiet.add(one);
  }
  const joined = [...groups].map(([lead, others]): Group => ({ lead, others }));
  return joinedGroups(
    incidents.filter((one) => !quiet.has(one)),
    joined,
  );
}

/** The host whose restart it comes of; null where it does not. */
function restartOf(one: Incident, restarts: Restarts, events: readonly FaultEvent[]): string | null {
  const root = rootOf(one);
  if (root === undefined || one.made !== undefined) return null;
  const times = restarts.get(placeOf(one)) ?? [];
  const isAfter = times.some((ms) => one.openedMs >= ms - BEFORE_MS && one.openedMs <= ms + MISSED_MS);
  if (root.attributes.planned === 'shutdown' && !isOfSwitch(root)) return placeOf(one);
  if (isAfter && MISSED.has(one.root.kind) && one.events.every(({ kind }) => !STOPS.has(kind))) return placeOf(one);
  if (!isOfSwitch(root) || !isPortDown(root)) return null;
  const ports = new Set(one.events.filter(isPortDown).map(({ component }) => component?.id));
  if (ports.size > 1) return null;
  const near = events.filter(
    (event) =>
      isPortDown(event) &&
      event.attributes.planned === 'shutdown' &&
      Math.abs(event.timeMs - root.timeMs) <= AT_ONCE_MS,
  );
  const [host, ...others] = new Set(near.flatMap(({ component }) => component?.host ?? []));
  return host !== undefined && others.length === 0 ? shortOf(host) : null;
}

/** The last fault of the host before its restart. */
function faultBefore(one: Incident, host: string, incidents: readonly Incident[]): Incident | null {
  const before = incidents.filter(
    (other) =>
      other !== one &&
      isRooted(other) &&
      !MISSED.has(other.root.kind) &&
      placeOf(other) === host &&
      other.openedMs <= one.openedMs &&
      one.openedMs - other.openedMs <= SEEN_TO_MS,
  );
  return before.sort((a, b) => b.openedMs - a.openedMs)[0] ?? null;
}
