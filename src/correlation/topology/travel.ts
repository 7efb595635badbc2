// Travel: everything that trouble in a component reaches, by the best path; grows as components become known.

import type { Component } from '../../model/component.ts';
import type { Link } from '../../model/topology.ts';
import { type Closure, farther, grow, type HubStep, isHub, newClosure } from './closure.ts';
import { ImpliedEdges } from './implied-edges.ts';

/** How trouble gets from one component to another: `quality` 1 when every step is configured or certain. */
export interface Reach {
  readonly quality: number;
  /** Component texts, first and last included. */
  readonly path: readonly string[];
}

/** Below this a path is a guess on a guess. */
const WORST_PATH = 0.4;
const MAX_CLOSURES = 4096;

/**
 * What hangs on a host, or runs on it, hangs there for all that reaches the host: it is kept once, with the host and its
 * work as hubs, so that a further component adds to one closure and not to all of them.
 */
export class Travel {
  readonly #edges: ImpliedEdges;
  readonly #closures = new Map<string, Closure>();
  /** Which closures a component is in, hubs apart: there it is the end. */
  readonly #within = new Map<string, Closure[]>();
  /** Grows with what may change the hubs or jobs that something reaches. */
  #version = 0;

  constructor(host: string, links: readonly Link[], components: Iterable<Component>) {
    this.#edges = new ImpliedEdges(host, links);
    for (const component of components) this.#edges.add(component);
  }

  /** Takes a further component; what is known to be reached grows by what it implies. */
  add(component: Component): void {
    for (const { from, to, quality } of this.#edges.add(component)) {
      const own = this.#closures.get(from);
      const others = isHub(from) ? [] : (this.#within.get(from) ?? []);
      for (const closure of own === undefined ? others : [own, ...others]) {
        const step = closure.reached.get(from);
        if (step !== undefined) this.#put(closure, from, to, step.quality * quality);
      }
    }
  }

  /** Quality of the best way, 0 for none. */
  quality(from: string, to: string): number {
    const closure = this.#closure(from);
    let best = closure.reached.get(to)?.quality ?? 0;
    for (const [hub, { quality }] of this.#hubsOf(closure))
      best = Math.max(best, quality * (this.#closure(hub).reached.get(to)?.quality ?? 0));
    return best < WORST_PATH ? 0 : best;
  }

  /** The best way itself, by component texts, first and last included; empty for none. */
  path(from: string, to: string): string[] {
    const best = this.quality(from, to);
    const closure = this.#closure(from);
    if (best === 0) return [];
    if (closure.reached.get(to)?.quality === best) return pathIn(closure, to);
    const hubs = this.#hubsOf(closure);
    for (const [hub, { quality }] of hubs) {
      const end = this.#closure(hub);
      if (quality * (end.reached.get(to)?.quality ?? 0) !== best) continue;
      let path = pathIn(end, to);
      for (let at: string | null = hub; at !== null; ) {
        const via: string | null = hubs.get(at)?.via ?? null;
        path = [...pathIn(via === null ? closure : this.#closure(via), at).slice(0, -1), ...path];
        at = via;
      }
      return path;
    }
    return [];
  }

  /** Jobs and services that are reached, by name, with the quality of the path. */
  jobs(from: string): ReadonlyMap<string, number> {
    const closure = this.#closure(from);
    const hubs = this.#hubsOf(closure);
    if (closure.far.jobs !== null) return closure.far.jobs;
    const jobs = new Map(closure.jobs);
    for (const [hub, { quality }] of hubs) {
      for (const [job, further] of this.#closure(hub).jobs) {
        const through = quality * further;
        if (through >= WORST_PATH && through > (jobs.get(job) ?? 0)) jobs.set(job, through);
      }
    }
    closure.far.jobs = jobs;
    return jobs;
  }

  /** Everything that is reached. */
  all(from: string): ReadonlySet<string> {
    const closure = this.#closure(from);
    const all = new Set(closure.reached.keys());
    for (const [hub, { quality }] of this.#hubsOf(closure)) {
      for (const [to, step] of this.#closure(hub).reached) if (quality * step.quality >= WORST_PATH) all.add(to);
    }
    return all;
  }

  #hubsOf(closure: Closure): ReadonlyMap<string, HubStep> {
    if (closure.far.version !== this.#version) {
      const hubs = farther(closure, (hub) => this.#closure(hub), WORST_PATH);
      closure.far = { version: this.#version, hubs, jobs: null };
    }
    return closure.far.hubs;
  }

  #closure(from: string): Closure {
    const known = this.#closures.get(from);
    if (known !== undefined) return known;
    if (this.#closures.size >= MAX_CLOSURES) {
      this.#closures.clear();
      this.#within.clear();
    }
    const closure = newClosure(from);
    this.#closures.set(from, closure);
    this.#spread(closure, from);
    return closure;
  }

  /** Quality only falls along a path, so cycles end. */
  #spread(closure: Closure, start: string): void {
    const quality = closure.reached.get(start)?.quality ?? 0;
    for (const edge of this.#edges.from(start)) this.#put(closure, start, edge.to, quality * edge.quality);
  }

  #put(closure: Closure, from: string, to: string, quality: number): void {
    if (quality < WORST_PATH) return;
    const known = closure.reached.has(to);
    const better = grow(closure, from, to, quality);
    if (better === 'no') return;
    if (better === 'far') this.#version += 1;
    if (isHub(to)) return;
    if (!known) {
      const within = this.#within.get(to);
      if (within === undefined) this.#within.set(to, [closure]);
      else within.push(closure);
    }
    this.#spread(closure, to);
  }
}

function pathIn({ reached }: Closure, to: string): string[] {
  const path: string[] = [];
  for (let at: string | null = to; at !== null; at = reached.get(at)?.previous ?? null) path.push(at);
  return path.reverse();
}
