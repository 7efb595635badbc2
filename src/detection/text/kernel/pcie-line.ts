// Lines about PCIe: errors that a port or device reports (AER), contained links, slots that go down, devices without room.

import { type Component, canonicalPciAddress } from '../../../model/component.ts';
import type { Kind } from '../../../model/kind.ts';
import { ADDRESS, gpuAt, type KernelContext } from './context.ts';
import { type DeviceMessage, deviceMessage } from './device-message.ts';
import { eehLine } from './eeh-line.ts';
import type { Finding, StateFinding } from './finding.ts';
import { removalLine } from './removal-line.ts';
import { slotLine } from './slot-line.ts';

const ERROR = 'PCIe Bus Error: ';
/** The port that received an error, and from where; corrected ones are counted by the line that follows. */
const RECEIVED = new RegExp(
  `^AER: (?:Multiple )?(Uncorrect(?:ed|able) \\((?:Non-)?Fatal\\)) error (?:message )?received(?: from|:) ?(${ADDRESS})`,
);
const INACCESSIBLE = /: Unable to change power state from (?:D\w{1,5}|unknown) to D\w{1,5}, device inaccessible\s*$/;
/** "bnxt_en: probe of 0000:9a:00.0 failed with error -110", since Linux 6.4 "bnxt_en 0000:9a:00.0: probe with driver bnxt_en failed ...". */
const PROBE = new RegExp(
  `^(?:([\\w-]{1,56}): probe of (${ADDRESS})|([\\w-]{1,56}) (${ADDRESS}): probe with driver [\\w-]{1,56}) failed with error -?\\d`,
);
/** Drivers of cards that carry collectives. */
const CARD_DRIVERS: ReadonlySet<string> = new Set([
  'mlx5_core', 'mlx4_core', 'bnxt_en', 'bnx2x', 'efa', 'ena', 'gve', 'ice', 'i40e', 'idpf', 'ixgbe', 'igb', 'igc', 'tg3',
  'be2net', 'qede', 'cxgb4', 'sfc', 'hfi1', 'ionic', 'atlantic', 'nfp', 'hinic', 'hns3',
]); // biome-ignore format: one list

/** Severities as kernels of different age spell them (drivers/pci/pcie/aer.c). */
const SEVERITIES: readonly (readonly [string, Kind])[] = [
  ['Correct', 'pcie.corrected'],
  ['Uncorrected (Non-Fatal)', 'pcie.uncorrected'],
  ['Uncorrectable (Non-Fatal)', 'pcie.uncorrected'],
  ['Uncorrected (Fatal)', 'pcie.uncorrected_fatal'],
  ['Uncorrectable (Fatal)', 'pcie.uncorrected_fatal'],
];

/**
 * "nvidia 0000:43:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)", "pcieport 0000:42:01.0:
 * DPC: containment event, ...", "pcieport 0000:42:01.0: pciehp: Slot(17): Link Down", "nvidia: probe of 0000:43:00.0
 * failed with error -1". The line that an error message was received comes before the first of these and is passed over.
 */
export function pcieLine(text: string, context: KernelContext, timeMs: number): StateFinding | null {
  const fault =
    busError(text, context) ??
    received(text, context) ??
    contained(text, context) ??
    slotLine(text, context, timeMs) ??
    eehLine(text, context);
  if (fault === null)
    return refused(text, context) ?? inaccessible(text, context) ?? removalLine(text, context, timeMs);
  if (isBroken(fault)) context.busFaultMs = timeMs;
  return fault;
}

/** Corrected errors break nothing, and what is ordered or over breaks nothing either. */
function isBroken({ kind, severity, state }: StateFinding): boolean {
  return kind !== 'pcie.corrected' && severity !== 'info' && state !== 'clear';
}

function busError(text: string, context: KernelContext): Finding | null {
  const message = deviceMessage(text, ERROR) ?? deviceMessage(text, `AER: ${ERROR}`);
  if (message === null) return null;
  const { cursor } = message;
  cursor.take('severity=');
  const severity = SEVERITIES.find(([word]) => cursor.take(word));
  if (severity === undefined) return null;
  const layer = cursor.skipPast('type=') ? cursor.until(',', 40) : null;
  return { kind: severity[1], component: pcieAt(message, context), attributes: { driver: message.driver, layer } };
}

function received(text: string, context: KernelContext): Finding | null {
  const message = text.includes('rror') ? deviceMessage(text, '') : null;
  const [, severity, from = ''] = message === null ? [] : (RECEIVED.exec(text.slice(text.indexOf('AER: '))) ?? []);
  const address = canonicalPciAddress(from);
  const kind = SEVERITIES.find(([word]) => word === severity)?.[1];
  if (message === null || address === null || kind === undefined) return null;
  return {
    kind,
    component: { type: 'pcie', id: address, host: context.host },
    attributes: { received_by: message.address },
  };
}

/** Downstream port containment: the port has taken the link down to keep an error in. */
function contained(text: string, context: KernelContext): Finding | null {
  const message = deviceMessage(text, 'DPC: containment event');
  if (message === null) return null;
  return {
    kind: 'pcie.uncorrected_fatal',
    component: pcieAt(message, context),
    attributes: { driver: message.driver, contained: true },
  };
}

/** The driver gave the device up at its start: it stays on the bus without one. */
function refused(text: string, context: KernelContext): Finding | null {
  const [found, older = '', oldAt = '', newer = '', newAt = ''] = PROBE.exec(text) ?? [];
  const address = canonicalPciAddress(older === '' ? newAt : oldAt);
  if (found === undefined || address === null) return null;
  const driver = older === '' ? newer : older;
  if (driver === 'nvidia') return unusable(address, context);
  if (!CARD_DRIVERS.has(driver)) return null;
  const component: Component = { type: 'nic', id: address, host: context.host };
  return { kind: 'nic.lost', component, attributes: { driver, probe_failed: true } };
}

function unusable(address: string, context: KernelContext): Finding | null {
  const gpu = gpuAt(address, context);
  // A driver that does not fit refuses the device, and has said so.
  if (gpu === null || context.unsupported.has(gpu.id)) return null;
  return { kind: 'gpu.init_failure', component: gpu, attributes: { probe_failed: true } };
}

/** drivers/pci/pci.c: every read of the device gives ones, it is not on the bus any more. */
function inaccessible(text: string, context: KernelContext): Finding | null {
  const message = deviceMessage(text, 'Unable to change power state from ');
  if (message === null || !INACCESSIBLE.test(text)) return null;
  const { driver, address } = message;
  if (driver === 'nvidia' || driver === 'amdgpu')
    return { kind: 'gpu.lost', component: gpuAt(address, context), attributes: { power_state: true } };
  if (driver.startsWith('mlx5') || driver === 'bnxt_en')
    return {
      kind: 'nic.lost',
      component: { type: 'nic', id: address, host: context.host },
      attributes: { power_state: true },
    };
  const component = pcieAt(message, context);
  // A GPU in its reset answers with none of its functions.
  if (driver === 'snd_hda_intel' && context.amdgpus.get(component.id) === true) return null;
  return { kind: 'pcie.link_down', component, attributes: { driver } };
}

/** The sound of a graphics card is its second function: one card, one link. */
function pcieAt({ address, driver }: DeviceMessage, { host }: KernelContext): Component {
  const id = driver === 'snd_hda_intel' ? address.replace(/\.1$/, '.0') : address;
  return { type: 'pcie', id, host };
}
