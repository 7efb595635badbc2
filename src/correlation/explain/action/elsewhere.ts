// Elsewhere: faults whose repair is not on this host — a file server, or the fabric behind all of its ports.

import type { Component } from '../../../model/component.ts';
import type { Incident } from '../../../model/incident.ts';
import type { Kind } from '../../../model/kind.ts';
import type { Cluster, Condition } from '../../belief/condition.ts';
import type { TopologyIndex } from '../../topology/topology-index.ts';

type Advice = Incident['action'];

/** So many ports do not fail together: what is behind them does. */
const SEVERAL_PORTS = 3;
/** What one switch does to the ports behind it: those that it drops, some once and some again and again, are counted together. */
const ALIKE: readonly (readonly Kind[])[] = [['nic.link_degraded'], ['nic.port_down', 'nic.link_flap']];
const LONGEST_NAME = 128;

/** The server that what happened names, and no one to this host; of GPFS, each node of which is one, the node that says it. */
export function fileServer(root: Condition): Advice | null {
  const { server, file_system: system, on_server: isServer } = root.first.attributes;
  if (!root.kind.startsWith('storage.') || root.kind === 'storage.full' || typeof server !== 'string' || server === '')
    return null;
  if (system === 'beegfs' && isServer === true) return null;
  if (system === 'gpfs')
    return {
      kind: 'inspect_hardware',
      target: root.component,
      why: 'the file system: its nodes, its disks, the network',
    };
  const target: Component = { type: 'host', id: server.slice(0, LONGEST_NAME) };
  return {
    kind: 'inspect_hardware',
    target,
    why: 'the file server: its service, its disks, the network to it; nothing on this host',
  };
}

/** All ports of the host at once, or several cards: no cable of theirs. */
export function fabricBehind(root: Condition, members: Cluster['members'], topology: TopologyIndex): Advice | null {
  const behind = portsBehind(root, members, topology);
  if (behind === null) return null;
  const which = behind.all ? `all ${behind.ports} ports` : `${behind.ports} ports`;
  const why = `${which} of this host at once: the switches behind them, not a cable`;
  return { kind: isPaused(root) ? 'check_config' : 'check_link', target: null, why };
}

/** The fabric pauses every port of the host: none of them is what is wrong. How many there are; null where it is not so. */
export function pausedPorts(
  { root, members }: Pick<Cluster, 'root' | 'members'>,
  topology: TopologyIndex,
): number | null {
  const behind = isPaused(root) ? portsBehind(root, members, topology) : null;
  return behind?.all === true ? behind.ports : null;
}

function portsBehind(
  root: Condition,
  members: Cluster['members'],
  topology: TopologyIndex,
): { readonly ports: number; readonly all: boolean } | null {
  const alike = ALIKE.find((kinds) => kinds.includes(root.kind));
  if (alike === undefined || root.component?.type !== 'nic') return null;
  const ports = new Set<string>();
  const cards = new Set<string>();
  for (const { condition } of members) {
    if (!alike.includes(condition.kind) || condition.component?.type !== 'nic') continue;
    ports.add(condition.text);
    cards.add(condition.component.id.split('.')[0] ?? '');
  }
  const all = portsOf(topology);
  if (cards.size < 2 || (ports.size < SEVERAL_PORTS && ports.size < all)) return null;
  return { ports: ports.size, all: ports.size >= all };
}

/** Flow control holds the ports up: priorities, buffers and who sends too much, and no link is bad. */
function isPaused({ first: { attributes } }: Condition): boolean {
  return [attributes.quantity, attributes.counter].some((name) => typeof name === 'string' && /pause|pfc/i.test(name));
}

function portsOf(topology: TopologyIndex): number {
  let ports = 0;
  for (const component of topology.components())
    if (component.type === 'nic' && topology.hostOf(component) === topology.host) ports += 1;
  return ports;
}
