// The words of sysfs about ports and links (Documentation/ABI/stable/sysfs-class-infiniband, testing/sysfs-class-net).

import { parseInteger } from '../files/sentinel.ts';

/** "4: ACTIVE" → 4; null when it is none. */
export function stateNumber(text: string | null): number | null {
  const match = /^(\d{1,2}):/.exec(text ?? '');
  return match === null ? null : Number(match[1]);
}

/** ib_port_state: 4 ACTIVE, 5 ACTIVE_DEFER (errors are being recovered from, traffic may continue). */
export function isActive(state: number): boolean {
  return state === 4 || state === 5;
}

/** Physical state 3 is Disabled: the port was shut down on purpose. */
export const PHYSICAL_DISABLED = 3;

/** "400 Gb/sec (4X NDR)", "2.5 Gb/sec (1X SDR)" → bit/s; null when there is no rate. */
export function linkRate(text: string | null): number | null {
  const match = /^(\d{1,5}(?:\.\d{1,3})?) Gb\/sec/.exec(text ?? '');
  return match === null ? null : positive(Number(match[1]) * 1e9);
}

/** Mb/s of an Ethernet interface → bit/s; null for -1 and kin, which stand for "unknown". */
export function interfaceRate(text: string | null): number | null {
  const value = parseInteger(text);
  return value === null || value >= 0xffff_ffff ? null : positive(value * 1e6);
}

/** "16.0 GT/s PCIe", "2.5 GT/s" → GT/s; null for "Unknown". */
export function pcieSpeed(text: string | null): number | null {
  const match = /^(\d{1,3}(?:\.\d)?) GT\/s/.exec(text ?? '');
  return match === null ? null : positive(Number(match[1]));
}

/** Lanes; 0 and 255 stand for "unknown" (PCI_EXP_LNKSTA_NLW of a device that does not answer). */
export function pcieWidth(text: string | null): number | null {
  const value = parseInteger(text);
  return value !== null && value > 0 && value <= 32 ? value : null;
}

/** IFF_UP of the interface's flags (if.h): it is meant to be up. */
export function wantedUp(flags: string | null): boolean | null {
  if (flags === null || !/^0x[0-9a-f]{1,8}$/i.test(flags)) return null;
  return (Number(flags) & 1) === 1;
}

function positive(value: number): number | null {
  return value > 0 ? value : null;
}
