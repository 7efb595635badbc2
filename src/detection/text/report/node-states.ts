// Node states: which nodes of a cluster's events are not ready by the last word on them, and not because someone took them away.

import type { EventAge } from './event-age.ts';

/** When an event was: how long ago, where its line says so, else by the order of the lines. */
export interface Moment {
  readonly age: EventAge | null;
  readonly line: number;
  readonly text: string;
}

const MOST_NODES = 4096;

export class NodeStates {
  readonly #unready = new Map<string, Moment>();
  readonly #ready = new Map<string, Moment>();
  /** The first event of its removal. */
  readonly #removed = new Map<string, Moment>();

  notReady(node: string, at: Moment): void {
    keep(this.#unready, node, at, isLater);
  }

  ready(node: string, at: Moment): void {
    keep(this.#ready, node, at, isLater);
  }

  removed(node: string, at: Moment): void {
    keep(this.#removed, node, at, (one, other) => isLater(other, one));
  }

  /** Null: any node. */
  isUnready(node: string | null): boolean {
    return node === null ? this.#unready.size > 0 : this.#unready.has(node);
  }

  /** The node that an event can only be of which names none: null where several, or none, were not ready. */
  get onlyUnready(): string | null {
    const [only = null] = this.#unready.keys();
    return this.#unready.size > 1 ? null : only;
  }

  /** Nodes that no later event calls ready, and whose removal had not begun. */
  get faults(): { readonly node: string; readonly since: Moment }[] {
    return [...this.#unready].flatMap(([node, since]) => {
      const [ready, removed] = [this.#ready.get(node), this.#removed.get(node)];
      const over = ready !== undefined && isLater(ready, since);
      const planned = removed !== undefined && isNotAfter(removed, since);
      return over || planned ? [] : [{ node, since }];
    });
  }
}

function keep(
  of: Map<string, Moment>,
  node: string,
  at: Moment,
  replaces: (one: Moment, other: Moment) => boolean,
): void {
  const known = of.get(node);
  if (known === undefined ? of.size < MOST_NODES : replaces(at, known)) of.set(node, at);
}

/** Of equal age the later line. */
function isLater(one: Moment, other: Moment): boolean {
  if (one.age === null || other.age === null || areEqual(one, other)) return one.line > other.line;
  return one.age.seconds < other.age.seconds;
}

/** Ages are rounded: of equal age both happened as one. */
function isNotAfter(one: Moment, other: Moment): boolean {
  return areEqual(one, other) || !isLater(one, other);
}

function areEqual({ age }: Moment, other: Moment): boolean {
  return age !== null && age.seconds === other.age?.seconds;
}
