// SCSI disks: SATA and SAS disks of this host, by the port or bay that each is in and the serial that it gives. Disks over a
// network or USB, volumes of a RAID controller and what a hypervisor makes up are not parts of the host.

import { join } from 'node:path';
import { canonicalPciAddress } from '../../model/component.ts';
import type { SmallFiles } from '../files/small-files.ts';
import type { Disk } from './disk.ts';

const MOST = 512;
/** Page 0x80 begins with type, page code and length (SPC-4, 7.8.14). */
const PAGE_HEADER = 4;
const PCI = /[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7](?=\/)/g;

/** Slots are stable over boots: numbers of hosts and targets are not, and no part of them. */
export async function readScsiDisks(files: SmallFiles, sys: string): Promise<Disk[]> {
  const root = join(sys, 'class/scsi_disk');
  const disks: Disk[] = [];
  const serials = new Set<string>();
  for (const name of ((await files.list(root)) ?? []).slice(0, MOST)) {
    const link = await files.real(join(root, name, 'device'));
    const slot = link === null ? null : await slotOf(files, link);
    if (link === null || slot === null) continue;
    const model = (await files.read(join(link, 'model')))?.trim() ?? '';
    const serial = await serialOf(files, link);
    const [device = null] = (await files.list(join(link, 'block'))) ?? [];
    files.forget(`${link}/`);
    // One that is reached by two ways is one disk.
    if (serial !== null && serials.has(serial)) continue;
    if (serial !== null) serials.add(serial);
    disks.push({ type: 'disk', slot, serial, model: model === '' ? null : model, device });
  }
  return disks;
}

/** "0000:00:17.0/ata2", "0000:81:00.0/bay3", "0000:81:00.0/sas-5000c500a1b2c3d4"; null for what is neither SATA nor SAS. */
async function slotOf(files: SmallFiles, link: string): Promise<string | null> {
  const controller = canonicalPciAddress(link.match(PCI)?.at(-1) ?? '');
  if (controller === null || /\/usb\d/.test(link)) return null;
  const ata = /^(.*)\/(ata\d+)\//.exec(link);
  if (ata !== null) {
    const [, above = '', port = ''] = ata;
    const number = await files.read(join(above, port, 'ata_port', port, 'port_no'));
    files.forget(`${above}/${port}/ata_port/`);
    return number === null ? null : `${controller}/ata${number}`;
  }
  const sas = /^(.*)\/(end_device-[\d:]+)\//.exec(link);
  if (sas === null) return null;
  const [, above = '', device = ''] = sas;
  const folder = join(above, device, 'sas_device', device);
  const bay = await files.read(join(folder, 'bay_identifier'));
  const enclosure = await files.read(join(folder, 'enclosure_identifier'));
  const address = await files.read(join(folder, 'sas_address'));
  files.forget(`${folder}/`);
  // A controller of which several shelves hang: the same bay is in each of them.
  if (bay !== null && /^\d+$/.test(bay)) return `${controller}/${shelfOf(enclosure)}bay${bay}`;
  return address === null ? null : `${controller}/sas-${address.replace(/^0x/, '')}`;
}

function shelfOf(enclosure: string | null): string {
  return enclosure === null || /^(?:0x)?0*$/.test(enclosure) ? '' : `${enclosure.replace(/^0x/, '')}-`;
}

/** By the page that holds it; else by the name of the disk in the world. */
async function serialOf(files: SmallFiles, link: string): Promise<string | null> {
  const page = await files.read(join(link, 'vpd_pg80'));
  const serial = clean(page?.slice(PAGE_HEADER));
  return serial ?? clean((await files.read(join(link, 'wwid'))) ?? undefined);
}

function clean(text: string | undefined): string | null {
  const shown = text?.replace(/[^\x21-\x7e]+/g, ' ').trim() ?? '';
  return shown === '' ? null : shown.slice(0, 128);
}
