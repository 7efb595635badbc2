// Slots that cards are pulled from while the host runs (pciehp): a link that goes down by order, one that breaks, and one that is back.

import type { KernelContext } from './context.ts';
import { type DeviceMessage, deviceMessage } from './device-message.ts';
import type { StateFinding } from './finding.ts';
import type { SlotState } from './slot-state.ts';

/** A slot has power for five seconds after the button; then its drivers let go of the card, and the card may be pulled. */
const ORDERED_MS = 60_000;
/** Far more than a host has. */
const MOST_SLOTS = 256;
const SLOT = 'pciehp: Slot(';

/**
 * drivers/pci/hotplug/pciehp_ctrl.c, newer and older: "Slot(12): Button press: will power off in 5 sec", "Slot(12): Powering off due
 * to button press"; "Slot(12): Attention button pressed" comes before one of these and may also be the order to power on.
 */
const OFF = /^(?:Button press: will power off in|Powering off due to button press)/;
/** The order is taken back, or over: the slot has a card again. */
const NOT_OFF =
  /^(?:Button press: (?:canceling request to power off|will power on)|Button cancel|Action canceled due to button press|Powering on due to button press|Card present|Link Up)/;
const PRESSED = /^(?:Attention button pressed|Button press|Powering on due to button press)/;
/** "Link Down/Up ignored (recovered by DPC)" is neither. */
const DOWN = /^Link Down(?!\/)/;
const ABSENT = /^Card not present/;
/**
 * pciehp_check_link_status() and pciehp_ist(): a card is in the slot and does not come up. A slot whose power is switched has
 * no "Link Up" when it does: it is up after "Card present" unless one of these follows.
 */
const FAILED =
  /^(?:(No link|No device found|Cannot train link|Failed to check link status|Power fault)\b|Link Training Error)/i;
const UP = /^(?:Card present|Link Up)/;

/** "pcieport 0000:42:01.0: pciehp: Slot(17): Link Down". */
export function slotLine(text: string, context: KernelContext, timeMs: number): StateFinding | null {
  const message = deviceMessage(text, SLOT);
  const slot = message?.cursor.until('): ', 32) ?? null;
  if (message === null || slot === null) return null;
  const words = text.slice(text.indexOf(`${SLOT}${slot}): `) + SLOT.length + slot.length + '): '.length);
  const state = stateOf(message, context);
  if (PRESSED.test(words)) state.pressedMs = timeMs;
  if (NOT_OFF.test(words)) delete state.orderedMs;
  else if (OFF.test(words)) state.orderedMs = timeMs;
  const component = { type: 'pcie' as const, id: message.address, host: context.host };
  const found = { kind: 'pcie.link_down' as const, component };
  if (UP.test(words)) {
    state.down = false;
    return { ...found, state: 'clear', attributes: { slot } };
  }
  const reason = reasonOf(words, state, timeMs);
  if (reason === null) return null;
  state.down = true;
  const attributes = { slot, ...reason };
  const ordered = message.driver === 'pcieport' && isWithin(state.orderedMs, timeMs);
  if (!ordered) return { ...found, state: 'onset', attributes };
  return { ...found, state: 'onset', severity: 'info', attributes: { ...attributes, ordered: true } };
}

/** Of a line that reports the slot to be down; null for others. */
function reasonOf(words: string, { down, pressedMs }: SlotState, timeMs: number): Record<string, string> | null {
  if (DOWN.test(words)) return {};
  // Pulled, or no more in its contacts: where its link went first, that is said. A press on an empty slot's button ends so, too.
  if (ABSENT.test(words)) return down === true || isWithin(pressedMs, timeMs) ? null : { reason: 'card not present' };
  const failed = FAILED.exec(words)?.[0];
  return failed === undefined ? null : { reason: failed.toLowerCase() };
}

function isWithin(sinceMs: number | undefined, timeMs: number): boolean {
  return sinceMs !== undefined && Math.abs(timeMs - sinceMs) <= ORDERED_MS;
}

function stateOf({ address }: DeviceMessage, { slots }: KernelContext): SlotState {
  const state = slots.get(address) ?? {};
  slots.delete(address);
  slots.set(address, state);
  for (const oldest of slots.keys()) {
    if (slots.size <= MOST_SLOTS) break;
    slots.delete(oldest);
  }
  return state;
}
