// Lines of the mlx5 driver: cards that no longer answer, firmware that failed, commands without an answer, heat, slots with too little power.

import { type Component, canonicalPciAddress } from '../../../model/component.ts';
import type { Kind } from '../../../model/kind.ts';
import { Cursor } from '../cursor.ts';
import { ADDRESS, type KernelContext } from './context.ts';
import type { Finding } from './finding.ts';

/** Three polls of the card's health counter found it where it was. */
const COMPROMISED = "device's health compromised";
/** Words within the message → what it means; the first that fits (drivers/net/ethernet/mellanox/mlx5/core). */
const MESSAGES: readonly (readonly [string, Kind])[] = [
  ['PCI reads still not working', 'nic.lost'],
  ['PCI slot is unavailable', 'nic.lost'],
  ['High temperature on sensors', 'nic.overtemp'],
  [': High temp', 'nic.overtemp'],
  ['Cable error, High Temperature', 'nic.module_overtemp'],
  ['Cable error, ', 'nic.port_down'],
  [COMPROMISED, 'nic.firmware_fault'],
  ['Fatal error detected', 'nic.firmware_fault'],
  ['health recovery failed', 'nic.firmware_fault'],
  ['handling bad device here', 'nic.firmware_fault'],
  ['pre-initializing state, aborting', 'nic.firmware_fault'],
  ['Waiting for FW initialization, timeout abort', 'nic.firmware_fault'],
  ['mlx5_load_one failed with error code', 'nic.firmware_fault'],
  ['handle_hca_cap failed', 'nic.firmware_fault'],
  ['enable hca failed', 'nic.firmware_fault'],
  ['init hca failed', 'nic.firmware_fault'],
  ['Failed initializing command interface, aborting', 'nic.firmware_fault'],
  ['Failed initializing cmdif SW structs, aborting', 'nic.firmware_fault'],
  ['failed to allocate init pages', 'nic.firmware_fault'],
  ['failed to allocate boot pages', 'nic.firmware_fault'],
  ['No done completion', 'nic.command_timeout'],
  [' timeout. Will cause a leak of a command resource', 'nic.command_timeout'],
  [' canceled on out of queue timeout', 'nic.command_timeout'],
  ['Detected insufficient power on the PCIe slot', 'nic.slot_power_low'],
];
/** "synd 0x7: irisc not responding", "Health issue observed, EQ error, severity(3) ERROR:" (hsynd_str() in health.c). */
const SYNDROME =
  /^(?:synd 0x([0-9a-f]{1,2}): [A-Za-z][\w ]{1,48}|Health issue observed, ([A-Za-z][\w ]{1,48}), severity\((\d)\) \w{1,16}:?)\s*$/;
/** "Fatal error 1 detected": which sensor of health.c saw it. Every register reads as all ones once the card does not answer. */
const SENSOR = /^Fatal error (\d{1,3}) detected\s*$/;
const SENSORS: Readonly<Record<string, Kind>> = { 1: 'nic.lost', 2: 'nic.pci_error' };
const ALL_ONES = /^(?:fw_ver 65535\.65535\.65535|raw fw_ver 0xffffffff|hw_id 0xffffffff)\s*$/;
/** "mlx5_pci_err_detected was called", "mlx5_pci_err_detected Device state = 1 pci_status: 0. Enter, pci channel state = 2" (main.c). */
const PCI_ERROR = /^mlx5_pci_err_detected (?:was called|Device state = )/;
/** The driver loaded the card again by itself (mlx5_health_try_recover() in health.c); what ran over it has lost its connections all the same. */
const RECOVERED = /^health recovery succeeded\s*$/;
/** The function and its line; drivers of Linux 4 leave them out, and then the words must be at the start. */
const HEAD = new RegExp(
  `^(?:mlx5_core (${ADDRESS}): (?:(\\w{1,64}):\\d{1,6}:\\(pid \\d{1,10}\\): )?|mlx5_\\w{1,60}:\\d{1,6}:\\(pid \\d{1,10}\\): )`,
);
/** The driver core, of a card that no driver serves then. */
const PROBE = new RegExp(
  `^(?:mlx5_core: probe of (${ADDRESS}) failed with error -|mlx5_core (${ADDRESS}): probe with driver mlx5_core failed with error -)`,
);
/** "Port module event[error]: module 0, "; builds of the driver write the level in brackets, another one, or none. */
const MODULE = /^Port module event(?:\[\w{1,12}\])?: module \d{1,3}, /;

/**
 * "mlx5_core 0000:0d:00.0: poll_health:801:(pid 0): device's health compromised - reached miss count"; null where it names
 * no card.
 */
export function mlx5Line(text: string, { host }: KernelContext): Finding | null {
  const [unserved, bare1, bare2] = text.includes('probe ') ? (PROBE.exec(text) ?? []) : [];
  if (unserved !== undefined) {
    const id = canonicalPciAddress(bare1 ?? bare2 ?? '');
    return id === null
      ? null
      : { kind: 'nic.firmware_fault', component: { type: 'nic', id, host }, attributes: { probe_failed: true } };
  }
  const [head, written, named] = HEAD.exec(text) ?? [];
  if (head === undefined) return null;
  const address = written === undefined ? null : canonicalPciAddress(written);
  const component: Component | null = address === null ? null : { type: 'nic', id: address, host };
  const message = text.slice(head.length);
  if (message.startsWith('ACCESS_REG(') && message.includes(' failed')) {
    return { kind: 'nic.access_reg_failed', component, attributes: {} };
  }
  if (RECOVERED.test(message))
    return { kind: 'nic.firmware_fault', component, severity: 'info', attributes: { recovered: true } };
  const state = stateOf(message);
  if (state !== null) return { ...state, component };
  const bare = written !== undefined && named === undefined && !MODULE.test(message);
  const known = MESSAGES.find(([words]) => (bare ? message.startsWith(words) : message.includes(words)));
  if (known === undefined) return null;
  const cursor = new Cursor(message);
  const watts = known[1] === 'nic.slot_power_low' && cursor.skipPast('(') ? cursor.integer(4) : null;
  const polls = known[0] === COMPROMISED ? { missed_polls: true } : {};
  return { kind: known[1], component, attributes: watts === null ? polls : { watts } };
}

/** Begins a dump of what the card knows of itself. */
export function isHealthDump({ kind, attributes }: Finding): boolean {
  return kind === 'nic.firmware_fault' && attributes.missed_polls === true;
}

/** What the card says of itself, by number or name. */
function stateOf(message: string): Omit<Finding, 'component'> | null {
  const sensor = SENSOR.exec(message)?.[1];
  if (sensor !== undefined) {
    return { kind: SENSORS[sensor] ?? 'nic.firmware_fault', attributes: { fatal_sensor: Number(sensor) } };
  }
  if (ALL_ONES.test(message)) return { kind: 'nic.lost', attributes: { all_ones: true } };
  if (PCI_ERROR.test(message)) return { kind: 'nic.pci_error', attributes: {} };
  const [found, code, words, severity] = SYNDROME.exec(message) ?? [];
  if (found === undefined) return null;
  const name = (words ?? found.slice(found.indexOf(': ') + 2)).trim();
  return {
    ...syndrome(name),
    ...graded(severity),
    attributes: { syndrome: code === undefined ? name : `0x${code}: ${name}` },
  };
}

function syndrome(name: string): { readonly kind: Kind } {
  if (/^High temp/.test(name)) return { kind: 'nic.overtemp' };
  return { kind: /^ICM fetch PCI/.test(name) ? 'nic.pci_error' : 'nic.firmware_fault' };
}

/** The kernel's own levels: 4 is a warning, 5 and more are notes. */
function graded(level: string | undefined): { readonly severity?: 'info' | 'warning' } {
  if (level === undefined || Number(level) < 4) return {};
  return { severity: Number(level) === 4 ? 'warning' : 'info' };
}
