// Topology index: from where to where trouble can travel, by configured links and by what identities imply.

import { type Component, componentText } from '../../model/component.ts';
import type { Link } from '../../model/topology.ts';
import { Aliases } from './aliases.ts';
import { implied, type PathEdge } from './implied-edges.ts';
import { hostOf, infrastructureUnit, isInfrastructure, jobOfRank } from './place.ts';

/** How trouble gets from one component to another: `quality` 1 when every step is configured or certain. */
export interface Reach {
  readonly quality: number;
  /** Component texts, first and last included. */
  readonly path: readonly string[];
}

interface Step {
  readonly quality: number;
  readonly previous: string | null;
}

const MAX_COMPONENTS = 4096;
const MAX_LINKS = 16_384;
/** Below this a path is a guess on a guess. */
const WORST_PATH = 0.4;
/** From here on a path counts as configured; see implied-edges.ts for what is assumed. */
export const CONFIGURED = 0.9;
const CERTAIN = 0.999;

export class TopologyIndex {
  readonly host: string;
  readonly #aliases = new Aliases();
  readonly #links = new Map<string, Link>();
  readonly #components = new Map<string, Component>();
  readonly #fed = new Map<string, readonly string[]>();
  #edges: ReadonlyMap<string, readonly PathEdge[]> | null = null;
  readonly #closures = new Map<string, ReadonlyMap<string, Step>>();

  constructor(host: string) {
    this.host = host;
  }

  /** Takes a link; true when it changes what is known. */
  link(link: Link): boolean {
    const named = [this.#aliases.learn(link.from), this.#aliases.learn(link.to)].includes(true);
    const from = this.resolve(link.from);
    const to = this.resolve(link.to);
    const key = `${componentText(from)} ${link.relation} ${componentText(to)}`;
    const fresh = !this.#links.has(key) && this.#links.size < MAX_LINKS;
    if (fresh) this.#links.set(key, { ...link, from, to });
    const added = [this.#add(from), this.#add(to)].includes(true);
    if (fresh || added) this.#forget();
    return fresh || named;
  }

  /** The component under its canonical name. */
  resolve(component: Component): Component {
    return this.#aliases.resolve(component);
  }

  /** Makes a component of an event known; its identity implies links. True where a further job is known by it. */
  register(component: Component): boolean {
    if (!this.#add(component)) return false;
    this.#forget();
    return component.type === 'job';
  }

  hostOf(component: Component): string | null {
    return hostOf(component, this.host);
  }

  /** How trouble in `from` reaches `to`; null when it does not. */
  reach(from: Component, to: Component): Reach | null {
    const closure = this.#closure(componentText(from));
    const target = componentText(to);
    const found = closure.get(target);
    if (found === undefined) return null;
    const path: string[] = [];
    for (let at: string | null = target; at !== null; at = closure.get(at)?.previous ?? null) {
      if (!at.startsWith('work/')) path.push(at);
    }
    return { quality: found.quality, path: path.reverse() };
  }

  /** Only the quality of `reach`, 0 for none. */
  quality(from: Component, to: Component): number {
    return this.#closure(componentText(from)).get(componentText(to))?.quality ?? 0;
  }

  /** Jobs that trouble in the component can reach, with the quality of the path; a job or rank is its own. */
  jobsOf(component: Component): ReadonlyMap<string, number> {
    if (component.type === 'job' || component.type === 'service') return new Map([[component.id, 1]]);
    const own = jobOfRank(component);
    if (own !== null) return new Map([[own, 1]]);
    const jobs = new Map<string, number>();
    for (const [text, step] of this.#closure(componentText(component))) {
      const name = /^(?:job|service)\/(.+)$/.exec(text)?.[1];
      if (name !== undefined) jobs.set(name, step.quality);
    }
    return jobs;
  }

  /** Hosts that a PDU, UPS or the like is configured to reach; empty when nothing is configured for it. */
  hostsFedBy(component: Component): readonly string[] {
    const unit = infrastructureUnit(component);
    const known = this.#fed.get(unit);
    if (known !== undefined) return known;
    const hosts = new Set<string>();
    for (const link of this.#links.values()) {
      if (!isInfrastructure(link.from) || infrastructureUnit(link.from) !== unit) continue;
      for (const text of [componentText(link.to), ...this.#closure(componentText(link.to)).keys()]) {
        if (text.startsWith('host/')) hosts.add(text.slice(5));
      }
    }
    const sorted = [...hosts].sort();
    this.#fed.set(unit, sorted);
    return sorted;
  }

  /** PDUs and UPSs that are configured to feed the host, in text form. */
  feedsOf(host: string): readonly string[] {
    const units = new Set<string>();
    for (const link of this.#links.values()) {
      if (isInfrastructure(link.from) && this.hostsFedBy(link.from).includes(host))
        units.add(infrastructureUnit(link.from));
    }
    return [...units].sort();
  }

  /** Everything that is known by name. */
  components(): Iterable<Component> {
    return this.#components.values();
  }

  /** How much hangs on a component. */
  reachCount(component: Component): number {
    return this.#closure(componentText(component)).size;
  }

  /** Whether every step of the way from one to the other is configured or certain, none assumed. */
  isConfigured(from: Component, to: Component): boolean {
    return this.quality(from, to) >= CERTAIN;
  }

  /** GPUs known on the host. */
  gpusOf(host: string): readonly Component[] {
    return [...this.#components.values()].filter((c) => c.type === 'gpu' && this.hostOf(c) === host);
  }

  /** GPUs that the host was seen to hold, not only heard of. */
  gpusIn(host: string): number {
    return this.#linked('contains', ({ from, to }) => from.type === 'host' && from.id === host && to.type === 'gpu');
  }

  /**
   * GPUs of this host that a job runs on: those linked to it or its ranks, else one a rank that is placed here, else all
   * of the host where no other job is known; null where none of it is known.
   */
  gpusOfJob(job: string): number | null {
    const ofJob = (to: Component): boolean => (to.type === 'job' ? to.id === job : jobOfRank(to) === job);
    const here = (from: Component): boolean => this.hostOf(from) === this.host;
    const gpus = new Set<string>();
    const ranks = new Set<string>();
    for (const { from, to, relation } of this.#links.values()) {
      if (relation !== 'runs' || !ofJob(to) || !here(from)) continue;
      if (from.type === 'gpu') gpus.add(componentText(from));
      if (to.type === 'rank') ranks.add(componentText(to));
    }
    const alone = [...this.#components.values()].every((c) => c.type !== 'job' || c.id === job);
    return gpus.size || ranks.size || (alone ? this.gpusIn(this.host) : 0) || null;
  }

  #linked(relation: Link['relation'], wanted: (link: Link) => boolean): number {
    let count = 0;
    for (const link of this.#links.values()) if (link.relation === relation && wanted(link)) count += 1;
    return count;
  }

  #add(component: Component): boolean {
    const text = componentText(component);
    if (this.#components.has(text) || this.#components.size >= MAX_COMPONENTS) return false;
    this.#components.set(text, component);
    return true;
  }

  #forget(): void {
    this.#edges = null;
    this.#closures.clear();
    this.#fed.clear();
  }

  /** Everything that trouble in the component reaches, by the best path; quality only falls along a path, so cycles end. */
  #closure(from: string): ReadonlyMap<string, Step> {
    const known = this.#closures.get(from);
    if (known !== undefined) return known;
    this.#edges ??= implied(this.host, [...this.#links.values()], [...this.#components.values()]);
    const reached = new Map<string, Step>([[from, { quality: 1, previous: null }]]);
    const queue = [from];
    for (let text = queue.shift(); text !== undefined; text = queue.shift()) {
      const quality = reached.get(text)?.quality ?? 0;
      for (const edge of this.#edges.get(text) ?? []) {
        const through = quality * edge.quality;
        if (through < WORST_PATH || through <= (reached.get(edge.to)?.quality ?? 0)) continue;
        reached.set(edge.to, { quality: through, previous: text });
        queue.push(edge.to);
      }
    }
    if (this.#closures.size > MAX_COMPONENTS) this.#closures.clear();
    this.#closures.set(from, reached);
    return reached;
  }
}
