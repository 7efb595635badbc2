// Silent rank: the one rank between those that report the same collective as timed out that does not, where its number is a plain gap.

import type { Incident } from '../../model/incident.ts';

/** Of two ranks one that is silent may as well be slow to write its log. */
const MIN_REPORTS = 3;

/** `rank 2 alone between them did not report it: look at its log and process first`; null where no single number is missing. */
export function silentRankText({ root, events }: Incident): string | null {
  if (root.kind !== 'job.collective_timeout' || root.component === null) return null;
  const job = partsOf(root.component.id)?.job;
  const ranks = new Set<number>();
  const collectives = new Set<string>();
  // Not every line names it.
  const groups = new Set<unknown>();
  for (const { kind, component, attributes } of events) {
    const parts = component?.type === 'rank' ? partsOf(component.id) : null;
    if (parts === null || parts.job !== job) continue;
    // Whatever else a rank says of its end, it is not silent.
    ranks.add(parts.rank);
    if (kind !== root.kind) continue;
    const { process_group: group, sequence, operation } = attributes;
    if (typeof sequence !== 'number') return null;
    collectives.add(`${sequence} ${operation}`);
    if (group !== undefined) groups.add(group);
  }
  if (ranks.size < MIN_REPORTS || collectives.size !== 1 || groups.size > 1) return null;
  const first = Math.min(...ranks);
  const last = Math.max(...ranks);
  // One number is missing; ranks of which every other is in the group miss more.
  if (last - first !== ranks.size) return null;
  let silent = first;
  while (ranks.has(silent)) silent += 1;
  return `rank ${silent} alone between them did not report it: look at its log and process first`;
}

function partsOf(id: string): { job: string; rank: number } | null {
  const [, job, rank] = /^(.*)\/(\d{1,9})$/.exec(id) ?? [];
  return job === undefined ? null : { job, rank: Number(rank) };
}
