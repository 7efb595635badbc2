// SATA and SAS disks in a tree of the kernel's layout: each by port or bay and serial, and what is not a part of the host.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Aliases } from '../../../src/identity/aliases.ts';
import { componentText } from '../../../src/model/component.ts';
import { SmallFiles } from '../../../src/sources/files/small-files.ts';
import { readDisks } from '../../../src/sources/inventory/disks.ts';
import { diskDiscovery } from '../../../src/sources/inventory/part-event.ts';

class Tree {
  readonly sys = mkdtempSync(join(tmpdir(), 'scsi-'));

  constructor(t: TestContext) {
    t.after(() => rmSync(this.sys, { recursive: true }));
  }

  write(path: string, text: string): this {
    const whole = join(this.sys, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, text, 'latin1');
    return this;
  }

  /** A disk at this place of /sys/devices; its name is the last part of the place. */
  disk(place: string, serial: string | null, model = 'ST4000NM'): this {
    const name = place.slice(place.lastIndexOf('/') + 1);
    const device = `devices/${place}`;
    this.write(`${device}/model`, `${model}        \n`);
    if (serial !== null) this.write(`${device}/vpd_pg80`, `\0\x80\0${String.fromCharCode(serial.length)}${serial}`);
    mkdirSync(join(this.sys, 'class/scsi_disk', name), { recursive: true });
    symlinkSync(join(this.sys, device), join(this.sys, 'class/scsi_disk', name, 'device'));
    return this;
  }

  sata(controller: string, host: number, port: string, serial: string | null): this {
    const ata = `pci0000:00/${controller}/ata${host + 1}`;
    this.write(`devices/${ata}/ata_port/ata${host + 1}/port_no`, `${port}\n`);
    return this.disk(`${ata}/host${host}/target${host}:0:0/${host}:0:0:0`, serial);
  }

  sas(end: string, name: string, files: Readonly<Record<string, string>>, serial: string): this {
    const place = `pci0000:80/0000:80:02.0/0000:81:00.0/host0/port-0:0/${end}`;
    const device = end.slice(end.lastIndexOf('/') + 1);
    for (const [file, text] of Object.entries(files))
      this.write(`devices/${place}/sas_device/${device}/${file}`, `${text}\n`);
    return this.disk(`${place}/target${name.slice(0, -2)}/${name}`, serial);
  }

  async read(): Promise<string[] | null> {
    const disks = await readDisks(new SmallFiles(), this.sys);
    return disks?.map(({ slot, serial, model }) => `${slot} ${serial} ${model}`).sort() ?? null;
  }
}

test('SATA by controller and its own port, whatever number the kernel gave the port', async (t) => {
  const tree = new Tree(t).sata('0000:00:17.0', 2, '1', '   ZC1A').sata('0000:00:17.0', 5, '4', 'ZC1B');
  assert.deepEqual(await tree.read(), ['0000:00:17.0/ata1 ZC1A ST4000NM', '0000:00:17.0/ata4 ZC1B ST4000NM']);
  const next = new Tree(t).sata('0000:00:17.0', 9, '1', 'ZC1A').sata('0000:00:17.0', 3, '4', 'ZC1B');
  assert.deepEqual(await next.read(), await tree.read());
});

test('SAS by bay, by shelf and bay, or by address; one that is reached by two ways is one', async (t) => {
  const tree = new Tree(t)
    .sas('end_device-0:0', '0:0:0:0', { bay_identifier: '3', enclosure_identifier: '0x0', sas_address: '0x5000c500a1' }, 'A')
    .sas('expander-0:1/port-0:1:4/end_device-0:1:4', '0:0:1:0', { bay_identifier: '3', enclosure_identifier: '0x500304801f', sas_address: '0x5000c500a2' }, 'B')
    .sas('end_device-0:2', '0:0:2:0', { sas_address: '0x5000c500a3' }, 'C')
    .sas('end_device-0:3', '0:0:3:0', { sas_address: '0x5000c500a4' }, 'C'); // biome-ignore format: a table
  assert.deepEqual(await tree.read(), ['0000:81:00.0/500304801f-bay3 B ST4000NM', '0000:81:00.0/bay3 A ST4000NM', '0000:81:00.0/sas-5000c500a3 C ST4000NM']); // biome-ignore format: one line
});

test('without the page of its serial the name in the world; without both none', async (t) => {
  const tree = new Tree(t).sata('0000:00:17.0', 0, '1', null).sata('0000:00:17.0', 1, '2', null);
  tree.write('devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/wwid', 't10.ATA     ST4000NM   ZC1A  \n');
  assert.deepEqual(await tree.read(), ['0000:00:17.0/ata1 t10.ATA ST4000NM ZC1A ST4000NM', '0000:00:17.0/ata2 null ST4000NM']); // biome-ignore format: one line
});

test('over USB, over a network, a volume of a RAID controller, of a hypervisor: not parts of the host', async (t) => {
  const tree = new Tree(t)
    .disk('pci0000:00/0000:00:14.0/usb1/1-2/1-2:1.0/host6/target6:0:0/6:0:0:0', 'USB')
    .disk('platform/host7/session1/target7:0:0/7:0:0:0', 'ISCSI')
    .disk('pci0000:40/0000:40:00.0/host8/rport-8:0-1/target8:0:0/8:0:0:0', 'FC')
    .disk('pci0000:81/0000:81:00.0/host9/target9:2:0/9:2:0:0', 'RAID')
    .disk('pci0000:00/0000:00:04.0/virtio1/host1/target1:0:0/1:0:0:0', 'VIRTIO')
    .write('class/scsi_disk/5:0:0:0/nothing', '');
  assert.deepEqual(await tree.read(), []);
});

test('a disk has the name of the kernel’s lines with that of its slot, so that both are one part', async (t) => {
  const tree = new Tree(t).sata('0000:00:17.0', 2, '1', 'ZC1A');
  tree.write('devices/pci0000:00/0000:00:17.0/ata3/host2/target2:0:0/2:0:0:0/block/sdc/size', '1\n');
  for (const [file, text] of Object.entries({ transport: 'pcie', address: '0000:82:00.0', serial: 'S1', model: 'X' }))
    tree.write(`class/nvme/nvme1/${file}`, `${text}\n`);
  const names = new Aliases();
  const found = ((await readDisks(new SmallFiles(), tree.sys)) ?? []).map((disk) => diskDiscovery(disk, 'node-3'));
  for (const one of found) if (one !== null) names.learn(one.component);
  const nameOf = (id: string) => names.resolve({ type: 'disk', id }).text;
  assert.equal(nameOf('node-3/0000:82:00.0'), 'disk/nvme1');
  assert.equal(nameOf('node-3/0000:00:17.0/ata1'), 'disk/sdc');
  assert.deepEqual(
    found.flatMap((one) => one?.links.map(({ from }) => componentText(from)) ?? []),
    ['pcie/0000:82:00.0', 'host/node-3'],
  );
});
