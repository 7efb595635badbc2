// Lustre as its client in the kernel tells of it: targets that are lost, and back.

import type { KernelContext } from './context.ts';
import type { StorageFinding } from './storage-line.ts';

/** "Lustre: scratch-OST0011-osc-ffff…: Connection to scratch-OST0011 (at 10.20.0.7@o2ib) was lost; …" and "Connection restored to …". */
const LUSTRE = /^Lustre: (\S{1,160}): Connection (to \S{1,128} \(at \S{1,128}\) was lost|restored to )/;
const WORDS = 'Lustre: ';
const MAX_HEAD = 480;

export function lustreLine(text: string, { anchored, host }: KernelContext): StorageFinding | null {
  const start = anchored ? 0 : Math.max(0, text.indexOf(WORDS));
  if (!text.startsWith(WORDS, start)) return null;
  const found = LUSTRE.exec(text.slice(start, start + MAX_HEAD));
  if (found === null) return null;
  const [, device = '', what = ''] = found;
  const server = /^(.+?)-(?:osc|mdc|mgc)(?:-|$)/.exec(device)?.[1] ?? device;
  return {
    kind: 'storage.stall',
    component: { type: 'host', id: host },
    state: what.startsWith('restored') ? 'clear' : 'onset',
    attributes: { server },
    discriminator: `lustre ${server}`,
  };
}
