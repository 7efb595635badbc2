// Array member: a disk that its md array has thrown out is swapped in the array, which has the data on its others; nothing is copied off it; of an array that has failed, none is touched.

import type { AttributeValue } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { NAME } from './drain.ts';
import { HANDS } from './kind-step.ts';
import type { Special } from './special-step.ts';

/** Null where no line says which array it is of. */
export function arrayMember({ root, events, action: { target } }: Incident): Special | null {
  if (root.kind !== 'storage.io_error') return null;
  const tellers = events.filter(({ kind, attributes }) => kind === root.kind && arrayOf(attributes.array) !== null);
  const failed = tellers.find(({ attributes: { state } }) => typeof state === 'string' && state.includes('FAILED'));
  if (failed !== undefined) return ofFailed(arrayOf(failed.attributes.array) ?? '');
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

/** More of its disks are out than it can lose: which was out last, and what may be put together again, is on them. */
function ofFailed(array: string): Special {
  return {
    does: `touch no disk of the array ${array} of @, which has FAILED: more are out than it can lose`,
    now: `stop jobs that use it; on @, save sudo mdadm --detail /dev/${array} and sudo mdadm --examine of each of its disks. Swap, add and create nothing, and check no file system on it: who runs the storage decides from which disks it is put together again, or that it is restored`,
    call: 'who runs the storage of @, then who may touch its hardware',
  };
}

/** `md3` of "md3" and "/dev/md3", as a shell takes it. */
function arrayOf(name: AttributeValue | undefined): string | null {
  const bare = typeof name === 'string' ? name.replace(/^\/dev\/(?:md\/)?/, '') : '';
  return NAME.test(bare) && bare.length <= 64 ? bare : null;
}
