// Lines of the mlx5 driver: firmware that failed, commands without an answer, heat, slots with too little power.

import { type Component, canonicalPciAddress } from '../../../model/component.ts';
import type { Kind } from '../../../model/kind.ts';
import { Cursor } from '../cursor.ts';
import { type KernelContext, messageStart } from './context.ts';
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
const MAX_FUNCTION = 64;

/**
 * "mlx5_core 0000:0d:00.0: poll_health:801:(pid 0): device's health compromised - reached miss count"; a line that names
 * no card tells of none.
 */
export function mlx5Line(text: string, context: KernelContext): Finding | null {
  const named = messageStart(text, 'mlx5_core ', context);
  const start = named < 0 ? messageStart(text, 'mlx5_', context) : named;
  if (start < 0) return null;
  const cursor = new Cursor(text, start);
  const address = named < 0 ? null : addressNext(cursor);
  if (named >= 0 && address === null) return null;
  // The function and its line: a message of another form, of a port or a netdev, tells none of these.
  const where = cursor.until(':(pid ', MAX_FUNCTION);
  if (where === null || !cursor.skipPast('): ')) return null;
  const component: Component | null = address === null ? null : { type: 'nic', id: address, host: context.host };
  const message = cursor.rest();
  if (message.startsWith('ACCESS_REG(') && message.includes(' failed')) {
    return { kind: 'nic.access_reg_failed', component, attributes: {} };
  }
  const known = MESSAGES.find(([words]) => message.includes(words));
  if (known === undefined) return null;
  const watts = known[1] === 'nic.slot_power_low' && cursor.skipPast('(') ? cursor.integer(4) : null;
  return { kind: known[1], component, attributes: watts === null ? {} : { watts } };
}

function addressNext(cursor: Cursor): string | null {
  cursor.take('mlx5_core ');
  return canonicalPciAddress(cursor.until(': ', 20) ?? '');
}
