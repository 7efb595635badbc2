// Lines of NVIDIA's fabric manager: errors of an NVSwitch, which it reports besides the kernel; and systemd's that it, or another
// service of the driver, was stopped.

import { canonicalPciAddress } from '../../../model/component.ts';
import { sxidFacts } from '../sxid.ts';
import { ADDRESS, type KernelContext } from './context.ts';
import type { Finding } from './finding.ts';

/** As in the Fabric Manager guide DU-09883-001, "Fatal and non-fatal NVSwitch errors". */
const SWITCH_ERROR = new RegExp(
  `^nv-fabricmanager(?:\\[\\d{1,10}\\])?: detected NVSwitch (fatal|non-fatal) error (\\d{1,5}) on fid \\d{1,5} on NVSwitch pci bus id (${ADDRESS})(?: physical id \\d{1,3})?(?: port (\\d{1,3}))?`,
);

/**
 * core/job.c of systemd, "Stopping %s...": an operator or a package asks for it, a restart included. A service that fails by itself is never
 * "stopping". With the unit's name before its description since 250.
 */
const STOPPING =
  /^systemd\[1\]: Stopping (?:(nvidia-(?:fabricmanager|dcgm|persistenced))\.service\b|NVIDIA (fabric manager service|DCGM service|Persistence Daemon))/i;
const UNITS: Readonly<Record<string, string>> = {
  'fabric manager service': 'nvidia-fabricmanager',
  'dcgm service': 'nvidia-dcgm',
  'persistence daemon': 'nvidia-persistenced',
};

function stopping(text: string, host: string): Finding | null {
  const [, named, described = ''] = STOPPING.exec(text) ?? [];
  const unit = named?.toLowerCase() ?? UNITS[described.toLowerCase()];
  if (unit === undefined) return null;
  const kind = unit === 'nvidia-fabricmanager' ? 'fabric_manager.stopped' : 'driver.service_stopped';
  return { kind, component: { type: 'host', id: host }, attributes: { unit: `${unit}.service` } };
}

export function fabricManagerLine(text: string, { host }: KernelContext): Finding | null {
  const stopped = stopping(text, host);
  if (stopped !== null) return stopped;
  const [, grade, number, written = '', port] = SWITCH_ERROR.exec(text) ?? [];
  const address = canonicalPciAddress(written);
  if (address === null) return null;
  const sxid = Number(number);
  const facts = sxidFacts(sxid, grade === 'fatal');
  return {
    kind: grade === 'fatal' ? 'nvswitch.fatal' : 'nvswitch.nonfatal',
    component: { type: 'nvswitch', id: address, host },
    ...facts,
    attributes: { sxid, link: port === undefined ? null : Number(port), ...facts.attributes },
  };
}
