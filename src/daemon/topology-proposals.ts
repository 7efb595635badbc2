// What devices say of the topology, for doctor: proposals with their odds out of steps in load, doubts about what is written, and what
// is written of parts that a device does not have.

import { type Doubt, OutletPairs, type Proposal } from '../detection/load/outlet-pairs.ts';
import { type Component, componentText } from '../model/component.ts';
import type { Discovery, SampleBatch } from '../model/record.ts';
import type { Link } from '../model/topology.ts';
import type { SourceHealth } from '../sources/source.ts';

const MOST_LINES = 20;
const READS: ReadonlySet<string> = new Set(['pdu', 'bmc']);
/** Parts whose device tells all that it has of their kind. */
const REPORTED: ReadonlySet<Component['type']> = new Set(['pdu_inlet', 'pdu_phase', 'pdu_branch', 'pdu_outlet', 'psu']);
const MOST_PARTS = 65_536;
const MOST_NAMED = 4;

export class TopologyProposals {
  readonly #pairs = new OutletPairs();
  /** Names of parts by "type/device". */
  readonly #parts = new Map<string, Set<string>>();
  #known = 0;

  take({ source, keys, timesMs, values }: SampleBatch): void {
    if (READS.has(source)) this.#pairs.take(keys, timesMs, values);
  }

  /** A part that a device has. */
  discovered({ component }: Pick<Discovery, 'component'>): void {
    if (!REPORTED.has(component.type) || this.#known >= MOST_PARTS) return;
    const { all, name } = placeOf(component);
    const parts = this.#parts.get(all) ?? new Set();
    this.#parts.set(all, parts);
    if (!parts.has(name)) this.#known += 1;
    parts.add(name);
  }

  /** Nothing where there is nothing to say. */
  health(links: readonly Link[]): SourceHealth[] {
    const written = new Map<string, Set<string>>();
    for (const { from, to, relation } of links) {
      if (relation !== 'feeds' || from.type !== 'pdu_outlet' || to.type !== 'psu') continue;
      const supply = componentText(to);
      written.set(supply, (written.get(supply) ?? new Set()).add(componentText(from)));
    }
    const proposals = this.#pairs.proposals(written);
    const doubts = this.#pairs.doubts(written);
    const missing = this.#missing(links);
    const wrong = doubts.length + missing.length;
    if (proposals.length + wrong === 0) return [];
    const notes = [...missing, ...doubts.map(doubtLine), ...proposals.map(proposalLine)].slice(0, MOST_LINES);
    const counts = [
      `${proposals.length} links proposed by steps in load`,
      `${doubts.length} written ones doubted`,
      ...(missing.length === 0 ? [] : [`${missing.length} written parts not there`]),
    ];
    const remedy = wrong > 0 ? 'look at the plugs, then correct topology.feeds' : null;
    const detail = `${counts.join(', ')}; nothing of it is used`;
    return [{ source: 'topology', status: wrong > 0 ? 'partial' : 'works', detail, remedy, notes }];
  }

  /** Of a device of which others of their kind were read: a number that was never right, or that went with an older device. */
  #missing(links: readonly Link[]): string[] {
    const lines = links.flatMap(({ from, to }) =>
      [from, to].flatMap((component) => {
        const { all, name, device } = placeOf(component);
        const parts = this.#parts.get(all);
        if (parts === undefined || parts.has(name) || this.#known >= MOST_PARTS) return [];
        const more = parts.size - MOST_NAMED;
        const named = `${[...parts].slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
        return [`${componentText(component)} is written, and ${device} has none of that name: it has ${named}`];
      }),
    );
    return [...new Set(lines)];
  }
}

/** "pdu_outlet/pdu-a" and "7" of `pdu_outlet/pdu-a/7`. */
function placeOf({ type, id }: Component): { all: string; device: string; name: string } {
  const slash = id.lastIndexOf('/');
  const device = slash < 0 ? id : id.slice(0, slash);
  return { all: `${type}/${device}`, device, name: slash < 0 ? '' : id.slice(slash + 1) };
}

function proposalLine({ outlet, supply, shown, of, odds }: Proposal): string {
  return `${outlet} may feed ${supply}: ${shown} of ${of} steps of its load show there, odds ${odds} to 1. If so: topology.feeds: - {from: ${outlet}, to: ${supply}}`;
}

function doubtLine({ outlet, supply, shown, of }: Doubt): string {
  return `${outlet} is written to feed ${supply}, and shows ${shown} of ${of} steps of its load`;
}
