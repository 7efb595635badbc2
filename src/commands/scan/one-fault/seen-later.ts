// Seen later: what a tool printed, without a time, of a part that a dated log has a fault of is a look at that fault, whenever it was; and so is what
// the only fault of its host brings about.

import { causesOf } from '../../../correlation/graph/cause-graph.ts';
import type { Component } from '../../../model/component.ts';
import type { FaultEvent } from '../../../model/event.ts';
import { fileServerName } from '../../../model/file-server-name.ts';
import type { Incident } from '../../../model/incident.ts';
import type { Kind } from '../../../model/kind.ts';
import { logOfHost } from '../../../model/unnamed-host.ts';
import { logOf } from '../found-events.ts';
import { type Group, isRooted, placeOf, rootOf } from './groups.ts';

/** What a fault brought about is looked at within days; a part that failed stays so until it is swapped. */
const LOOKED_MS = 3 * 86_400_000;
const NEAR = new Set(['same_host', 'same_component', 'same_card', 'within', 'downstream']);

/** It lasts, and was so before what it is behind. */
const LASTS: ReadonlySet<Kind> = new Set<Kind>(['host.disk_full']);

/** Groups of what logs without times show, each led by the only fault that it can be of. `undated`: the logs that have the time of their file. */
export function ofSeenLater(incidents: readonly Incident[], undated: ReadonlySet<string>): Group[] {
  if (undated.size === 0) return [];
  const isUndated = (one: Incident): boolean => one.events.every((event) => undated.has(logOf(event)));
  const dated = incidents.filter((one) => isRooted(one) && !isUndated(one));
  const groups = new Map<Incident, Incident[]>();
  for (const look of incidents) {
    if (look.made !== undefined || !isUndated(look) || rootOf(look)?.source === 'job-log') continue;
    const before = dated.filter((one) => one.openedMs <= look.openedMs);
    const ofPart = before.filter((one) => isSamePart(one, look));
    const near = before.filter((one) => look.openedMs - one.openedMs <= LOOKED_MS);
    const behind = near.filter((one) => isBehind(one, look));
    const alike = near.filter((one) => isOfNoPart(one, look));
    const [fault, ...others] = [ofPart, alike, behind, near.filter((one) => isSameCard(one, look))].find((all) => all.length > 0) ?? []; // biome-ignore format: one list
    if (fault !== undefined && others.length === 0) groups.set(fault, [...(groups.get(fault) ?? []), look]);
    if (fault !== undefined || !LASTS.has(look.root.kind)) continue;
    const [effect, ...more] = near.filter((one) => isBehind(look, one));
    if (effect !== undefined && more.length === 0) groups.set(look, [effect]);
  }
  return [...groups].map(([lead, others]) => ({ lead, others }));
}

/** Times that are counted back may be off by that, and say nothing then of those of another log. */
const OFF_MS = 3_600_000;

/** What such logs show in an incident that is dated says so: when it was seen is when someone looked. */
export function withLooks(
  incident: Incident,
  undated: ReadonlySet<string>,
  countedBack: ReadonlySet<string>,
): Incident {
  const times = incident.events.flatMap((event) =>
    undated.has(logOf(event)) || countedBack.has(logOf(event)) ? [] : [event.timeMs],
  );
  const isLook = (event: FaultEvent): boolean =>
    undated.has(logOf(event)) ||
    (countedBack.has(logOf(event)) && times.every((ms) => Math.abs(ms - event.timeMs) > OFF_MS));
  if (!incident.events.some(isLook) || incident.events.every(isLook)) return incident;
  const root = rootOf(incident);
  const part = root === undefined ? null : partOf(root);
  // One part, by whatever log its host is called.
  const events = incident.events.map((event) =>
    isLook(event)
      ? {
          ...event,
          component: part !== null && partOf(event) === part ? incident.root.component : event.component,
          attributes: { ...event.attributes, undated: true },
        }
      : event,
  );
  return { ...incident, events };
}

/** The same kind of thing, of one part of one host; a host that neither log names may be one. */
function isSamePart(fault: Incident, look: Incident): boolean {
  const seen = rootOf(look);
  const part = seen === undefined ? null : partOf(seen);
  if (seen === undefined || part === null) return false;
  if (!fault.events.some((event) => familyOf(event) === familyOf(seen) && partOf(event) === part)) return false;
  const [at, of] = [placeOf(fault), placeOf(look)];
  // A server is missed by any of its clients.
  if (serverOf(seen) === part) return true;
  return at === of || isUnnamed(at) || isUnnamed(of);
}

function isBehind(fault: Incident, look: Incident): boolean {
  if (placeOf(fault) !== placeOf(look) || isUnnamed(placeOf(fault))) return false;
  const rows = causesOf(look.root.kind).get(fault.root.kind) ?? [];
  return rows.some(({ relation }) => NEAR.has(relation));
}

/** What a tool says of a host's disk or fan, without which, is of the only one of them there that failed; of no named host of any. */
function isOfNoPart(fault: Incident, look: Incident): boolean {
  const isOfWhole = look.root.component === null || look.root.component.type === 'host';
  const isOfPart = PARTS.has(fault.root.component?.type ?? 'host');
  const isAlike = fault.root.kind === look.root.kind || [fault, look].every(({ root }) => OF_LINKS.has(root.kind));
  const isThere = placeOf(fault) === placeOf(look) || isUnnamed(placeOf(look));
  return isOfWhole && isOfPart && isAlike && isThere;
}
/** What is wrong with one link, as it fails and as its counters have it. */
const OF_LINKS: ReadonlySet<Kind> = new Set<Kind>(['nic.port_down', 'nic.link_flap', 'nic.link_degraded']);

/** The tools of a fabric call a card by its device, and the kernel by its interface; of a host with several that failed none is guessed. */
function isSameCard(fault: Incident, look: Incident): boolean {
  const [one, other] = [fault.root.component, look.root.component];
  if (one?.type !== 'nic' || other?.type !== 'nic' || placeOf(fault) !== placeOf(look)) return false;
  return OF_DEVICE.test(other.id) && ![one.id, ...(one.aliases ?? [])].some((name) => OF_DEVICE.test(name));
}
const OF_DEVICE = /^(?:mlx\d_|HCA-)/;

function isUnnamed(host: string): boolean {
  return logOfHost(host) !== null;
}

function familyOf({ kind }: FaultEvent): string {
  return kind.slice(0, kind.indexOf('.'));
}

/** `disk sdc`, `fan 7`, `link 14`: a part without its host; null where it is of no part. */
function partOf(event: FaultEvent): string | null {
  const {
    component,
    attributes: { link },
  } = event;
  if (typeof link === 'number') return `link ${link}`;
  const server = serverOf(event);
  if (server !== null) return server;
  if (component === null || !PARTS.has(component.type)) return null;
  return `${component.type} ${component.id.slice(component.id.lastIndexOf('/') + 1)}`;
}

/** What a client waits for; null where its line names none. */
function serverOf({ kind, attributes }: FaultEvent): string | null {
  const name = kind === 'storage.stall' ? fileServerName(attributes) : null;
  return name === null ? null : `${attributes.file_system} ${name}`;
}

const PARTS: ReadonlySet<Component['type']> = new Set<Component['type']>(['disk', 'fan', 'psu', 'dimm', 'nic']);
