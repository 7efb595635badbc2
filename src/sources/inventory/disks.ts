// Disks of this host: NVMe by the PCI address of each, SATA and SAS by port or bay, and the serial that each gives.

import { join } from 'node:path';
import type { Part } from '../../identity/parts/part.ts';
import { canonicalPciAddress } from '../../model/component.ts';
import type { SmallFiles } from '../files/small-files.ts';
import type { Disk } from './disk.ts';
import { readScsiDisks } from './scsi-disks.ts';

const MOST = 256;

const NVME = /^nvme\d{1,5}$/;

/** Null where not all of them answer; none where the host has no disk. */
export async function readDisks(files: SmallFiles, sys: string): Promise<readonly Disk[] | null> {
  const root = join(sys, 'class/nvme');
  const disks: Disk[] = [];
  for (const name of ((await files.list(root)) ?? []).slice(0, MOST)) {
    const at = (file: string): Promise<string | null> => files.read(join(root, name, file));
    const transport = await at('transport');
    const slot = canonicalPciAddress((await at('address')) ?? '');
    const serial = (await at('serial'))?.trim() ?? '';
    const model = (await at('model'))?.trim() ?? '';
    files.forget(join(root, name, '/'));
    // One over a network is another host's.
    if (transport !== 'pcie' || slot === null) continue;
    disks.push({ ...partOf(slot, serial, model), device: NVME.test(name) ? name : null });
  }
  disks.push(...(await readScsiDisks(files, sys)));
  return files.stuck.length > 0 ? null : disks;
}

function partOf(slot: string, serial: string, model: string): Part {
  return { type: 'disk', slot, serial: serial === '' ? null : serial, model: model === '' ? null : model };
}
