// Topology names: what the topology names and no source reads is most likely misspelt; it is warned of, not refused.

import { didYouMean } from '../helpers/did-you-mean.ts';
import type { Component, ComponentType } from '../model/component.ts';
import type { Findings } from './findings.ts';
import type { NamedComponent } from './section.ts';

type Warns = Pick<Findings, 'warning'>;

interface Known {
  /** Key of `sources` to add one under. */
  readonly key: string;
  /** A job's ranks here and how many it has, where the configuration says so. */
  readonly entries: Map<string, { readonly ranks: Set<number>; worldSize: number | null }>;
}

/** The components that the sources read, as their sections say. */
export class KnownTopology {
  readonly #types = new Map<ComponentType, Known>();

  constructor(host: string) {
    this.add('host', 'host', [{ id: host }]);
  }

  /** The first section that adds components of a type is the one to add more of them under. */
  add(type: ComponentType, key: string, components: readonly NamedComponent[]): void {
    const known = this.#types.get(type) ?? { key, entries: new Map() };
    this.#types.set(type, known);
    for (const { id, ranks = [], worldSize = null } of components) {
      const entry = known.entries.get(id) ?? { ranks: new Set<number>(), worldSize: null };
      for (const rank of ranks) entry.ranks.add(rank);
      entry.worldSize = worldSize ?? entry.worldSize;
      known.entries.set(id, entry);
    }
  }

  of(type: ComponentType): Known | undefined {
    return this.#types.get(type);
  }
}

/** FL1112 where nothing reads what the component is, or is a part of. */
export function checkName(component: Component, pointer: string, known: KnownTopology, findings: Warns): void {
  const { type, id } = component;
  const whole = id.slice(0, id.lastIndexOf('/'));
  if (type === 'rank') {
    const job = unread('job', whole, pointer, known, findings);
    if (job !== undefined) checkRank(Number(id.slice(whole.length + 1)), whole, job, pointer, findings);
  } else if (type.startsWith('pdu_')) {
    unread('pdu', whole, pointer, known, findings);
  } else if (type !== 'host' && known.of(type) !== undefined) {
    unread(type, id, pointer, known, findings);
  } else {
    const host = type === 'host' ? id : component.host;
    const hosts = known.of('host')?.entries ?? new Map();
    // Other hosts on a feed may be named; one that is nearly this one is this one misspelt.
    const near = host === undefined || hosts.has(host) ? null : didYouMean(host, [...hosts.keys()]);
    if (near !== null && alike(near, host ?? '')) {
      findings.warning('FL1112', pointer, `names host ${host}, which no source reads. Did you mean: ${near}`);
    }
  }
}

/** What is known of the one of that name; else undefined, and a warning where a section reads others of its type. */
function unread(type: ComponentType, name: string, pointer: string, known: KnownTopology, findings: Warns) {
  const { key, entries } = known.of(type) ?? {};
  if (key === undefined || entries === undefined || entries.has(name)) return entries?.get(name);
  const near = didYouMean(name, [...entries.keys()]);
  const hint = near === null ? `Add it to sources.${key}` : `Did you mean: ${near}`;
  findings.warning('FL1112', pointer, `names ${name}, which no entry of sources.${key} reads. ${hint}`);
  return undefined;
}

function checkRank(
  rank: number,
  name: string,
  { ranks, worldSize }: { readonly ranks: ReadonlySet<number>; readonly worldSize: number | null },
  pointer: string,
  findings: Warns,
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
