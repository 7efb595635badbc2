// The PCI source on a tree in the kernel's layout: the GPU that is missing by name, containers, the fabric's daemons.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { PciSource } from '../../../src/sources/pci/pci-source.ts';
import { FakeSys, Seen, until } from '../fake-sys.ts';

const GPUS = ['0000:1b:00.0', '0000:29:00.0', '0000:45:00.0'];
const [, MISSING = ''] = GPUS;

function start(t: TestContext, host: FakeSys, library: () => readonly string[] | null = () => null) {
  const seen = new Seen();
  let nowMs = 0;
  const now = () => {
    nowMs += 1000;
    return nowMs;
  };
  const roots = { proc: host.proc, sys: host.sys };
  const source = new PciSource({ enabled: 'auto', intervalMs: 2 }, { host: 'node-3', roots, library, now });
  t.after(() => source.stop());
  source.start(seen, new AbortController().signal);
  const reads = () => source.counts()[0]?.reads ?? 0;
  const rounds = async () => {
    const before = reads() + 200;
    await until('it looked often', () => reads() > before || nowMs > 60_000);
  };
  return { seen, source, detail: () => source.health()[0]?.detail ?? '', rounds };
}

function threeGpus(t: TestContext): FakeSys {
  const host = new FakeSys(t);
  for (const address of GPUS) {
    host.pci(address, { vendor: '0x10de', class: '0x030200' }, 'nvidia');
    host.write(`proc/driver/nvidia/gpus/${address}`, { information: 'Model: NVIDIA H100' });
  }
  host.pci('0000:05:00.0', { vendor: '0x10de', class: '0x068000' }, 'nvidia');
  host.pci('0000:1b:00.1', { vendor: '0x10de', class: '0x040300' }, 'snd_hda_intel');
  host.write('proc/1', { comm: 'systemd' });
  host.write('proc/4711', { comm: 'nv-fabricmanage' });
  return host;
}

test('all there: counted, with NVSwitch and fabric manager', async (t) => {
  const { seen, detail, rounds } = start(t, threeGpus(t), () => GPUS);
  await rounds();
  assert.equal(detail(), '3 NVIDIA GPUs on the bus, 1 NVSwitch, fabric manager runs');
  assert.deepEqual(seen.reported, []);
});

test('the ports that each GPU hangs on are reported once', async (t) => {
  const { seen, rounds } = start(t, threeGpus(t), () => GPUS);
  await rounds();
  const links = seen.discoveries.flatMap((found) => found.links);
  assert.deepEqual(
    links.map(({ from, to }) => `${from.id} ${to.id}`),
    ['0000:00:1b.0 0000:1b:00.0', '0000:00:29.0 0000:29:00.0', '0000:00:45.0 0000:45:00.0'],
  );
});

test('a fabric manager that ended is found missing', async (t) => {
  const host = threeGpus(t);
  const { detail } = start(t, host);
  await until('it runs', () => detail().includes('fabric manager runs'));
  host.remove('proc/4711');
  await until('it does not', () => detail().includes('no fabric manager was found'));
});

test('a GPU that the driver does not list is missing by its address, and is over when it does', async (t) => {
  const host = threeGpus(t);
  host.remove(`proc/driver/nvidia/gpus/${MISSING}`);
  const { seen, detail } = start(t, host);
  const event = await until('it is reported', () => seen.events[0]);
  assert.deepEqual(seen.reported, [`gpu.missing onset gpu/${MISSING}`]);
  assert.deepEqual([event.attributes?.why, event.attributes?.gpus_on_bus, event.trust], ['not_in_driver', 3, 'kernel']);
  assert.match(detail(), /1 missing from the driver/);
  host.write(`proc/driver/nvidia/gpus/${MISSING}`, { information: 'Model: NVIDIA H100' });
  await until('it is over', () => seen.events.length > 1);
  assert.equal(seen.reported[1], `gpu.missing clear gpu/${MISSING}`);
});

test('a GPU that only the library lacks is missing too', async (t) => {
  const { seen } = start(t, threeGpus(t), () => GPUS.filter((one) => one !== MISSING));
  const event = await until('it is reported', () => seen.events[0]);
  assert.equal(event.attributes?.why, 'not_in_library');
});

test('a container whose own file system lies over the list of the driver hides GPUs, and none is missing', async (t) => {
  const host = threeGpus(t);
  host.remove(`proc/driver/nvidia/gpus/${MISSING}`);
  const other = mkdtempSync('/dev/shm/fl pci ');
  t.after(() => rmSync(other, { recursive: true, force: true }));
  const folder = join(host.proc, 'driver/nvidia');
  await rename(folder, join(host.proc, 'kept'));
  await symlink(other, folder);
  host.write('proc/driver/nvidia/gpus', { [`${GPUS[0]}/information`]: 'Model' });
  const { seen, rounds } = start(t, host, () => GPUS.slice(0, 1));
  await rounds();
  assert.deepEqual(seen.reported, []);
});

test('no PCI bus is absent', async (t) => {
  const { detail, source } = start(t, new FakeSys(t));
  await until('it looked', () => detail().startsWith('FL2606'));
  assert.equal(source.health()[0]?.status, 'absent');
});
