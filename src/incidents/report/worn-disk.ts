// Worn disk: an NVMe disk that reports of itself why it is to be replaced, by the bits of its critical warning.

import type { Incident } from '../../model/incident.ts';
import { HANDS } from './kind-step.ts';
import type { Special } from './special-step.ts';

/** NVM Express, Base Specification, SMART / Health Information log page: Critical Warning. Bit 1 is its temperature, which no swap ends. */
const BITS: readonly (readonly [bit: number, says: string])[] = [
  [8, 'takes no writes any more'],
  [4, 'is no longer reliable'],
  [1, 'has too few spare blocks'],
  [16, 'cannot save its cache when power fails'],
];

/** As nvme-cli and smartctl print it, with tabs as evidence has them; the evidence of an incident is of one disk, its root. */
const WARNING = /^\s*critical[_ ]warning(?:\s|\\x09){0,60}: *(0x[0-9a-f]{1,2}|\d{1,3})\s*$/i;

/** Null where it reports nothing of the kind. */
export function wornDisk({ root, evidence, action: { target } }: Incident): Special | null {
  if (root.kind !== 'storage.io_error' || target?.type !== 'disk') return null;
  // What is counted with the warning has taken the place of its event.
  const bits = evidence
    .map((piece) => ('text' in piece ? (WARNING.exec(piece.text)?.[1] ?? '') : ''))
    .reduce((all, each) => all | Number(each), 0);
  const says = BITS.filter(([bit]) => (bits & bit) !== 0).map(([, each]) => each);
  if (says.length === 0) return null;
  return {
    does: `replace %, which by its own word ${says.join(' and ')}`,
    now: 'on @, copy off what only it has; then have it swapped (its serial: lsblk -o NAME,SERIAL)',
    call: HANDS,
  };
}
