// Topology names: what the topology names and no source reads is most likely misspelt; it is warned of, not refused.

import type { Component } from '../model/component.ts';
import { didYouMean } from './did-you-mean.ts';
import type { Findings } from './findings.ts';
import { parseRanks } from './ranks.ts';
import type { RawConfig } from './schema.ts';

export interface KnownTopology {
  readonly pdus: ReadonlySet<string>;
  readonly hosts: ReadonlySet<string>;
  readonly services: ReadonlySet<string>;
  /** By name: the ranks here and how many there are, where the configuration says so. */
  readonly jobs: ReadonlyMap<string, { readonly ranks: ReadonlySet<number>; readonly worldSize: number | null }>;
}

export function knownNames({ sources }: RawConfig, host: string): KnownTopology {
  const jobs = new Map<string, { ranks: Set<number>; worldSize: number | null }>();
  for (const { job, ranks, world_size: worldSize } of sources.job_log) {
    const known = jobs.get(job) ?? { ranks: new Set(), worldSize: null };
    for (const rank of parseRanks(ranks) ?? []) known.ranks.add(rank);
    jobs.set(job, { ranks: known.ranks, worldSize: worldSize ?? known.worldSize });
  }
  for (const { job } of sources.flight_recorder.folders) {
    if (job !== undefined && !jobs.has(job)) jobs.set(job, { ranks: new Set(), worldSize: null });
  }
  return {
    pdus: new Set(sources.pdu.map(({ name }) => name)),
    hosts: new Set([host, ...sources.bmc.map((bmc) => bmc.host)]),
    services: new Set(sources.service_log.map(({ service }) => service)),
    jobs,
  };
}

/** FL1112 where nothing reads what the component is, or is a part of. */
export function checkName(component: Component, pointer: string, known: KnownTopology, findings: Findings): void {
  const { type, id } = component;
  const whole = id.slice(0, id.lastIndexOf('/'));
  if (type === 'pdu' || type.startsWith('pdu_')) {
    unread(type === 'pdu' ? id : whole, [...known.pdus], 'pdu', pointer, findings);
  } else if (type === 'service') {
    unread(id, [...known.services], 'service_log', pointer, findings);
  } else if (type === 'job' || type === 'rank') {
    const name = type === 'job' ? id : whole;
    const job = known.jobs.get(name);
    if (job === undefined) unread(name, [...known.jobs.keys()], 'job_log', pointer, findings);
    else if (type === 'rank') checkRank(Number(id.slice(whole.length + 1)), name, job, pointer, findings);
  } else {
    const host = type === 'host' ? id : component.host;
    // Other hosts on a feed may be named; one that is nearly this one is this one misspelt.
    const near = host === undefined || known.hosts.has(host) ? null : didYouMean(host, [...known.hosts]);
    if (near !== null && alike(near, host ?? '')) {
      findings.warning('FL1112', pointer, `names host ${host}, which no source reads. Did you mean: ${near}`);
    }
  }
}

function unread(name: string, names: readonly string[], section: string, pointer: string, findings: Findings): void {
  if (names.includes(name)) return;
  const near = didYouMean(name, names);
  const hint = near === null ? `Add it to sources.${section}` : `Did you mean: ${near}`;
  findings.warning('FL1112', pointer, `names ${name}, which no entry of sources.${section} reads. ${hint}`);
}

function checkRank(
  rank: number,
  name: string,
  { ranks, worldSize }: { readonly ranks: ReadonlySet<number>; readonly worldSize: number | null },
  pointer: string,
  findings: Findings,
): void {
  if (!Number.isInteger(rank)) return;
  if (worldSize !== null && rank >= worldSize) {
    findings.warning('FL1112', pointer, `names rank ${rank} of ${name}, whose ranks end at ${worldSize - 1}`);
  } else if (ranks.size > 0 && !ranks.has(rank)) {
    findings.warning(
      'FL1112',
      pointer,
      `names rank ${rank} of ${name}, which is not among the ranks of its job_log entry`,
    );
  }
}

/** "node-3" and "node-4" are two hosts, "node3" and "node-3" one: numbers are what tells hosts apart. */
function alike(a: string, b: string): boolean {
  const numbers = (name: string): string => (name.match(/\d+/g) ?? []).map(Number).join();
  return numbers(a) === numbers(b);
}
