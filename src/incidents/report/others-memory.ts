// Others' memory: who holds a GPU whose memory ran out, as PyTorch's own words have it: more often than not a process of an earlier job.

import type { Incident } from '../../model/incident.ts';

const HOLDS = /\b(?:Process (\d{1,10})|this process) has (\d{1,6}(?:\.\d{1,4})?) ([KMG]iB) memory in use/g;
const GIB: Readonly<Record<string, number>> = { KiB: 2 ** -20, MiB: 2 ** -10, GiB: 1 };
const MOST = 4;

export interface OthersMemory {
  /** At most four, the largest first. */
  readonly pids: readonly string[];
  readonly gib: number;
}

/** Null where the program itself held as much as all others, or the lines do not say. */
export function othersMemory({ root, events }: Pick<Incident, 'root' | 'events'>): OthersMemory | null {
  if (root.kind !== 'job.gpu_oom') return null;
  const event = events.find(({ id }) => id === root.eventId);
  for (const each of event?.evidence ?? []) {
    if (!('text' in each)) continue;
    const { text } = each;
    const held = [...text.matchAll(HOLDS)].map(([, pid, size = '', unit = '']) => ({
      pid,
      gib: Number(size) * (GIB[unit] ?? 0),
    }));
    const gibOf = (own: boolean): number =>
      held.reduce((sum, { pid, gib }) => sum + ((pid === undefined) === own ? gib : 0), 0);
    const others = held
      .flatMap(({ pid, gib }) => (pid === undefined ? [] : [{ pid, gib }]))
      .sort((a, b) => b.gib - a.gib);
    const pids = [...new Set(others.map(({ pid }) => pid))].slice(0, MOST);
    if (pids.length > 0 && gibOf(false) > gibOf(true)) return { pids, gib: gibOf(false) };
  }
  return null;
}
