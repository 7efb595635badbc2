// Host NICs: the network cards of this host, and every name by which work may call one: RDMA device, verbs device, interface,
// virtual function.

import { isDeepStrictEqual } from 'node:util';
import type { Component } from '../model/component.ts';

/** What the cards are called; cards by their id, the PCI address. */
export interface NicNames {
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

/** What is known of the cards now. */
export interface NicFacts extends NicNames {
  /** Process → the cards on which it has queues, as far as the kernel names them. */
  readonly queues: ReadonlyMap<number, readonly string[]>;
}

export const NO_NICS: NicFacts = {
  cards: [],
  rdma: new Map(),
  verbs: new Map(),
  interfaces: new Map(),
  functions: new Map(),
  queues: new Map(),
};

export class HostNics {
  #names: NicNames = sortedNames(NO_NICS);
  #queues: ReadonlyMap<number, readonly string[]> = new Map();
  #version = 0;
  #idle: ReadonlySet<string> = new Set();

  /** Another one where something changed. */
  get version(): number {
    return this.#version;
  }

  /** All that there are now, in the place of those before. */
  found(names: NicNames): void {
    const sorted = sortedNames(names);
    if (isDeepStrictEqual(sorted, this.#names)) return;
    this.#names = sorted;
    this.#version += 1;
  }

  /** Process → names of the RDMA devices on which it has queues: all that there are now. */
  queued(devices: ReadonlyMap<number, readonly string[]>): void {
    if (isDeepStrictEqual(devices, this.#queues)) return;
    this.#queues = devices;
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
    const cards = (devices: readonly string[]) =>
      [...new Set(devices.flatMap((each) => this.#names.rdma.get(each) ?? []))].sort();
    return { ...this.#names, queues: new Map([...this.#queues].map(([pid, devices]) => [pid, cards(devices)])) };
  }
}

/** In one order, so that what is made of them does not depend on how they were found. */
function sortedNames({ cards, rdma, verbs, interfaces, functions }: NicNames): NicNames {
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
