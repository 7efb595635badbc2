// Lost device: how a device that its plugin took out of a node is looked for, with its vendor's tool.

import type { Incident } from '../../model/incident.ts';

const OF_VENDORS: readonly (readonly [resource: RegExp, list: string, lines: string])[] = [
  [/^amd\./, 'sudo amd-smi list', "grep -iE 'amdgpu.*(error|reset|fail|ras)'"],
  [/^habana\./, 'hl-smi', 'grep -i habanalabs'],
  [/^gpu\.intel\./, 'sudo xpu-smi discovery', "grep -wE 'xe|i915'"],
];

/** The first step; null where its resource is of another vendor. */
export function lostDevice({ root, events }: Pick<Incident, 'root' | 'events'>): string | null {
  if (root.kind !== 'pod.device_unhealthy') return null;
  const { resource } = events.find(({ id }) => id === root.eventId)?.attributes ?? {};
  if (typeof resource !== 'string') return null;
  const [, list, lines] = OF_VENDORS.find(([of]) => of.test(resource)) ?? [];
  if (list === undefined) return null;
  return `on @, ${list}, and sudo dmesg -T | ${lines}: a device that is missing or faulty there explains it; else the log of the device plugin`;
}
