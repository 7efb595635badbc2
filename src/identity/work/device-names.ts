// Device names: what a device plugin, a driver of claims or a scheduler calls a GPU → the component that we know it as.

import { type Component, canonicalPciAddress, componentText } from '../../model/component.ts';
import type { GpuFacts } from '../host-gpus.ts';
import { type KernelVendor, kernelDevice, numbered } from '../kernel-gpus.ts';
import { migInstance } from '../mig-names.ts';
import type { PodDevice } from './facts.ts';

/** A device that was given to work. `shared`: by design others may have it as well. */
export interface GivenDevice {
  readonly device: string;
  readonly shared: boolean;
}

interface Form {
  /** The form, with what it names. */
  readonly pattern: RegExp;
  readonly find: (match: RegExpExecArray, gpus: GpuFacts, resource: string) => Component | undefined;
  readonly shared?: (match: RegExpExecArray) => boolean;
}

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

/** One row a form; the first that fits counts. */
const FORMS: readonly Form[] = [
  {
    // NVIDIA's plugin: GPU-<uuid>, of a shared one ::<replica>; HAMi and Volcano: GPU-<uuid>-<n>, always shared.
    pattern: new RegExp(`^(GPU-${UUID})(?:(::|-)\\d{1,4})?$`, 'i'),
    find: ([, uuid], gpus) => gpus.gpus.find((gpu) => isCalled(gpu, uuid)),
    shared: ([, , mark]) => mark !== undefined,
  },
  {
    pattern: new RegExp(`^(MIG-${UUID}|MIG-GPU-${UUID}/\\d+/\\d+)(::\\d{1,4})?$`, 'i'),
    find: ([, uuid = ''], gpus) => migInstance(uuid, gpus),
    shared: ([, , mark]) => mark !== undefined,
  },
  {
    // GKE's plugin: nvidia0, nvidia0/vgpu3, nvidia0/gi2, nvidia0/gi2/vgpu1. The number is that of the device file.
    pattern: /^nvidia(\d{1,3})(?:\/gi(\d{1,3}))?(\/vgpu\d{1,3})?$/,
    find: ([, minor, instance], gpus) => {
      const id = gpus.minors.get(Number(minor));
      if (instance === undefined) return gpus.gpus.find((gpu) => gpu.id === id);
      return gpus.instances.find(({ component }) => component.id === `${id}/${instance}`)?.component;
    },
    shared: ([, , , virtual]) => virtual !== undefined,
  },
  {
    // NVIDIA's driver of claims: gpu-<minor>, gpu-vfio-<minor>.
    pattern: /^gpu-(?:vfio-)?(\d{1,3})$/,
    find: ([, minor], gpus, resource) =>
      gpus.gpus.find(({ id }) => !isOfOthers(resource) && id === gpus.minors.get(Number(minor))),
  },
  {
    // The same of a MIG instance: gpu-<minor>-mig-<profile>-<profile id>-<start>. Only one of that profile on that GPU is sure.
    pattern: /^gpu-(\d{1,3})-mig-([\da-z.+]+(?:-me)?)-\d{1,3}-\d{1,3}$/,
    find: ([, minor, profile], gpus) => {
      const id = gpus.minors.get(Number(minor));
      const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
      const fits = gpus.instances.filter(
        (each) => each.component.id.startsWith(`${id}/`) && plain(each.profile) === plain(profile ?? ''),
      );
      return fits.length === 1 ? fits[0]?.component : undefined;
    },
  },
  {
    // AMD's driver of claims: gpu-<card>-<number of the render node>, of a partition as well.
    pattern: /^gpu-\d{1,3}-(\d{3,4})$/,
    find: ([, render], gpus, resource) =>
      vendorOf(resource) === 'amd' ? kernelDevice(gpus.kernel, `renderD${render}`, 'amd') : undefined,
  },
  {
    // Intel's plugin: card0-2, the card and which of those that share it; its driver of claims: 0000-03-00-0-0x56c0, address and model.
    pattern: /^(card\d{1,3})-(\d{1,4})$/,
    find: ([, card = ''], gpus) => kernelDevice(gpus.kernel, card, 'intel'),
    shared: ([, , share]) => share !== '0',
  },
  {
    pattern: /^([0-9a-f]{4})-([0-9a-f]{2})-([0-9a-f]{2})-([0-7])-0x[0-9a-f]{4}$/i,
    find: ([, domain, bus, device, number], gpus) => {
      const id = canonicalPciAddress(`${domain}:${bus}:${device}.${number}`);
      return gpus.kernel.find(({ component }) => component.id === id)?.component;
    },
  },
  {
    // Partitions of AMD's, and device files, as a CDI file has them.
    pattern: /^(?:amdgpu_xcp_\d{1,4}|renderD\d{3,4}|card\d{1,3})$/,
    find: ([name], gpus) => kernelDevice(gpus.kernel, name),
  },
  {
    // AMD's plugin, and SR-IOV's. Of a split GPU the address is that of its first partition. Where the kernel's list is not read,
    // AMD's are known by the address alone, as the kernel's lines have it.
    pattern: /^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$/i,
    find: ([address = ''], gpus, resource) => {
      const id = canonicalPciAddress(address);
      const kernel = gpus.kernel.find(({ component }) => component.id === id);
      if (kernel !== undefined)
        return vendorOf(resource) === 'amd' ? (kernel.parts[0] ?? kernel.component) : kernel.component;
      const listed = gpus.gpus.find((gpu) => gpu.id === id);
      return listed ?? (id !== null && vendorOf(resource) === 'amd' ? { type: 'gpu', id } : undefined);
    },
  },
];

/** Null where it is not known here: what cannot be resolved is not guessed. `resource`: of which the plugin calls it so. */
export function deviceOf(id: string, gpus: GpuFacts, resource: string): GivenDevice | null {
  for (const { pattern, find, shared } of FORMS) {
    const match = pattern.exec(id);
    if (match === null) continue;
    const found = find(match, gpus, resource);
    return found === undefined ? null : { device: componentText(found), shared: shared?.(match) ?? false };
  }
  return null;
}

/** By whichever of its names is known here, those that tell it for sure first. */
export function deviceGiven({ id, resource, also = [] }: PodDevice, gpus: GpuFacts): GivenDevice | null {
  for (const name of [...also, id]) {
    const found = deviceOf(name, gpus, resource);
    if (found !== null) return found;
  }
  return null;
}

/** By the scheduler's index: its GPUs in the order of their addresses, as the driver numbers them. */
export function gpuOfIndex(index: number, { gpus, kernel }: GpuFacts): string | null {
  const [vendor, ...others] = new Set(kernel.map((each) => each.vendor));
  const ofKernel =
    gpus.length > 0 || vendor === undefined || others.length > 0 ? undefined : numbered(kernel, vendor)[index];
  const gpu = gpus.find(({ aliases }) => aliases?.includes(`gpu ${index}`) === true) ?? ofKernel;
  return gpu === undefined ? null : componentText(gpu);
}

/** By the name of a resource, or of a driver of claims: amd.com/gpu, gpu.amd.com. */
function vendorOf(resource: string): KernelVendor | null {
  const [, vendor] = /(?:^|\.)(amd|intel)\.com(?:\/|$)/.exec(resource) ?? [];
  return vendor === 'amd' || vendor === 'intel' ? vendor : null;
}

const isOfOthers = (resource: string): boolean => vendorOf(resource) !== null;

function isCalled({ aliases }: Component, name: string | undefined): boolean {
  return name !== undefined && aliases?.some((alias) => alias.toLowerCase() === name.toLowerCase()) === true;
}
