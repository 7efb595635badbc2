// Unread GPU: one of which its own tool reads nothing may be lost to its driver, or only asleep: what it does is looked at before any program is started again.

import type { Incident } from '../../model/incident.ts';
import type { Special } from './special-step.ts';

export function unreadGpu({ root, events }: Incident): Special | null {
  const { unread_by: tool, gpu_index: index } = events.find(({ id }) => id === root.eventId)?.attributes ?? {};
  if (root.kind !== 'gpu.access_lost' || tool !== 'rocm-smi' || typeof index !== 'number') return null;
  return {
    does: `see why rocm-smi reads nothing of GPU ${index} of @`,
    now: 'on @, sudo dmesg -T | grep -i amdgpu | tail says whether its driver lost it or resets it. With nothing there it may only sleep: cat /sys/class/drm/card*/device/power/runtime_status',
    call: 'who runs @',
  };
}
