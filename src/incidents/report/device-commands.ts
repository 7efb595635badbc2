// Device commands: what is typed for a GPU, a card, a disk or a pod, with its address or name as their own tools take it.

import { type Component, type ComponentType, canonicalPciAddress } from '../../model/component.ts';
import type { Attributes, FaultEvent } from '../../model/event.ts';
import { saidGpu } from '../../model/said-device.ts';
import { NAME } from './drain.ts';

/** Of a GPU that no line names by its address: by its number where one says that, which is DCGM's or nvidia-smi's. */
export function unnamedReset(root: FaultEvent | undefined): string {
  const gpu = root === undefined ? null : saidGpu(root.attributes);
  if (gpu === null) return ofRank(root?.attributes ?? {});
  if (isOfAmd(root)) return `reset it (sudo amd-smi reset --gpureset --gpu ${gpu})`;
  if (root?.attributes.dcgm_gpu === gpu)
    return `reset it (see that nvidia-smi -i ${gpu} is that GPU; sudo nvidia-smi --gpu-reset -i ${gpu})`;
  return `reset it (NVIDIA: sudo nvidia-smi --gpu-reset -i ${gpu}; AMD: sudo amd-smi reset --gpureset --gpu ${gpu})`;
}
/** Ranks of a host are most often numbered as its GPUs are. */
function ofRank({ rank, local_rank: local }: Attributes): string {
  const index = typeof local === 'number' ? local : typeof rank === 'number' ? rank % 8 : null;
  if (index === null) return UNNAMED;
  const which = typeof rank === 'number' ? `rank ${rank}` : `local rank ${index}`;
  return UNNAMED.replace('that the lines mean', `of ${which}, at 8 ranks a host most often number ${index}`);
}
const UNNAMED = 'reset the GPU that the lines mean (NVIDIA: nvidia-smi -L, then sudo nvidia-smi --gpu-reset -i GPU)';

const AMD_TOOL = /^(?:amd|rocm)-smi\b/;
/** The line of a kernel log is of AMD's own driver. */
const AMD_LINE = /^(?:amdgpu |\[drm:\w{1,64} \[amdgpu\]\])/;

export function isOfAmd(event: FaultEvent | undefined): boolean {
  if (typeof event?.attributes.tool === 'string' && AMD_TOOL.test(event.attributes.tool)) return true;
  return event?.evidence.some((seen) => 'text' in seen && AMD_LINE.test(seen.text)) === true;
}

/** Of a network card; its driver serves all cards of its make. */
export function cardReset(target: Component | null): string {
  const address = target?.type === 'nic' ? canonicalPciAddress(target.id) : null;
  const firmware = address === null ? '' : `NVIDIA: sudo mlxfwreset -d ${address} -y reset; else `;
  return ` (${firmware}unload and load its driver, which takes all cards of that driver)`;
}

export function resetCommand(address: string, root: FaultEvent | undefined): string {
  if (isOfAmd(root))
    return `AMD: sudo amd-smi reset --gpureset --gpu ${address}, which resets all GPUs that XGMI links to it, and ends whatever has /dev/kfd open`;
  return `NVIDIA: sudo nvidia-smi --gpu-reset -i ${address}`;
}

/** As its file in /dev is called; what stands for it where no line names it. */
export function diskName(target: Component | null): string {
  return target?.type === 'disk' && NAME.test(target.id) ? target.id : 'DISK';
}

/** As kubectl takes it, with a blank before it; empty where no line names it. */
export function podName(root: FaultEvent | undefined): string {
  const { pod, namespace } = root?.attributes ?? {};
  if (typeof pod !== 'string' || !POD_NAME.test(pod)) return '';
  return ` ${pod}${typeof namespace === 'string' && POD_NAME.test(namespace) ? ` -n ${namespace}` : ''}`;
}
const POD_NAME = /^[a-z0-9][a-z0-9.-]{0,252}$/;

/** Commands that tell of a device on the bus; one that fell off answers only after a reboot. */
export function diagnosisText(target: Component | null, root: FaultEvent | undefined): string {
  const address = target === null ? null : canonicalPciAddress(target.id);
  if (address === null || target === null || !ON_BUS.has(target.type)) return byNumber(root);
  const link = `sudo lspci -vvs ${address}`;
  if (target.type !== 'gpu') return ` (its link: ${link})`;
  const tools = isOfAmd(root)
    ? `AMD: sudo amd-smi metric --gpu ${address}, sudo amd-smi bad-pages --gpu ${address}`
    : `NVIDIA: nvidia-smi -q -i ${address}, then dcgmi diag -r 3`;
  return ` (its link: ${link}; ${tools}; one that is off the bus answers only after a reboot)`;
}

/** DCGM serves NVIDIA's alone, and counts as nvidia-smi does on most hosts. */
function byNumber(root: FaultEvent | undefined): string {
  const gpu = root?.attributes.dcgm_gpu;
  if (typeof gpu !== 'number') return '';
  return `: sudo dcgmi diag -r 3 -i ${gpu}, and nvidia-smi -q -i ${gpu} for its address and the width of its link`;
}

const ON_BUS: ReadonlySet<ComponentType> = new Set(['gpu', 'nic', 'nvswitch', 'pcie']);
