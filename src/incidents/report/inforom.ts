// InfoROM: the store of a GPU for its serial, its settings and its counts of errors; a corrupt one is flashed, and no part is at fault yet.

import type { Incident } from '../../model/incident.ts';
import type { Special } from './special-step.ts';

export function corruptInforom({ root, events, action: { target } }: Incident): Special | null {
  const { says, dcgm_gpu: number } = events.find(({ id }) => id === root.eventId)?.attributes ?? {};
  if (root.kind !== 'gpu.fault' || says !== 'corrupt InfoROM') return null;
  const gpu = target?.type === 'gpu' ? '%' : typeof number === 'number' ? `GPU ${number} of @` : 'that GPU of @';
  return {
    does: `have the corrupt InfoROM of ${gpu} flashed`,
    now: `open a case for ${gpu} with FILE: its vendor gives the image and the tool to flash it`,
    call: 'the support of the vendor of @',
  };
}
