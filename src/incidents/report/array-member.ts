// Array member: a disk that its md array has thrown out is swapped in the array, which has the data on its others; nothing is copied off it.

import type { AttributeValue } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { NAME } from './drain.ts';
import { HANDS } from './kind-step.ts';
import type { Special } from './special-step.ts';

/** Null where no line says which array continues without the disk, or where one says that it does not. */
export function arrayMember({ root, events, action: { target } }: Incident): Special | null {
  if (root.kind !== 'storage.io_error') return null;
  const tellers = events.filter(({ kind, attributes }) => kind === root.kind && arrayOf(attributes.array) !== null);
  if (tellers.some(({ attributes: { state } }) => typeof state === 'string' && state.includes('FAILED'))) return null;
  const disks = new Set(tellers.flatMap(({ component }) => (component?.type === 'disk' ? [component.id] : [])));
  const [first] = tellers;
  if (disks.size > 1) return null;
  const array = arrayOf(first?.attributes.array);
  if (array === null) return null;
  const device = arrayOf(first?.attributes.device);
  const member = device === null ? 'DEV' : `/dev/${device}`;
  const named = target?.type === 'disk' ? '%' : device === null ? null : `disk ${device} of @`;
  return {
    does:
      named === null
        ? `see which member of the array ${array} of @ failed, and swap it`
        : `swap ${named}, which the array ${array} has thrown out`,
    now: `on @, sudo mdadm --detail /dev/${array}: how many more it can lose; none of its other disks is pulled before it is whole again. While its State is degraded and not FAILED, its data are on those, and nothing has to be copied off this one: sudo mdadm /dev/${array} --remove ${member}, swap it (its serial: lsblk -o NAME,SERIAL), then sudo mdadm /dev/${array} --add NEW`,
    call: HANDS,
  };
}

/** `md3` of "md3" and "/dev/md3", as a shell takes it. */
function arrayOf(name: AttributeValue | undefined): string | null {
  const bare = typeof name === 'string' ? name.replace(/^\/dev\/(?:md\/)?/, '') : '';
  return NAME.test(bare) && bare.length <= 64 ? bare : null;
}
