// What the load of outlets and supplies says of the topology: proposals with their odds and doubts about what is written, for doctor.

import { type Doubt, OutletPairs, type Proposal } from '../detection/load/outlet-pairs.ts';
import { componentText } from '../model/component.ts';
import type { SampleBatch } from '../model/record.ts';
import type { Link } from '../model/topology.ts';
import type { SourceHealth } from '../sources/source.ts';

const MOST_LINES = 20;
const READS: ReadonlySet<string> = new Set(['pdu', 'bmc']);

export class TopologyProposals {
  readonly #pairs = new OutletPairs();

  take({ source, keys, timesMs, values }: SampleBatch): void {
    if (READS.has(source)) this.#pairs.take(keys, timesMs, values);
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
    if (proposals.length + doubts.length === 0) return [];
    const notes = [...doubts.map(doubtLine), ...proposals.map(proposalLine)].slice(0, MOST_LINES);
    const detail = `${proposals.length} links proposed by steps in load, ${doubts.length} written ones doubted; nothing of it is used`;
    const remedy = doubts.length > 0 ? 'look at the plugs, then correct topology.feeds' : null;
    return [{ source: 'topology', status: doubts.length > 0 ? 'partial' : 'works', detail, remedy, notes }];
  }
}

function proposalLine({ outlet, supply, shown, of, odds }: Proposal): string {
  return `${outlet} may feed ${supply}: ${shown} of ${of} steps of its load show there, odds ${odds} to 1. If so: topology.feeds: - {from: ${outlet}, to: ${supply}}`;
}

function doubtLine({ outlet, supply, shown, of }: Doubt): string {
  return `${outlet} is written to feed ${supply}, and shows ${shown} of ${of} steps of its load`;
}
