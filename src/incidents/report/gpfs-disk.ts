// GPFS disk: a disk of GPFS that failed, with its volume and the server whose lease is overdue.

import { shellWord } from '../../helpers/shell-word.ts';
import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import type { Special } from './special-step.ts';

/** "Disk failure. Volume gpfs01. rc = 5. Physical volume nsd_07." */
const FAILED =
  /Disk failure\. {1,2}Volume ([\w-]{1,64})\. {1,2}rc = -?\d{1,6}[.,] {1,2}(?:and )?[Pp]hysical volume ([\w-]{1,64})/;
/** "Node 10.12.4.212 (nsd-03) lease renewal is overdue." */
const OVERDUE = /Node \S{1,64} \(([\w.-]{1,64})\) lease renewal is overdue/;

/** Null where no line names a disk of GPFS that failed. */
export function gpfsDisk({ root, events }: Incident): Special | null {
  if (!root.kind.startsWith('storage.')) return null;
  const texts = events.flatMap(({ evidence }) => evidence.flatMap((each) => ('text' in each ? [each.text] : [])));
  const [, volume, disk] = texts.map((text) => FAILED.exec(text)).find((found) => found !== null) ?? [];
  if (volume === undefined || disk === undefined) return null;
  const server = texts.map((text) => OVERDUE.exec(text)?.[1]).find((found) => found !== undefined);
  const up =
    server === undefined
      ? 'that its server is up'
      : `whether its server ${plain(server)} is up, whose lease is overdue`;
  return {
    does: `bring back disk ${plain(disk)} of GPFS ${plain(volume)}`,
    now: `sudo mmlsdisk ${shellWord(volume)} -e shows which disks are down; see ${up} (sudo mmgetstate -a); once it answers, sudo mmchdisk ${shellWord(volume)} start -d ${shellWord(disk)}`,
    call: 'who runs the file system',
  };
}
