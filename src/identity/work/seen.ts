// Seen: on which GPUs the driver lists each process.

import type { GpuFacts } from '../host-gpus.ts';

/** Pid → GPU ids. */
export type Seen = ReadonlyMap<number, readonly string[]>;

export function seenOn({ users }: Pick<GpuFacts, 'users'>): Map<number, string[]> {
  const seen = new Map<number, string[]>();
  for (const [gpu, pids] of users) for (const pid of pids) seen.set(pid, [...(seen.get(pid) ?? []), gpu]);
  return seen;
}
