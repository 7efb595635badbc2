// Host NICs: the network cards of this host, and every name by which work may call one: RDMA device, verbs device, interface,
// virtual function.

import { isDeepStrictEqual } from 'node:util';
import type { Component } from '../model/component.ts';

/** What is known of the cards now; cards by their id, the PCI address. */
export interface NicFacts {
  /** With the names of RDMA device and interfaces among their aliases. */
  readonly cards: readonly Component[];
  /** RDMA device, mlx5_0, of a virtual function as well → its card. */
  readonly rdma: ReadonlyMap<string, string>;
  /** Device file of user programs, uverbs0 → its card. */
  readonly verbs: ReadonlyMap<string, string>;
  /** Interface → its cards: a bond has several, and what lies on one has that one. */
  readonly interfaces: ReadonlyMap<string, readonly string[]>;
  /** PCI address of a virtual function → its card. */
  readonly functions: ReadonlyMap<string, string>;
}

export const NO_NICS: NicFacts = {
  cards: [],
  rdma: new Map(),
  verbs: new Map(),
  interfaces: new Map(),
  functions: new Map(),
};

export class HostNics {
  #facts = NO_NICS;
  #version = 0;
  #idle: ReadonlySet<string> = new Set();

  /** Another one where something changed. */
  get version(): number {
    return this.#version;
  }

  /** All that there are now, in the place of those before. */
  found(facts: NicFacts): void {
    const sorted = sortedFacts(facts);
    if (isDeepStrictEqual(sorted, this.#facts)) return;
    this.#facts = sorted;
    this.#version += 1;
  }

  /** Interfaces without a link since their driver made them, and that no earlier run saw with one. */
  without(interfaces: ReadonlySet<string>): void {
    this.#idle = interfaces;
  }

  neverUp(name: string): boolean {
    return this.#idle.has(name);
  }

  facts(): NicFacts {
    return this.#facts;
  }
}

/** In one order, so that what is made of them does not depend on how they were found. */
function sortedFacts({ cards, rdma, verbs, interfaces, functions }: NicFacts): NicFacts {
  return {
    cards: [...cards].sort((a, b) => (a.id < b.id ? -1 : 1)),
    rdma: sorted(rdma),
    verbs: sorted(verbs),
    interfaces: sorted(new Map([...interfaces].map(([name, ids]) => [name, [...new Set(ids)].sort()]))),
    functions: sorted(functions),
  };
}

function sorted<V>(map: ReadonlyMap<string, V>): Map<string, V> {
  return new Map([...map].sort(([a], [b]) => (a < b ? -1 : 1)));
}
