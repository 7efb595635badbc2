// Implied edges: what follows from identities and configured links together — a phase of a fed PDU, a rank's job, a GPU's work.

import { type Component, componentText } from '../../model/component.ts';
import type { Link } from '../../model/topology.ts';
import { hostOf, infrastructureUnit, isInfrastructure, isPduPart, jobOfRank, pciDevice } from './place.ts';

export interface PathEdge {
  readonly to: string;
  /** 1 configured or certain; less where it is assumed. */
  readonly quality: number;
}

/** Which phase or branch an outlet hangs on is not configured: any of the same PDU may feed it. */
const ASSUMED_PHASE = 0.92;
/** Which GPU runs which rank, or which host runs a job, is not configured: those here do. */
const ASSUMED_PLACEMENT = 0.85;

export interface ImpliedEdge extends PathEdge {
  readonly from: string;
}

type Add = (from: string, to: string, quality: number) => void;

const NONE: readonly PathEdge[] = [];

/**
 * All edges of the travel graph by their start. `work/<host>` is everything that runs on a host. What a further
 * component implies depends on the links alone, so that it can be added at any time.
 */
export class ImpliedEdges {
  readonly #host: string;
  readonly #edges = new Map<string, PathEdge[]>();
  readonly #placement: Placement;
  readonly #feeds: Feeds;
  readonly #hosts = new Set<string>();

  constructor(host: string, links: readonly Link[]) {
    this.#host = host;
    this.#placement = placementOf(host, links);
    this.#feeds = feedsOf(links);
    for (const link of links) {
      const to = componentText(link.to);
      const { quality = 1 } = link;
      this.#put(componentText(link.from), to, quality);
      if (link.relation === 'runs') this.#put(`work/${hostOf(link.from, host) ?? ''}`, to, quality);
    }
    this.#addHost(host, (from, to, quality) => this.#put(from, to, quality));
  }

  from(text: string): readonly PathEdge[] {
    return this.#edges.get(text) ?? NONE;
  }

  /** Adds what a component implies that was not added before; returns that. */
  add(component: Component): ImpliedEdge[] {
    const added: ImpliedEdge[] = [];
    const add: Add = (from, to, quality) => {
      this.#put(from, to, quality);
      added.push({ from, to, quality });
    };
    const at = hostOf(component, this.#host);
    addPduPart(component, this.#feeds, add);
    addDevice(component, at, this.#placement, add);
    if (at !== null) this.#addHost(at, add);
    return added;
  }

  #addHost(name: string, add: Add): void {
    if (this.#hosts.has(name)) return;
    this.#hosts.add(name);
    add(`host/${name}`, `work/${name}`, 1);
  }

  #put(from: string, to: string, quality: number): void {
    const list = this.#edges.get(from);
    if (list === undefined) this.#edges.set(from, [{ to, quality }]);
    else list.push({ to, quality });
  }
}

interface Placement {
  /** Jobs, services and ranks that some link places. */
  readonly placed: ReadonlySet<string>;
  /** Hosts whose GPUs are linked to ranks or jobs. */
  readonly byGpu: ReadonlySet<string>;
  /** Processes that some link says to be a rank. */
  readonly ranks: ReadonlySet<string>;
}

function placementOf(host: string, links: readonly Link[]): Placement {
  const placed = new Set<string>();
  const byGpu = new Set<string>();
  const ranks = new Set<string>();
  for (const link of links) {
    if (link.relation !== 'runs') continue;
    placed.add(componentText(link.to));
    const job = jobOfRank(link.to);
    if (job !== null) placed.add(`job/${job}`);
    const at = hostOf(link.from, host);
    if (link.from.type === 'process' && job !== null) ranks.add(componentText(link.from));
    if (link.from.type === 'gpu' && at !== null) byGpu.add(at);
  }
  return { placed, byGpu, ranks };
}

interface Feeds {
  /** What each PDU, UPS or the like feeds outside itself. */
  readonly outside: ReadonlyMap<string, ReadonlySet<string>>;
  /** Parts with feeds of their own. */
  readonly own: ReadonlySet<string>;
}

function feedsOf(links: readonly Link[]): Feeds {
  const outside = new Map<string, Set<string>>();
  const own = new Set<string>();
  for (const link of links) {
    if (!isInfrastructure(link.from)) continue;
    own.add(componentText(link.from));
    const unit = infrastructureUnit(link.from);
    const inside = isInfrastructure(link.to) && infrastructureUnit(link.to) === unit;
    const targets = outside.get(unit) ?? new Set<string>();
    if (!inside) targets.add(componentText(link.to));
    outside.set(unit, targets);
  }
  return { outside, own };
}

/** A part without feeds of its own may feed whatever the PDU feeds; the whole PDU reaches each of its parts. */
function addPduPart(component: Component, { outside, own }: Feeds, add: Add): void {
  if (!isPduPart(component)) return;
  const unit = infrastructureUnit(component);
  const part = componentText(component);
  add(unit, part, 1);
  if (own.has(part) || component.type === 'pdu_outlet') return;
  for (const target of outside.get(unit) ?? []) add(part, target, component.type === 'pdu_inlet' ? 1 : ASSUMED_PHASE);
}

function addDevice(component: Component, at: string | null, placement: Placement, add: Add): void {
  const text = componentText(component);
  const work = `work/${at ?? ''}`;
  switch (component.type) {
    case 'psu':
    case 'fan':
      add(text, `host/${at}`, 1);
      return;
    case 'cpu':
    case 'dimm':
    case 'disk':
    case 'nvswitch':
      add(`host/${at}`, text, 1);
      add(text, work, 1);
      return;
    case 'process':
      add(`host/${at}`, text, 1);
      // A rank belongs to its own job alone.
      add(text, work, placement.ranks.has(text) ? 0.5 : 1);
      return;
    case 'nic':
      add(`host/${at}`, text, 1);
      add(text, work, 0.95);
      return;
    case 'gpu':
      add(`host/${at}`, text, 1);
      if (at === null || !placement.byGpu.has(at)) add(text, work, ASSUMED_PLACEMENT);
      return;
    case 'pcie':
      add(`host/${at}`, text, 1);
      add(text, `gpu/${component.id}`, 1);
      add(text, `nic/${component.id}`, 1);
      return;
    case 'nvlink':
    case 'gpu_instance': {
      const gpu = `gpu/${pciDevice(component) ?? component.id}`;
      add(gpu, text, 1);
      if (component.type === 'nvlink') add(text, gpu, 1);
      else add(text, work, ASSUMED_PLACEMENT);
      return;
    }
    case 'rank': {
      const job = jobOfRank(component);
      if (job !== null) add(text, `job/${job}`, 1);
      if (!placement.placed.has(text)) add(work, text, ASSUMED_PLACEMENT);
      return;
    }
    case 'job':
    case 'service':
      if (!placement.placed.has(text)) add(work, text, ASSUMED_PLACEMENT);
      return;
    default:
  }
}
