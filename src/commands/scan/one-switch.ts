// One switch: ports of several hosts, or a switch's ports and those of hosts, that went down in the same seconds are one incident. Each host
// is correlated alone; what lies between them is seen only here.

import { type Component, componentText } from '../../model/component.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { isGone, isOfSwitch, isPortDown } from '../../model/switch-side.ts';
import { asOne } from './as-one.ts';
import type { Restarts } from './one-fault/after-restart.ts';
import { shortOf } from './one-fault/groups.ts';

/** What clocks of hosts and the stamps of logs leave open. */
const TOGETHER_MS = 5000;
/** A switch loses power or gets hot before its ports go. */
const BEFORE_MS = 60_000;
/** The first of its supplies fails a while before the last one. */
const FIRST_SUPPLY_MS = 600_000;
/** A switch that is restarted with new software is up again within this time. */
const STARTS_MS = 1_200_000;

/** Those that one switch, or one cable, is behind as one; all others as they are. */
export function joinedBySwitch(incidents: readonly Incident[], restarts: Restarts = new Map()): Incident[] {
  const left = incidents.filter((incident) => downMs(incident) !== null).sort((a, b) => openedOf(a) - openedOf(b));
  const joined = new Map<string, Incident>();
  const gone = new Set<string>();
  while (left.length > 0) {
    const first = left.shift();
    if (first === undefined) break;
    const together = left.filter((other) => openedOf(other) - openedOf(first) <= TOGETHER_MS);
    const group = oneOfEach([first, ...together]);
    if (new Set(group.map(({ host }) => host)).size < 2) continue;
    const dead = withoutPower(incidents, group);
    const more = incidents.filter((one) => !group.includes(one) && (dead.includes(one) || isOfItsSwitch(one, group)));
    const restarted = restartedSwitch(group, restarts);
    const stayedDown = restarted === null ? [] : incidents.filter((one) => !more.includes(one) && !group.includes(one) && isLeftDown(one, restarted, first)); // biome-ignore format: one rule
    const all = [...group, ...more, ...stayedDown];
    const lead = leadOf(all, dead);
    for (const one of all) {
      if (one !== lead) gone.add(one.id);
      const at = left.indexOf(one);
      if (at !== -1) left.splice(at, 1);
    }
    joined.set(
      lead.id,
      withRestart(
        asOne(
          lead,
          all.filter((one) => one !== lead),
        ),
        restarted,
      ),
    );
  }
  return withTraps(incidents.flatMap((one) => (gone.has(one.id) ? [] : [joined.get(one.id) ?? one])));
}

/** The only other machine that someone restarted right before ports of several hosts went down; null where there is none, or several. */
function restartedSwitch(group: readonly Incident[], restarts: Restarts): string | null {
  if (group.some(isOfSwitches)) return null;
  const hosts = new Set(group.map(({ host }) => shortOf(host)));
  const [only, ...others] = [...restarts].flatMap(([name, times]) =>
    !hosts.has(name) && times.some((ms) => group.some((one) => isNear(ms, openedOf(one), BEFORE_MS))) ? [name] : [],
  );
  return only === undefined || others.length > 0 ? null : only;
}

/** A port of it that did not come up with the others. */
function isLeftDown(one: Incident, name: string, first: Incident): boolean {
  const root = rootOf(one);
  const afterMs = one.openedMs - openedOf(first);
  if (root === undefined || !isOfSwitch(root) || !isPortDown(root) || one.state === 'resolved') return false;
  return shortOf(one.host) === name && afterMs >= 0 && afterMs <= STARTS_MS;
}

function withRestart(incident: Incident, name: string | null): Incident {
  if (name === null) return incident;
  const events = incident.events.map((event) =>
    isPortDown(event) && !isOfSwitch(event)
      ? { ...event, attributes: { ...event.attributes, switch: name, switch_restarted: true } }
      : event,
  );
  return { ...incident, events };
}

/** What a switch reported to the subnet manager of its errors, with the port that left the fabric then. */
function withTraps(incidents: readonly Incident[]): Incident[] {
  const traps = incidents.filter((one) => rootOf(one)?.attributes.trap !== undefined);
  if (traps.length === 0) return [...incidents];
  const left = new Set(traps);
  const all = incidents.flatMap((one) => {
    const root = rootOf(one);
    if (root?.attributes.program !== 'opensm' || !isPortDown(root)) return [one];
    const own = [...left].filter((trap) => Math.abs(openedOf(trap) - openedOf(one)) <= TOGETHER_MS);
    for (const trap of own) left.delete(trap);
    return own.length === 0 ? [one] : [asOne(one, own)];
  });
  return all.filter((one) => !traps.includes(one) || left.has(one));
}

/** A switch and hosts; or hosts of which none is only a user's word. */
function oneOfEach(all: readonly Incident[]): readonly Incident[] {
  return all.filter((one) => isOfSwitches(one) || one.unconfirmed === null);
}

/** When the ports of an incident went down that is of nothing else; null where it is, or where no line says when that was. */
function downMs(incident: Incident): number | null {
  const root = rootOf(incident);
  if (root === undefined || !incident.rootKnown || incident.made !== undefined) return null;
  // What goes down with a shutdown comes of no switch's.
  if (root.attributes.planned !== undefined) return null;
  const ofPorts = isPortDown(root) || isOfSwitch(root);
  const downs = incident.events.filter((event) => isPortDown(event) && isDated(event));
  return ofPorts && downs.length > 0 ? Math.min(...downs.map(({ timeMs }) => timeMs)) : null;
}

function openedOf(incident: Incident): number {
  return downMs(incident) ?? incident.openedMs;
}

/** A state that a tool printed has the time of its file, as those of other hosts may. */
function isDated({ source, attributes: { undated, tool } }: FaultEvent): boolean {
  return undated !== true && tool === undefined && source !== 'ethtool';
}

/** Of its power, its fans or its heat, in the minute before its ports went. */
function isOfItsSwitch(one: Incident, group: readonly Incident[]): boolean {
  const root = rootOf(one);
  if (root === undefined || !isOfSwitch(root) || isPortDown(root)) return false;
  const isOfPower = root.kind.startsWith('psu.');
  const beforeMs = isOfPower ? FIRST_SUPPLY_MS : BEFORE_MS;
  return group.some(
    (port) => isOfSwitches(port) && port.host === one.host && isNear(one.openedMs, openedOf(port), beforeMs),
  );
}

function isNear(ms: number, downAtMs: number, beforeMs: number): boolean {
  return ms >= downAtMs - beforeMs && ms <= downAtMs + TOGETHER_MS;
}

/** Of supplies of one switch, the last of which failed with the ports of the group; two are all that most switches have. */
function withoutPower(incidents: readonly Incident[], group: readonly Incident[]): readonly Incident[] {
  const supplies = incidents.filter(
    (one) => rootOf(one)?.kind.startsWith('psu.') === true && one.events.some(isOfSwitch),
  );
  const dead = supplies.filter(({ host, updatedMs }) => {
    const own = supplies.filter((other) => other.host === host && isNear(other.openedMs, updatedMs, FIRST_SUPPLY_MS));
    return isPowerless(own) && group.some((port) => isNear(updatedMs, openedOf(port), TOGETHER_MS));
  });
  const hosts = new Set(dead.map(({ host }) => host));
  const last = Math.max(...dead.map(({ updatedMs }) => updatedMs));
  return supplies.filter(({ host, openedMs }) => hosts.has(host) && isNear(openedMs, last, FIRST_SUPPLY_MS));
}

function isPowerless(incidents: readonly Incident[]): boolean {
  const supplies = incidents
    .flatMap(({ events }) => events)
    .filter((event) => isOfSwitch(event) && event.kind.startsWith('psu.') && event.state !== 'clear');
  return new Set(supplies.map(placeOf)).size > 1;
}

function isOfSwitches(incident: Incident): boolean {
  return incident.events.some(isSwitchPort);
}

function rootOf({ events, root }: Incident): FaultEvent | undefined {
  return events.find(({ id }) => id === root.eventId);
}

/**
 * The switch that is gone from its fabric, or has no power; else the one that lost more than one port. Of one port and one host the host, whose
 * work is to be taken off it. One port of a switch leads to one host or switch: where several hosts lost theirs it saw them go and no more,
 * and the first of the hosts leads.
 */
function leadOf(all: readonly Incident[], dead: readonly Incident[]): Incident {
  const switches = all.filter(isOfSwitches);
  const hosts = all.filter((one) => !isOfSwitches(one) && rootIsPort(one));
  const gone = all.find(({ events }) => events.some(isGone)) ?? dead.toSorted((a, b) => b.updatedMs - a.updatedMs)[0];
  const several = switches.find(({ events }) => new Set(events.filter(isSwitchPort).map(placeOf)).size > 1);
  return gone ?? several ?? (hosts.length === 0 ? switches[0] : hosts[0]) ?? (all[0] as Incident);
}

function isSwitchPort(event: FaultEvent): boolean {
  return isOfSwitch(event) && isPortDown(event);
}

function rootIsPort(incident: Incident): boolean {
  const root = rootOf(incident);
  return root !== undefined && isPortDown(root);
}

function placeOf({ component }: { readonly component: Component | null }): string {
  return component === null ? '' : `${component.host ?? ''} ${componentText(component)}`;
}
