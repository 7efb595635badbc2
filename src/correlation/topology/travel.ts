// Travel: everything that trouble in a component reaches, by the best path; grows as components become known.

import type { Component } from '../../model/component.ts';
import type { Link } from '../../model/topology.ts';
import { ImpliedEdges } from './implied-edges.ts';

export interface Step {
  readonly quality: number;
  readonly previous: string | null;
}

/** What one component reaches. */
export interface Closure {
  /** By component text, the start included. */
  readonly reached: ReadonlyMap<string, Step>;
  /** Jobs and services among it, by name, with the quality of the path. */
  readonly jobs: ReadonlyMap<string, number>;
}

interface Growing {
  readonly reached: Map<string, Step>;
  readonly jobs: Map<string, number>;
}

/** Below this a path is a guess on a guess. */
const WORST_PATH = 0.4;
const MAX_CLOSURES = 4096;
const JOB = /^(?:job|service)\/(.+)$/;

export class Travel {
  readonly #edges: ImpliedEdges;
  readonly #closures = new Map<string, Growing>();

  constructor(host: string, links: readonly Link[], components: Iterable<Component>) {
    this.#edges = new ImpliedEdges(host, links);
    for (const component of components) this.#edges.add(component);
  }

  /** Takes a further component; what is known to be reached grows by what it implies. */
  add(component: Component): void {
    const added = this.#edges.add(component);
    for (const closure of this.#closures.values()) {
      for (const { from, to, quality } of added) {
        const step = closure.reached.get(from);
        if (step !== undefined && put(closure, from, to, step.quality * quality)) this.#spread(closure, to);
      }
    }
  }

  closure(from: string): Closure {
    const known = this.#closures.get(from);
    if (known !== undefined) return known;
    const closure: Growing = { reached: new Map([[from, { quality: 1, previous: null }]]), jobs: new Map() };
    const job = JOB.exec(from)?.[1];
    if (job !== undefined) closure.jobs.set(job, 1);
    this.#spread(closure, from);
    if (this.#closures.size >= MAX_CLOSURES) this.#closures.clear();
    this.#closures.set(from, closure);
    return closure;
  }

  /** Quality only falls along a path, so cycles end. */
  #spread(closure: Growing, start: string): void {
    const queue = [start];
    for (const text of queue) {
      const quality = closure.reached.get(text)?.quality ?? 0;
      for (const edge of this.#edges.from(text))
        if (put(closure, text, edge.to, quality * edge.quality)) queue.push(edge.to);
    }
  }
}

/** True where this way is better than what was known. */
function put({ reached, jobs }: Growing, from: string, to: string, quality: number): boolean {
  if (quality < WORST_PATH || quality <= (reached.get(to)?.quality ?? 0)) return false;
  reached.set(to, { quality, previous: from });
  const job = JOB.exec(to)?.[1];
  if (job !== undefined) jobs.set(job, quality);
  return true;
}
