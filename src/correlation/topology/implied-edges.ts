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

/** All edges of the travel graph by their start. `work/<host>` stands for everything that runs on a host. */
export function implied(
  host: string,
  links: readonly Link[],
  components: readonly Component[],
): ReadonlyMap<string, readonly PathEdge[]> {
  const edges = new Map<string, PathEdge[]>();
  const add = (from: string, to: string, quality: number): void => {
    const list = edges.get(from);
    if (list === undefined) edges.set(from, [{ to, quality }]);
    else list.push({ to, quality });
  };
  for (const link of links) {
    const from = componentText(link.from);
    const to = componentText(link.to);
    add(from, to, 1);
    if (link.relation === 'runs') add(`work/${hostOf(link.from, host) ?? ''}`, to, 1);
  }
  addPduParts(links, components, add);
  const placement = placementOf(host, links, components);
  const hosts = new Set<string>([host]);
  for (const component of components) {
    const at = hostOf(component, host);
    if (at !== null) hosts.add(at);
    addDevice(component, at, placement, add);
  }
  for (const name of hosts) add(`host/${name}`, `work/${name}`, 1);
  return edges;
}

type Add = (from: string, to: string, quality: number) => void;

interface Placement {
  /** Jobs, services and ranks that some link places. */
  readonly placed: ReadonlySet<string>;
  /** Hosts whose GPUs are linked to ranks or jobs. */
  readonly byGpu: ReadonlySet<string>;
}

function placementOf(host: string, links: readonly Link[], components: readonly Component[]): Placement {
  const placed = new Set<string>();
  const byGpu = new Set<string>();
  const jobOf = new Map<string, string>();
  for (const component of components) {
    const job = jobOfRank(component);
    if (job !== null) jobOf.set(componentText(component), `job/${job}`);
  }
  for (const link of links) {
    if (link.relation !== 'runs') continue;
    const work = componentText(link.to);
    placed.add(work);
    const job = jobOf.get(work);
    if (job !== undefined) placed.add(job);
    const at = hostOf(link.from, host);
    if (link.from.type === 'gpu' && at !== null) byGpu.add(at);
  }
  return { placed, byGpu };
}

/** A part without feeds of its own may feed whatever the PDU feeds; the whole PDU reaches each of its parts. */
function addPduParts(links: readonly Link[], components: readonly Component[], add: Add): void {
  const feeds = new Map<string, Set<string>>();
  const own = new Set<string>();
  for (const link of links) {
    if (!isInfrastructure(link.from)) continue;
    own.add(componentText(link.from));
    const unit = infrastructureUnit(link.from);
    const inside = isInfrastructure(link.to) && infrastructureUnit(link.to) === unit;
    const targets = feeds.get(unit) ?? new Set<string>();
    if (!inside) targets.add(componentText(link.to));
    feeds.set(unit, targets);
  }
  for (const component of components) {
    if (!isPduPart(component)) continue;
    const unit = infrastructureUnit(component);
    const part = componentText(component);
    add(unit, part, 1);
    if (own.has(part) || component.type === 'pdu_outlet') continue;
    for (const target of feeds.get(unit) ?? []) add(part, target, component.type === 'pdu_inlet' ? 1 : ASSUMED_PHASE);
  }
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
    case 'process':
    case 'nvswitch':
      add(`host/${at}`, text, 1);
      add(text, work, 1);
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
