// Pause storm: a card that stalls has its switch wait until the switch gives the queue up. Its host is to be looked at, and no cable.

import type { Component } from '../../model/component.ts';
import { nameText } from '../../model/component-name.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import { isOfSwitch } from '../../model/switch-side.ts';
import type { Special } from './special-step.ts';

type Read = Pick<Incident, 'root' | 'events' | 'host'>;

/** `leaf-2 port Ethernet12 is paused by what is at its other end, 6 times`; null of anything else. */
export function stormRoot(incident: Read): string | null {
  const root = stormOf(incident);
  if (root === null) return null;
  const ofPort = incident.events.filter((event) => isStorm(event) && isOfSwitch(event));
  const [port] = ofPort;
  const times = ofPort.reduce((sum, { count }) => sum + count, 0);
  const until = `until it drops${times > 1 ? `, ${times} times` : ''}`;
  if (isOfSwitch(root)) return `PFC storm: the host at ${nameText(root.component)} pauses it ${until}`;
  const host = where(root.component, incident.host);
  return port === undefined
    ? `PFC storm: ${host} pauses its switch${counted(root)}`
    : `PFC storm: ${host} pauses ${nameText(port.component)} ${until}`;
}

export function ofPauseStorm(incident: Read): Special | null {
  const root = stormOf(incident);
  if (root === null) return null;
  if (isOfSwitch(root))
    return {
      does: 'find the host at the other end of %, take its work off, and look at its card, PCIe and driver; no cable',
      now: 'see which host it is (on @, show lldp neighbors, or the description of that port); on it, ethtool -S DEVICE | grep -E "pause_storm|prio._pause|pci_stalled": tx_prio pauses that grow, with outbound_pci_stalled_wr above 30 or storm events, are its own; let no new work onto it, and see its dmesg, PCIe link (lspci -vv) and firmware',
      call: 'who runs the network (switch @), with who runs that host',
    };
  return {
    does: 'look at card, PCIe and driver of @, which does not take what arrives; no cable',
    now: 'DRAIN; on @, sudo dmesg -T | grep -iE "mlx5|aer|pcie" and lspci -vv for the link of the card; ethtool -S DEVICE | grep pci_stalled: a share of outbound_pci_stalled_wr that stays high is the PCIe side; then firmware, a power cycle',
    call: 'who runs @, with who runs the network',
  };
}

function stormOf({ events, root }: Read): FaultEvent | null {
  const own = events.find(({ id }) => id === root.eventId);
  return own !== undefined && isStorm(own) ? own : null;
}

function isStorm({ attributes, state }: FaultEvent): boolean {
  return attributes.pause_storm === true && state !== 'clear';
}

function where(component: Component | null, host: string): string {
  return component?.type === 'nic' ? nameText(component) : plain(host, 64);
}

function counted({ attributes: { counter, count } }: FaultEvent): string {
  return typeof counter === 'string' ? ` (${plain(counter, 48)} ${count})` : '';
}
