// Lines of the NVSwitch driver: SXids, fatal or not, by switch and link.

import informational from '#catalog/sxid.json' with { type: 'json' };
import { canonicalPciAddress } from '../../../model/component.ts';
import { Cursor } from '../cursor.ts';
import { type KernelContext, messageStart } from './context.ts';
import type { SystemFinding } from './system-line.ts';

const QUIET: ReadonlySet<number> = new Set(informational.corrected);

/**
 * "nvidia-nvswitch1: SXid (PCI:0000:06:00.0): 20034, Fatal, Link 48 LTSSM Fault Up". Its further lines ("Severity ...",
 * "Data {...}") are evidence of the same error and told by none of their own. The word of the line decides, not the table.
 */
export function switchLine(text: string, context: KernelContext): SystemFinding | null {
  const start = messageStart(text, 'nvidia-nvswitch', context);
  if (start < 0) return null;
  const cursor = new Cursor(text, start + 'nvidia-nvswitch'.length);
  cursor.integer(3);
  if (!cursor.take(': SXid (')) return null;
  cursor.take('PCI:');
  const address = canonicalPciAddress(cursor.until('): ', 20) ?? '');
  const sxid = cursor.integer(5);
  if (sxid === null) return null;
  const fatal = cursor.take(', Fatal');
  if (!fatal && !cursor.take(', Non-fatal')) return null;
  const link = cursor.take(', Link ') ? cursor.integer(3) : null;
  return {
    kind: fatal ? 'nvswitch.fatal' : 'nvswitch.nonfatal',
    component: address === null ? null : { type: 'nvswitch', id: address, host: context.host },
    ...(!fatal && QUIET.has(sxid) ? { severity: 'info' as const } : {}),
    attributes: { sxid, link },
  };
}
