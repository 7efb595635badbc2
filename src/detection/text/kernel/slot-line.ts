// Slots that cards are pulled from while the host runs (pciehp): a link that goes down by order, and one that breaks.

import type { KernelContext } from './context.ts';
import { type DeviceMessage, deviceMessage } from './device-message.ts';
import type { Finding } from './finding.ts';

/** A slot has power for five seconds after the button; then its drivers let go of the card, and the card may be pulled. */
const ORDERED_MS = 60_000;
/** Far more than a host has. */
const MOST_SLOTS = 256;
const SLOT = 'pciehp: Slot(';

/**
 * drivers/pci/hotplug/pciehp_ctrl.c, newer and older: "Slot(12): Button press: will power off in 5 sec", "Slot(12): Powering off due
 * to button press"; "Slot(12): Attention button pressed" comes before one of these and may also be the order to power on.
 */
const OFF = /^\): (?:Button press: will power off in|Powering off due to button press)/;
/** The order is taken back, or over: the slot has a card again. */
const NOT_OFF =
  /^\): (?:Button press: (?:canceling request to power off|will power on)|Button cancel|Action canceled due to button press|Powering on due to button press|Card present|Link Up)/;

/** "pcieport 0000:42:01.0: pciehp: Slot(17): Link Down". */
export function slotLine(text: string, context: KernelContext, timeMs: number): Finding | null {
  const message = deviceMessage(text, SLOT);
  const slot = message?.cursor.until('): ', 32) ?? null;
  if (message === null || slot === null) return null;
  const { address, driver } = message;
  const said = text.slice(text.indexOf(`${SLOT}${slot}): `) + SLOT.length + slot.length);
  if (NOT_OFF.test(said)) context.removals.delete(address);
  else if (OFF.test(said)) order(message, context, timeMs);
  if (!said.startsWith('): Link Down')) return null;
  const component = { type: 'pcie' as const, id: address, host: context.host };
  const orderedMs = context.removals.get(address);
  const ordered = driver === 'pcieport' && orderedMs !== undefined && Math.abs(timeMs - orderedMs) <= ORDERED_MS;
  if (!ordered) return { kind: 'pcie.link_down', component, attributes: { slot } };
  return { kind: 'pcie.link_down', component, severity: 'info', attributes: { slot, ordered: true } };
}

function order({ address }: DeviceMessage, { removals }: KernelContext, timeMs: number): void {
  removals.delete(address);
  removals.set(address, timeMs);
  for (const oldest of removals.keys()) {
    if (removals.size <= MOST_SLOTS) break;
    removals.delete(oldest);
  }
}
