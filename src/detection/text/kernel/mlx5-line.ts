// Lines of the mlx5 driver: firmware that failed, commands without an answer, heat, slots with too little power.

import { type Component, canonicalPciAddress } from '../../../model/component.ts';
import type { Kind } from '../../../model/kind.ts';
import { Cursor } from '../cursor.ts';
import { ADDRESS, type KernelContext } from './context.ts';
import type { Finding } from './driver-line.ts';

/** Words within the message → what it means; the first that fits (drivers/net/ethernet/mellanox/mlx5/core). */
const MESSAGES: readonly (readonly [string, Kind])[] = [
  ['PCI reads still not working', 'nic.lost'],
  ['High temperature on sensors', 'nic.overtemp'],
  [': High temperature', 'nic.overtemp'],
  ['Cable error, High Temperature', 'nic.module_overtemp'],
  ["device's health compromised", 'nic.firmware_fault'],
  ['Health issue observed, firmware internal error', 'nic.firmware_fault'],
  ['handling bad device here', 'nic.firmware_fault'],
  ['No done completion', 'nic.command_timeout'],
  [' timeout. Will cause a leak of a command resource', 'nic.command_timeout'],
  ['Detected insufficient power on the PCIe slot', 'nic.slot_power_low'],
];
/** The function and its line; drivers of Linux 4 leave them out, and then the words must be at the start. */
const HEAD = new RegExp(
  `^(?:mlx5_core (${ADDRESS}): (?:(\\w{1,64}):\\d{1,6}:\\(pid \\d{1,10}\\): )?|mlx5_\\w{1,60}:\\d{1,6}:\\(pid \\d{1,10}\\): )`,
);
const MODULE = 'Port module event[error]: ';

/**
 * "mlx5_core 0000:0d:00.0: poll_health:801:(pid 0): device's health compromised - reached miss count"; null where it names
 * no card.
 */
export function mlx5Line(text: string, { host }: KernelContext): Finding | null {
  const [head, written, named] = HEAD.exec(text) ?? [];
  if (head === undefined) return null;
  const address = written === undefined ? null : canonicalPciAddress(written);
  const component: Component | null = address === null ? null : { type: 'nic', id: address, host };
  const message = text.slice(head.length);
  if (message.startsWith('ACCESS_REG(') && message.includes(' failed')) {
    return { kind: 'nic.access_reg_failed', component, attributes: {} };
  }
  const bare = written !== undefined && named === undefined && !message.startsWith(MODULE);
  const known = MESSAGES.find(([words]) => (bare ? message.startsWith(words) : message.includes(words)));
  if (known === undefined) return null;
  const cursor = new Cursor(message);
  const watts = known[1] === 'nic.slot_power_low' && cursor.skipPast('(') ? cursor.integer(4) : null;
  return { kind: known[1], component, attributes: watts === null ? {} : { watts } };
}
