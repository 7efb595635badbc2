// Lustre as its client in the kernel reports it: targets that are lost, and back.

import { hostOf, type KernelContext } from './context.ts';
import type { StorageFinding } from './storage-line.ts';

/** "Lustre: scratch-OST0011-osc-ffff…: Connection to scratch-OST0011 (at 10.20.0.7@o2ib) was lost; …" and "Connection restored to …". */
const LUSTRE =
  /^Lustre: ([\w.:@-]{1,160}): Connection (to [\w.:@-]{1,128} \(at [\w.:@-]{1,128}\) was lost|restored to )/;

export function lustreLine(text: string, context: KernelContext): StorageFinding | null {
  const found = LUSTRE.exec(text);
  if (found === null) return null;
  const [, device = '', what = ''] = found;
  const server = /^(.+?)-(?:osc|mdc|mgc)(?:-|$)/.exec(device)?.[1] ?? device;
  return {
    kind: 'storage.stall',
    component: hostOf(context),
    state: what.startsWith('restored') ? 'clear' : 'onset',
    attributes: { server },
    discriminator: `lustre ${server}`,
  };
}
