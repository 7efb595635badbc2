// Switch side: what to do about a port, a supply or a fan of a switch, and about one switch behind the ports of several hosts. Whoever
// runs the network sees to it, and no cable is pulled before it is known what runs over it.

import type { Component } from '../../model/component.ts';
import { nameText } from '../../model/component-name.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { type Kind, kindInfo } from '../../model/kind.ts';
import { plain } from '../../model/plain.ts';
import { isGone, isOfSwitch, isPortDown } from '../../model/switch-side.ts';
import { backMs } from './back.ts';
import { hostOf, listOf } from './host-list.ts';
import { isPortOver } from './port-over.ts';
import type { Special } from './special-step.ts';

type Read = Pick<Incident, 'root' | 'events' | 'host'>;

const NETWORK = 'who runs the network';
const CALL = `${NETWORK} (switch @)`;
const SHOWS = 'NX-OS, EOS, IOS: show environment; SONiC: show platform psustatus, show platform temperature';
const SAID: Partial<Readonly<Record<Kind, string>>> = {
  'psu.failure': 'supply failed',
  'psu.input_lost': 'supply without input',
  'host.overtemp': 'too hot',
};

/** Null where nothing of it is a switch's, and no ports of several hosts went down at once. */
export function ofSwitch(incident: Read & Partial<Pick<Incident, 'resolvedMs'>>): Special | null {
  const root = rootOf(incident);
  if (root === undefined) return null;
  const hosts = hostsWithIt(incident);
  if (!isOfSwitch(root) && hosts.length > 0) return behind(incident, root, hosts);
  if (!isOfSwitch(root)) return root.attributes.left_fabric === true ? leftFabric(root) : null;
  if (isLost(incident, root)) return lostSwitch(incident);
  if (isWhole(incident, root)) return wholeSwitch(incident);
  if (!isPortDown(root)) return partOf(root);
  const disabled = incident.events.findLast(
    (event) => isOfSwitch(event) && typeof event.attributes.disabled === 'string',
  );
  if (disabled !== undefined) return disabledPort(disabled);
  const read = { resolvedMs: null, ...incident };
  return backMs(read) === null || isPortOver(read) ? onePort(root) : portBack(root);
}

/** `leaf-20 lost 3 ports at once, with links of gx-1 and gx-2; its log: too hot`, `gx-1 and gx-2 lost their ports at once`; null of one port. */
export function switchRoot(incident: Read): string | null {
  const root = rootOf(incident);
  if (root === undefined) return null;
  const hosts = hostsWithIt(incident);
  const by = root.attributes.switch_restarted === true ? `: switch ${plain(String(root.attributes.switch), 64)} was restarted` : ''; // biome-ignore format: one rule
  if (!isOfSwitch(root))
    return hosts.length === 0 ? null : `${listOf(withOwn(root, hosts))} lost their ports at once${by}`;
  if (!isWhole(incident, root)) return null;
  if (isLost(incident, root)) return lostText(incident, root, hosts);
  const ports = portsOf(incident, root).length;
  const lost = ports === 1 ? 'a port' : `${ports} ports`;
  return `${plain(hostOf(root) ?? incident.host, 64)} lost ${lost} at once${linksText(hosts)}${boxText(incident)}`;
}

/** `switch leaf-20 is gone, says opensm, with links of gx-1 and gx-2; its log: supply without input`. */
function lostText(incident: Read, root: FaultEvent, hosts: readonly string[]): string {
  const how = incident.events.some(isGone) ? 'is gone, says opensm' : 'lost its power';
  return `switch ${plain(hostOf(root) ?? incident.host, 64)} ${how}${linksText(hosts)}${boxText(incident)}`;
}

function linksText(hosts: readonly string[]): string {
  return hosts.length === 0 ? '' : `, with links of ${listOf(hosts)}`;
}

function boxText(incident: Read): string {
  const box = [...new Set(partsIn(incident).map(({ kind }) => SAID[kind] ?? kindInfo(kind).title))];
  return box.length === 0 ? '' : `; its log: ${box.join(', ')}`;
}

/** Gone from its fabric, or, with ports of hosts, a switch of which more than one supply has no power. */
function isLost(incident: Read, root: FaultEvent): boolean {
  const hasHosts = hostsWithIt(incident).length > 0;
  return isGone(root) || (hasHosts && partsIn(incident).length > 1 && root.kind.startsWith('psu.'));
}

/** Behind the name of a root that is a host's port: `, and at once leaf-1 port Ethernet5`; empty where it is one port alone. */
export function withIt(incident: Read): string {
  const root = rootOf(incident);
  if (root === undefined) return '';
  if (isOfSwitch(root)) return againText(incident, root);
  const trap = incident.events.find(({ attributes }) => typeof attributes.trap === 'number');
  const after =
    trap === undefined || trap.id === root.id
      ? ''
      : `, with trap ${trap.attributes.trap} of LID ${trap.attributes.lid}`;
  return `${otherEnd(incident, root) ?? ''}${after}`;
}

/** `, 2 times; it counts errors, too`: of one port of a switch. */
function againText({ events }: Read, root: FaultEvent): string {
  const downs = events
    .filter((event) => isOfSwitch(event) && isPortDown(event))
    .reduce((sum, { count }) => sum + count, 0);
  const counts = isPortDown(root) && events.some(({ kind }) => kind === 'nic.link_degraded');
  return `${downs > 1 && isPortDown(root) ? `, ${downs} times` : ''}${counts ? '; its counters show errors' : ''}`;
}

function rootOf({ events, root }: Read): FaultEvent | undefined {
  return events.find(({ id }) => id === root.eventId);
}

function isWhole(incident: Read, root: FaultEvent): boolean {
  return isLost(incident, root) || hostsWithIt(incident).length > 1 || portsOf(incident, root).length > 1;
}

/** What the switch says of its supplies, fans and heat. */
function partsIn({ events }: Read): readonly FaultEvent[] {
  return events.filter((event) => isOfSwitch(event) && event.component?.type !== 'nic' && event.state !== 'clear');
}

/** The one port of a switch that went down, or counts errors, with the one port of a host. */
function otherEnd({ events }: Read, root: FaultEvent): string | null {
  const isDown = isPortDown(root);
  if (!isDown && root.kind !== 'nic.link_degraded') return null;
  const alike = events.filter((event) => isOfSwitch(event) && (isDown ? isPortDown(event) : event.kind === root.kind));
  const [port, ...others] = new Set(alike.map(nameOf));
  if (port === undefined || others.length > 0) return null;
  return isDown ? `, and at once ${port}` : `, and ${port}: perhaps one cable`;
}

function nameOf({ component }: FaultEvent): string {
  return nameText(component);
}

/** Ports of the switch of the root. */
function portsOf({ events }: Read, root: FaultEvent): readonly Component[] {
  const at = hostOf(root);
  const ports = new Map<string, Component>();
  for (const event of events)
    if (isOfSwitch(event) && isPortDown(event) && event.component !== null && hostOf(event) === at)
      ports.set(event.component.id, event.component);
  return [...ports.values()];
}

/** Other hosts than the root's whose own ports went down in it. */
function hostsWithIt({ events, root }: Read): readonly string[] {
  const own = events.find(({ id }) => id === root.eventId);
  const at = own === undefined ? undefined : hostOf(own);
  const hosts = events.flatMap((event) => {
    const host = isPortDown(event) && !isOfSwitch(event) ? hostOf(event) : undefined;
    return host === undefined || host === at ? [] : [host];
  });
  return [...new Set(hosts)].sort();
}

function wholeSwitch(incident: Read): Special {
  const box = [...new Set(partsIn(incident).map(({ kind }) => (kind.startsWith('psu.') ? 'supplies' : kind === 'host.overtemp' ? 'heat' : 'fans')))]; // biome-ignore format: one list
  return {
    does: `see ${box.length === 0 ? 'what is wrong with' : `the ${box.join(' and ')} of`} switch @: its ports went down together; reseat no cable`,
    now: `on @, see its power, fans and heat (${SHOWS}), and in its log whether it restarted at TIME; what runs over it waits or fails until it is back`,
    call: CALL,
  };
}

function lostSwitch(incident: Read): Special {
  const isOfPower = partsIn(incident).some(({ kind }) => kind.startsWith('psu.'));
  return {
    does: isOfPower
      ? 'see cords, outlets and feed of switch @; reseat no cable'
      : 'see whether switch @ has power, and whether someone restarts it; reseat no cable',
    now: 'ping -c 3 @; where it is silent, see lamps, cords and outlets of its supplies; a switch with power that stays away is swapped; what runs over it waits or fails until it is back (sudo ibswitches lists it then)',
    call: CALL,
  };
}

function behind({ events }: Read, root: FaultEvent, hosts: readonly string[]): Special {
  const all = listOf(withOwn(root, hosts));
  if (root.attributes.switch_restarted === true) return restarted(events, plain(String(root.attributes.switch), 64), all); // biome-ignore format: one rule
  const named = new Set(events.filter(isPortDown).map(({ attributes }) => attributes.switch));
  const [only] = named.size === 1 ? named : [];
  if (typeof only === 'string') {
    const name = plain(only, 64);
    return {
      does: `see what is wrong with switch ${name}: the ports of ${all} on it went down at once; reseat nothing`,
      now: `see power, fans, heat and log of ${name} at TIME, and whether it restarted (sudo ibswitches; sudo iblinkinfo)`,
      call: `${NETWORK} (switch ${name})`,
    };
  }
  const seen = events.find((event) => isOfSwitch(event) && isPortDown(event));
  const by =
    seen === undefined ? '' : `see which switch is at the other end of ${nameOf(seen)}, which saw it go; else `;
  return {
    does: `see the switch behind ${all}: their ports went down at once; reseat nothing`,
    now: `${by}find which switch it is (on ${plain(hostOf(root) ?? 'one of them', 64)}, sudo lldpctl; InfiniBand: sudo iblinkinfo; or the cable plan), then its power, fans, heat and log at TIME (${SHOWS}); where it is well, see what else they share`,
    call: `${NETWORK}: the switch of ${all}`,
  };
}

/** Its own log says that someone did it; what stays down behind it is what is to be seen to. */
function restarted(events: readonly FaultEvent[], name: string, all: string): Special {
  const stay = [...new Set(events.filter((event) => isOfSwitch(event) && isPortDown(event)).map(nameOf))];
  const down = stay.length === 0 ? '' : `${stay.slice(0, PORTS).join(', ')} stayed down: see its other end, then reseat its cable and transceiver; `; // biome-ignore format: one rule
  return {
    does: `ask who restarted switch ${name}, and see that all of ${all} came back`,
    now: `${down}on each of them, ip -br link show says whether its port is up; where no one knows of the restart, see power and log of ${name} at TIME`,
    call: `${NETWORK} (switch ${name})`,
  };
}
const PORTS = 4;

/** Its host may have been rebooted, or its cable gone. */
function leftFabric({ component }: FaultEvent): Special {
  const port = /^[a-z]\w{1,15}$/.test(component?.id ?? '') ? ` ${component?.id}` : '';
  return {
    does: 'see whether @ is up, then the cable of %, which left the fabric',
    now: `ping -c 3 @: where it was rebooted on purpose, nothing is wrong; where it is up, on @ ibstat${port} and sudo dmesg -T | grep mlx5 say whether the link is down: then reseat cable and transceiver at both ends`,
    call: 'who runs @, then who runs the InfiniBand fabric',
  };
}

function withOwn(root: FaultEvent, hosts: readonly string[]): readonly string[] {
  const own = hostOf(root);
  return own === undefined ? hosts : [own, ...hosts];
}

function disabledPort({ component, attributes: { disabled } }: FaultEvent): Special {
  const port = plain(component?.id ?? 'PORT', 64);
  return {
    does: `see to the cable of %, which its switch disabled (${plain(String(disabled), 60)}); then enable it`,
    now: `see on @ what is at the other end (show lldp neighbors) and keep new work off that host; have cable and transceiver swapped; then bring ${port} back (shut, no shut), for it stays down until someone does`,
    call: CALL,
  };
}

/** What is at its other end may only have been restarted. */
function portBack({ attributes: { peer, program } }: FaultEvent): Special {
  const look = program === 'opensm' ? 'sudo iblinkinfo' : 'show lldp neighbors';
  const end = typeof peer === 'string' ? plain(peer, 64) : `what is at its other end (${look})`;
  return {
    does: 'nothing at once: % is up again; ask why it went down',
    now: `it is up again since BACK: ask whether ${end} was restarted on purpose; where it goes down again, reseat cable and transceiver at both ends`,
    call: CALL,
  };
}

function onePort({ attributes: { peer, program } }: FaultEvent): Special {
  const look = program === 'opensm' ? 'sudo iblinkinfo' : 'show lldp neighbors';
  const end = `the other end (${typeof peer === 'string' ? plain(peer, 64) : look})`;
  return {
    does: 'see what is at the other end of %, and check the cable between',
    now: `see whether ${end} is up, or was restarted on purpose; where it has work over other ports, keep new work off it; then reseat cable and transceiver at both ends, and swap them one by one`,
    call: CALL,
  };
}

function partOf({ kind, attributes: { fan } }: FaultEvent): Special | null {
  if (kind === 'psu.input_lost')
    return {
      does: 'see cord and outlet of %, which has no input',
      now: `look at the cord and the outlet of %; where they have power, have it swapped: the switch runs on what is left (${SHOWS})`,
      call: CALL,
    };
  if (kind === 'psu.failure')
    return {
      does: 'see whether % has power; where it has, have it swapped',
      now: `look at its cord and outlet (${SHOWS}); the switch runs on what is left, so see that another supply is well before this one is pulled`,
      call: CALL,
    };
  if (kind === 'host.fan_failure')
    return {
      does: `have fan ${fan === undefined || fan === null ? '' : `${plain(String(fan), 24)} `}of switch @ swapped`,
      now: `see the other fans and the heat of @ (${SHOWS}): a switch that gets too hot switches itself off, with all its ports`,
      call: CALL,
    };
  if (kind !== 'host.overtemp') return null;
  return {
    does: 'cool switch @, before it switches itself off',
    now: `see fans, filters and the air before @ (${SHOWS}), and whether what is next to it is warm as well`,
    call: CALL,
  };
}
