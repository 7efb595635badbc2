// Work places: on how many GPUs of this host a job runs, as far as links and known jobs show.

import { type Component, componentText } from '../../model/component.ts';
import type { Link } from '../../model/topology.ts';
import { hostOf, jobOfRank } from './place.ts';

/**
 * GPUs of this host that a job runs on: those linked to it or its ranks, and one for each rank that is placed here and whose
 * GPU is not known; else all of the host where no other job is known; null where none of it is known.
 */
export function gpusOfJob(job: string, host: string, links: Iterable<Link>, jobs: ReadonlySet<string>): number | null {
  const ofJob = (to: Component): boolean => (to.type === 'job' ? to.id === job : jobOfRank(to) === job);
  const gpus = new Set<string>();
  const ofRanks = new Set<string>();
  const ranks = new Set<string>();
  const placed = new Set<string>();
  let contained = 0;
  for (const { from, to, relation } of links) {
    if (isContained(from, to, relation, host)) contained += 1;
    if (relation !== 'runs' || !ofJob(to) || hostOf(from, host) !== host) continue;
    if (from.type === 'gpu') gpus.add(componentText(from));
    if (to.type !== 'rank') continue;
    ranks.add(componentText(to));
    if (from.type !== 'gpu') continue;
    ofRanks.add(componentText(from));
    placed.add(componentText(to));
  }
  const alone = jobs.size === 0 || (jobs.size === 1 && jobs.has(job));
  // A rank whose GPU is not known has one that is linked to the job, or one more.
  const known = Math.max(gpus.size, ofRanks.size + ranks.size - placed.size);
  return (contained > 0 ? Math.min(known, contained) : known) || (alone ? contained : 0) || null;
}

/** GPUs of this host that are linked to a service; null where none is: a service may share the host with anything. */
export function gpusOfService(service: string, host: string, links: Iterable<Link>): number | null {
  const gpus = new Set<string>();
  for (const { from, to, relation } of links) {
    const runs = relation === 'runs' && to.type === 'service' && to.id === service;
    if (runs && from.type === 'gpu' && hostOf(from, host) === host) gpus.add(componentText(from));
  }
  return gpus.size || null;
}

/** GPUs that a host was seen to hold, not only heard of. */
export function gpusIn(host: string, links: Iterable<Link>): number {
  let count = 0;
  for (const { from, to, relation } of links) if (isContained(from, to, relation, host)) count += 1;
  return count;
}

function isContained(from: Component, to: Component, relation: Link['relation'], host: string): boolean {
  return relation === 'contains' && from.type === 'host' && from.id === host && to.type === 'gpu';
}
