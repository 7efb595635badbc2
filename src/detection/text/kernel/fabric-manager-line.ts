// Lines of NVIDIA's fabric manager: errors of an NVSwitch, which it reports besides the kernel; and systemd's that it does not run.

import { canonicalPciAddress } from '../../../model/component.ts';
import { sxidFacts } from '../sxid.ts';
import { ADDRESS, type KernelContext } from './context.ts';
import type { Finding } from './finding.ts';

/** As in the Fabric Manager guide DU-09883-001, "Fatal and non-fatal NVSwitch errors". */
const SWITCH_ERROR = new RegExp(
  `^nv-fabricmanager(?:\\[\\d{1,10}\\])?: detected NVSwitch (fatal|non-fatal) error (\\d{1,5}) on fid \\d{1,5} on NVSwitch pci bus id (${ADDRESS})(?: physical id \\d{1,3})?(?: port (\\d{1,3}))?`,
);

/**
 * core/unit.c (`%s: Failed with result '%s'.`) and core/job.c (`Failed to start %s.`, with the unit's name before its description since
 * 250) of systemd, process 1 alone: the user's own manager prints the words of its user.
 */
const UNIT_FAILED =
  /^systemd\[1\]: (?:nvidia-fabricmanager\.service: Failed with result '([\w-]{1,32})'|Failed to start (?:nvidia-fabricmanager\.service\b|NVIDIA fabric manager service\b))/;

export function fabricManagerLine(text: string, { host }: KernelContext): Finding | null {
  const failed = UNIT_FAILED.exec(text);
  if (failed !== null)
    return {
      kind: 'fabric_manager.error',
      component: { type: 'host', id: host },
      attributes: { unit: 'nvidia-fabricmanager.service', ...(failed[1] === undefined ? {} : { result: failed[1] }) },
    };
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
