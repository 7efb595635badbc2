// Lines of the NVSwitch driver: SXids, fatal or not, by switch and link.

import informational from '#catalog/sxid.json' with { type: 'json' };
import { canonicalPciAddress } from '../../../model/component.ts';
import { ADDRESS, type KernelContext } from './context.ts';
import type { Finding } from './finding.ts';

const QUIET: ReadonlySet<number> = new Set(informational.corrected);

const LINE = new RegExp(
  `^nvidia-nvswitch\\d{0,3}: SXid \\((?:PCI:)?(${ADDRESS})\\): (\\d{1,5}), (Fatal|Non-fatal)(?:, Link (\\d{1,3})\\b)?`,
);

/**
 * "nvidia-nvswitch1: SXid (PCI:0000:06:00.0): 20034, Fatal, Link 48 LTSSM Fault Up". Its further lines ("Severity ...",
 * "Data {...}") are evidence of the same error and make no event of their own. The word of the line decides, not the table.
 */
export function switchLine(text: string, { host }: KernelContext): Finding | null {
  const [, written = '', number, word, lane] = LINE.exec(text) ?? [];
  const address = canonicalPciAddress(written);
  if (address === null) return null;
  const fatal = word === 'Fatal';
  const sxid = Number(number);
  return {
    kind: fatal ? 'nvswitch.fatal' : 'nvswitch.nonfatal',
    component: { type: 'nvswitch', id: address, host },
    ...(!fatal && QUIET.has(sxid) ? { severity: 'info' as const } : {}),
    attributes: { sxid, link: lane === undefined ? null : Number(lane) },
  };
}
