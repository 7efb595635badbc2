// Topology cycles: power flows one way, and work runs on what does not run on it; a circle of links is a mistake.

import { type Component, componentText } from '../model/component.ts';
import type { Relation } from '../model/topology.ts';
import type { Findings } from './findings.ts';

export interface WrittenLink {
  readonly from: Component;
  readonly to: Component;
  readonly relation: Relation;
  /** Of the entry that says so. */
  readonly pointer: string;
  /** "names /etc/racks.csv:3:1, which " where the entry is in a file; left out: the configuration itself. */
  readonly where?: string;
}

/** Circles that are reported; the others show when these are gone. */
const MOST = 10;
const SHOWN = 8;

/** FL1110 at the link that closes each circle, with the way round. */
export function findCycles(links: readonly WrittenLink[], findings: Findings): void {
  const next = new Map<string, WrittenLink[]>();
  for (const link of links) {
    const from = componentText(link.from);
    const known = next.get(from);
    if (known === undefined) next.set(from, [link]);
    else known.push(link);
  }
  const state = new Map<string, 'open' | 'done'>();
  let reported = 0;
  for (const start of next.keys()) {
    // Depth first without recursion: a configuration may hold 100,000 links in a row.
    const path: { readonly name: string; at: number }[] = [];
    const enter = (name: string): void => {
      state.set(name, 'open');
      path.push({ name, at: 0 });
    };
    if (!state.has(start)) enter(start);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const link = next.get(top.name)?.[top.at];
      top.at += 1;
      if (link === undefined) {
        state.set(top.name, 'done');
        path.pop();
        continue;
      }
      const to = componentText(link.to);
      if (state.get(to) === undefined) enter(to);
      else if (state.get(to) === 'open' && to !== top.name && reported < MOST) {
        const round = [...path.slice(path.findIndex(({ name }) => name === to)).map(({ name }) => name), to];
        findings.problem(
          'FL1110',
          link.pointer,
          `${link.where ?? ''}closes a circle: ${shown(round)}. ${ADVICE[link.relation] ?? ''}`.trim(),
        );
        reported += 1;
      }
    }
  }
}

const ADVICE: Readonly<Partial<Record<Relation, string>>> = {
  feeds: 'Power flows one way: remove the link that is wrong',
  runs: 'Work runs on what does not run on it: remove the link that is wrong',
};

function shown(names: readonly string[]): string {
  if (names.length <= SHOWN) return names.join(' → ');
  return [...names.slice(0, SHOWN - 2), `${names.length - SHOWN + 1} more`, names.at(-1)].join(' → ');
}
