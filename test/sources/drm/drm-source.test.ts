// The DRM source on trees in the kernel's layout: GPUs of AMD whole and split, of Intel with tiles, and the processes on them.

import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { HostGpus } from '../../../src/identity/host-gpus.ts';
import { DrmSource } from '../../../src/sources/drm/drm-source.ts';
import { SmallFiles } from '../../../src/sources/files/small-files.ts';
import { FakeSys, Seen } from '../fake-sys.ts';

async function looked(t: TestContext, host: FakeSys, pids = 'pid:[4026531836]') {
  mkdirSync(join(host.proc, 'self/ns'), { recursive: true });
  symlinkSync(pids, join(host.proc, 'self/ns/pid'));
  const gpus = new HostGpus();
  const seen = new Seen();
  const options = { host: 'node-3', roots: { sys: host.sys, proc: host.proc }, files: new SmallFiles(), gpus };
  const source = new DrmSource({ enabled: 'auto', intervalMs: 60_000 }, options);
  t.after(() => source.stop());
  await source.driven(seen)();
  const names = gpus.facts().kernel.flatMap(({ component, parts }) => [component, ...parts]);
  return {
    gpus,
    seen,
    health: source.health()[0],
    names: names.map(({ id, aliases = [] }) => [id, ...aliases].join(' ')),
  };
}

/** A compute node of the kernel: `location` as (bus << 8), the number of the partition in its four highest bits. */
function node(host: FakeSys, number: number, gpuId: number, values: Readonly<Record<string, string | number>>): void {
  const properties = Object.entries({ simd_count: 304, domain: 0, ...values }).map(
    ([name, value]) => `${name} ${value}`,
  );
  host.write(`sys/class/kfd/kfd/topology/nodes/${number}`, {
    gpu_id: gpuId,
    name: 'gfx942',
    properties: properties.join('\n'),
  });
}

/** Device files of a device. */
function files(host: FakeSys, device: string, card: number, render: number): void {
  for (const name of [`card${card}`, `renderD${render}`, `card${card}-DP-1`])
    host.link(`sys/class/drm/${name}/device`, device);
}

/** Two GPUs in CPX with two partitions each; node 0 is a CPU. */
function splitHost(t: TestContext): FakeSys {
  const host = new FakeSys(t);
  node(host, 0, 0, { cpu_cores_count: 96, location_id: 0 });
  const rows = [[1, 0x0500, 0, 128], [2, 0x0500, 1, 129], [3, 0x2600, 0, 136], [10, 0x2600, 1, 137]] as const; // biome-ignore format: one line
  for (const [number, location, part, render] of rows)
    node(host, number, 1000 + number, {
      location_id: part * 2 ** 28 + location,
      drm_render_minor: render,
      unique_id: '14313749767032793493',
    });
  files(host, host.pci('0000:05:00.0', { vendor: '0x1002' }, 'amdgpu'), 1, 128);
  files(host, host.pci('0000:26:00.0', { vendor: '0x1002' }, 'amdgpu'), 9, 136);
  for (const [platform, card, render] of [['amdgpu_xcp_0', 2, 129], ['amdgpu_xcp_7', 10, 137]] as const) {
    mkdirSync(join(host.folder, 'sys/devices/platform', platform), { recursive: true });
    files(host, `sys/devices/platform/${platform}`, card, render);
  } // biome-ignore format: one row a partition
  return host;
}

test('a GPU in CPX mode is split into partitions, each with device files of its own', async (t) => {
  const { names, health, seen } = await looked(t, splitHost(t));
  assert.deepEqual(names, [
    '0000:05:00.0 GPU-c6a4eeee5e5e5555',
    '0000:05:00.0/0 card1 renderD128',
    '0000:05:00.0/1 card2 renderD129 amdgpu_xcp_0',
    '0000:26:00.0 GPU-c6a4eeee5e5e5555',
    '0000:26:00.0/0 card9 renderD136',
    '0000:26:00.0/1 card10 renderD137 amdgpu_xcp_7',
  ].map((row) => row.replace('c6a4eeee5e5e5555', BigInt('14313749767032793493').toString(16)))); // biome-ignore format: one row a device
  assert.equal(health?.detail, '2 GPUs of AMD, split into 4, 0 processes on those of AMD');
  assert.deepEqual(
    seen.discoveries.map(({ component, links }) => [component.id, links[0]?.from.id]).slice(0, 2),
    [['0000:05:00.0', 'node-3'], ['0000:05:00.0/0', '0000:05:00.0']],
  ); // biome-ignore format: one row a discovery
});

test('a whole GPU has one node, and the unique id by which ROCm calls it', async (t) => {
  const host = new FakeSys(t);
  node(host, 1, 51_140, { domain: 65_536, location_id: 0x1908, drm_render_minor: 128, unique_id: 255 });
  const { names } = await looked(t, host);
  assert.deepEqual(names, ['00010000:19:01.0 renderD128 GPU-00000000000000ff']);
});

test('processes are on the GPUs where they have memory, and of several where their queues are', async (t) => {
  const host = splitHost(t);
  const proc = 'sys/class/kfd/kfd/proc';
  host.write(`${proc}/400`, { pasid: 32_770, vram_1001: 8_000_000, vram_1002: 0, vram_1003: 0, vram_1010: 0 });
  host.write(`${proc}/401`, {
    vram_1001: 4096,
    vram_1010: 9_000_000,
    'queues/0/gpuid': 1010,
    'queues/0/size': 1,
    'queues/1/gpuid': 1010,
  });
  host.write(`${proc}/402`, { vram_1001: 0 });
  host.write(`${proc}/500`, { vram_1003: 1, vram_1010: 1 });
  const { gpus, health } = await looked(t, host);
  assert.deepEqual(Object.fromEntries(gpus.facts().users), {
    '0000:05:00.0/0': [400],
    '0000:05:00.0/1': [],
    '0000:26:00.0/0': [500],
    '0000:26:00.0/1': [401, 500],
  });
  assert.deepEqual(gpus.holders(), [400, 500, 401]);
  assert.equal(health?.detail, '2 GPUs of AMD, split into 4, 3 processes on those of AMD');
});

test('from a namespace of its own the numbers of processes are those of others: none is taken', async (t) => {
  const host = splitHost(t);
  host.write('sys/class/kfd/kfd/proc/400', { vram_1001: 8_000_000 });
  const { gpus, health } = await looked(t, host, 'pid:[4026532201]');
  assert.deepEqual(gpus.holders(), []);
  assert.match(health?.remedy ?? '', /hostPID/);
});

test("Intel's GPUs: those that i915 and xe drive, with tiles where there are several", async (t) => {
  const host = new FakeSys(t);
  files(host, host.pci('0000:00:02.0', { device: '0x4680' }, 'i915'), 0, 128);
  const card = host.pci('0000:51:00.0', { device: '0x0bd5' }, 'xe');
  host.write(card, { 'tile0/gt0/id': 0, 'tile1/gt0/id': 1 });
  files(host, card, 1, 129);
  files(host, host.pci('0000:61:00.0', { device: '0x56c0' }, 'xe'), 2, 130);
  files(host, host.pci('0000:03:00.0', { device: '0x2000' }, 'ast'), 3, 131);
  const { names, gpus, health } = await looked(t, host);
  assert.deepEqual(names, ['0000:00:02.0 card0 renderD128', '0000:51:00.0 card1 renderD129', '0000:51:00.0/0', '0000:51:00.0/1', '0000:61:00.0 card2 renderD130']); // biome-ignore format: one line
  assert.deepEqual(gpus.facts().kernel.map(({ integrated }) => integrated), [true, false, false]); // biome-ignore format: one line
  assert.equal(health?.detail, '3 GPUs of Intel, split into 2');
});

test('a host without either costs a look, and says so', async (t) => {
  const { health, names } = await looked(t, new FakeSys(t));
  assert.deepEqual([health?.status, health?.detail, names], ['absent', 'no GPU of AMD or Intel', []]);
});
