// AMD's GPUs as the compute driver (KFD) lists them: one node each, or one for each partition (CPX, DPX, …) of a split one.
// Kernel: drivers/gpu/drm/amd/amdkfd/kfd_topology.c; `location_id` has the number of the partition in its four highest bits.

import { join } from 'node:path';
import type { Component } from '../../model/component.ts';
import type { SmallFiles } from '../files/small-files.ts';
import type { DrmDevice } from './device-files.ts';
import type { FoundGpu } from './found-gpu.ts';

const MAX_NODES = 512;

interface Node {
  readonly gpuId: number;
  readonly address: string;
  readonly render: string;
  readonly uuid: string | null;
  readonly name: string;
}

/** In the order of the nodes, by which ROCm numbers them; none where the driver is not loaded. */
export async function amdGpus(
  files: SmallFiles,
  sys: string,
  devices: ReadonlyMap<string, DrmDevice>,
): Promise<FoundGpu[]> {
  const folder = join(sys, 'class/kfd/kfd/topology/nodes');
  const numbers = ((await files.list(folder)) ?? []).filter((name) => /^\d{1,4}$/.test(name)).map(Number);
  const nodes: Node[] = [];
  for (const number of numbers.sort((a, b) => a - b).slice(0, MAX_NODES)) {
    const node = await nodeOf(files, join(folder, String(number)));
    if (node !== null) nodes.push(node);
  }
  // What is split again has other nodes, with the same names.
  files.forget(`${folder}/`);
  return [...Map.groupBy(nodes, ({ address }) => address)].map(([address, all]) => gpuOf(address, all, devices));
}

/** Null for a CPU, and for what a container may not see. */
async function nodeOf(files: SmallFiles, folder: string): Promise<Node | null> {
  const gpuId = Number(await files.read(join(folder, 'gpu_id')));
  if (!Number.isInteger(gpuId) || gpuId <= 0) return null;
  const text = (await files.read(join(folder, 'properties'))) ?? '';
  const values = new Map(
    text.split('\n').flatMap((line) => [/^(\w+) (\d+)$/.exec(line)?.slice(1) ?? []] as [string, string][]),
  );
  const location = Number(values.get('location_id'));
  if (!Number.isInteger(location)) return null;
  const hex = (value: number, width: number): string => value.toString(16).padStart(width, '0');
  const domain = Number(values.get('domain') ?? 0);
  const unique = BigInt(values.get('unique_id') ?? 0);
  return {
    gpuId,
    address: `${hex(domain, domain > 0xffff ? 8 : 4)}:${hex((location >> 8) & 0xff, 2)}:${hex((location >> 3) & 0x1f, 2)}.0`,
    render: `renderD${values.get('drm_render_minor') ?? ''}`,
    uuid: unique === 0n ? null : `GPU-${unique.toString(16).padStart(16, '0')}`,
    name: (await files.read(join(folder, 'name'))) ?? '',
  };
}

function gpuOf(address: string, nodes: readonly Node[], devices: ReadonlyMap<string, DrmDevice>): FoundGpu {
  const id = [...devices.keys()].find((each) => each === address) ?? address;
  const isSplit = nodes.length > 1;
  const uuids = nodes.map(({ uuid }) => uuid);
  // Before the kernel gave each partition one of its own they had that of the GPU.
  const isOwn = (uuid: string | null) => uuid !== null && uuids.filter((each) => each === uuid).length === 1;
  const units = nodes.map((node, part): Component => {
    const device = [...devices.values()].find(({ names }) => names.includes(node.render));
    const platform = device?.id.startsWith('amdgpu_xcp_') === true ? [device.id] : [];
    const aliases = [...(device?.names ?? [node.render]), ...platform, ...(isOwn(node.uuid) ? [node.uuid ?? ''] : [])];
    return isSplit ? { type: 'gpu_instance', id: `${id}/${part}`, aliases } : { type: 'gpu', id, aliases };
  });
  const [first] = units;
  const shared = [...new Set(uuids)].filter((uuid) => uuid !== null && !isOwn(uuid)).map(String);
  const component: Component = isSplit || first === undefined ? { type: 'gpu', id, ...(shared.length > 0 ? { aliases: shared } : {}) } : first; // biome-ignore format: one line
  return {
    vendor: 'amd',
    component,
    parts: isSplit ? units : [],
    integrated: false,
    model: nodes[0]?.name ?? '',
    computeIds: new Map(nodes.map(({ gpuId }, at) => [units[at]?.id ?? id, gpuId])),
  };
}
