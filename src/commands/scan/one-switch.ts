// One switch: ports of several hosts, or a switch's ports and those of hosts, that went down in the same seconds are one incident. Each host
// is correlated alone; what lies between them is seen only here.

import { type Component, componentText } from '../../model/component.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { isOfSwitch, isPortDown } from '../../model/switch-side.ts';
import { asOne } from './as-one.ts';

/** What clocks of hosts and the stamps of logs leave open. */
const TOGETHER_MS = 5000;
/** A switch loses power or gets hot before its ports go. */
const BEFORE_MS = 60_000;
/** Those that one switch, or one cable, is behind as one; all others as they are. */
export function joinedBySwitch(incidents: readonly Incident[]): Incident[] {
  const left = incidents.filter((incident) => downMs(incident) !== null).sort((a, b) => openedOf(a) - openedOf(b));
  const joined = new Map<string, Incident>();
  const gone = new Set<string>();
  while (left.length > 0) {
    const first = left.shift();
    if (first === undefined) break;
    const together = left.filter((other) => openedOf(other) - openedOf(first) <= TOGETHER_MS);
    const group = oneOfEach([first, ...together]);
    if (new Set(group.map(({ host }) => host)).size < 2) continue;
    const more = incidents.filter((one) => !group.includes(one) && isOfItsSwitch(one, group));
    const all = [...group, ...more];
    const lead = leadOf(all);
    for (const one of all) {
      if (one !== lead) gone.add(one.id);
      const at = left.indexOf(one);
      if (at !== -1) left.splice(at, 1);
    }
    joined.set(
      lead.id,
      asOne(
        lead,
        all.filter((one) => one !== lead),
      ),
    );
  }
  return withTraps(incidents.flatMap((one) => (gone.has(one.id) ? [] : [joined.get(one.id) ?? one])));
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
  return group.some((port) => isOfSwitches(port) && port.host === one.host && isNear(one.openedMs, openedOf(port)));
}

function isNear(ms: number, downAtMs: number): boolean {
  return ms >= downAtMs - BEFORE_MS && ms <= downAtMs + TOGETHER_MS;
}

function isOfSwitches(incident: Incident): boolean {
  return incident.events.some((event) => isOfSwitch(event) && isPortDown(event));
}

function rootOf({ events, root }: Incident): FaultEvent | undefined {
  return events.find(({ id }) => id === root.eventId);
}

/**
 * The switch, where it lost more than one port; of one port and one host the host, whose work is to be taken off it; of hosts alone the
 * first.
 */
function leadOf(all: readonly Incident[]): Incident {
  const switches = all.filter(isOfSwitches);
  const hosts = all.filter((one) => !isOfSwitches(one) && rootIsPort(one));
  const ports = new Set(switches.flatMap(({ events }) => events.filter(isPortDown).map(placeOf)));
  const first = switches.length > 0 && (ports.size > 1 || hosts.length !== 1) ? switches[0] : hosts[0];
  return first ?? (all[0] as Incident);
}

function rootIsPort(incident: Incident): boolean {
  const root = rootOf(incident);
  return root !== undefined && isPortDown(root);
}

function placeOf({ component }: { readonly component: Component | null }): string {
  return component === null ? '' : `${component.host ?? ''} ${componentText(component)}`;
}
