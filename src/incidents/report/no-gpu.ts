// No GPU: what helps where the driver of a host sees none at all, which is hardly one GPU that is gone.

import type { Incident } from '../../model/incident.ts';
import type { Special } from './special-step.ts';

const NVIDIA: Special = {
  does: 'find out why the driver of % sees no GPU',
  now: 'on @, lspci -d 10de: shows which are on the bus, sudo dmesg | grep -iE "nvrm|xid" what the driver says of them; in a container look outside it first. DRAIN; once nothing runs on @, SAVEreboot it: sudo systemctl reboot',
  call: 'who runs @',
};
const AMD: Special = {
  does: NVIDIA.does,
  now: 'on @, lspci -d 1002: shows which are on the bus, sudo dmesg | grep -i amdgpu what the driver says of them (none loaded: sudo modprobe amdgpu); in a container look outside it first. DRAIN; once nothing runs on @, save its kernel log (sudo dmesg), then reboot it: sudo systemctl reboot',
  call: 'who runs @',
};

/** Null where a GPU is missing and others are there, or nothing says. */
export function noGpuSeen({ root, events }: Incident): Special | null {
  const { seen, tool } = events.find(({ id }) => id === root.eventId)?.attributes ?? {};
  if (root.kind !== 'gpu.missing' || seen !== 0) return null;
  return typeof tool === 'string' && /^(?:amd|rocm)-smi/.test(tool) ? AMD : NVIDIA;
}
