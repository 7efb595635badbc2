// Place: what the identity of a component alone shows — its host, its PDU, its job, the PCI device that it is.

import { type Component, type ComponentType, componentText } from '../../model/component.ts';
import type { Link } from '../../model/topology.ts';

const HOST_IN_ID: ReadonlySet<ComponentType> = new Set(['psu', 'fan', 'cpu', 'dimm']);
const PDU_PART: ReadonlySet<ComponentType> = new Set(['pdu_inlet', 'pdu_phase', 'pdu_branch', 'pdu_outlet']);
const PCI_DEVICE: ReadonlySet<ComponentType> = new Set(['gpu', 'nic', 'nvswitch', 'pcie']);
const PCI_PART: ReadonlySet<ComponentType> = new Set(['gpu_instance', 'nvlink']);
/** Is outside every host; what it reaches must be configured. */
const INFRASTRUCTURE: ReadonlySet<ComponentType> = new Set([
  'pdu', 'ups', 'pdu_inlet', 'pdu_phase', 'pdu_branch', 'pdu_outlet', 'rack', 'power_shelf', 'cdu', 'nvlink_domain',
  'switch_tray',
]); // biome-ignore format: grouped as in the vocabulary

export function isInfrastructure(component: Component): boolean {
  return INFRASTRUCTURE.has(component.type);
}

export function isPduPart(component: Component): boolean {
  return PDU_PART.has(component.type);
}

/** Where something is, with what is asked of it again and again. */
export interface Located {
  /** Null where the place is not known. */
  readonly component: Component | null;
  /** Its text form; "?" where there is none. */
  readonly text: string;
  /** The job of a rank; null for anything else. */
  readonly rankJob: string | null;
}

function beforeLastSlash(id: string): string | null {
  const slash = id.lastIndexOf('/');
  return slash < 1 ? null : id.slice(0, slash);
}

/** Host of the component; `local` for devices whose address does not name a host; null for what is in none. */
export function hostOf(component: Component, local: string): string | null {
  if (component.host !== undefined) return component.host;
  if (component.type === 'host') return component.id;
  if (HOST_IN_ID.has(component.type)) return beforeLastSlash(component.id) ?? local;
  return INFRASTRUCTURE.has(component.type) ? null : local;
}

const WORK: ReadonlySet<ComponentType> = new Set(['job', 'rank', 'service', 'process']);

/** How much of a host it takes in: a part of it, the host, or the work on its parts; a place that is not known is the widest. */
export function breadthOf(component: Component | null): number {
  if (component === null) return 3;
  if (component.type === 'host') return 1;
  return WORK.has(component.type) ? 2 : 0;
}

/** The component that represents the whole PDU, or itself: `pdu/x` for each of its parts, which those of a UPS are named like. */
export function infrastructureUnit(component: Component): string {
  if (PDU_PART.has(component.type)) return `pdu/${beforeLastSlash(component.id) ?? component.id}`;
  return `${component.type === 'ups' ? 'pdu' : component.type}/${component.id}`;
}

/** Job of a rank by its id; null for anything else. */
export function jobOfRank(component: Component): string | null {
  return component.type === 'rank' ? beforeLastSlash(component.id) : null;
}

/** PCI address of the device that the component is or is a part of; null for anything else. */
export function pciDevice(component: Component): string | null {
  if (PCI_DEVICE.has(component.type)) return component.id;
  return PCI_PART.has(component.type) ? beforeLastSlash(component.id) : null;
}

/** Both are devices, and not the same one, a part of it or a function of its card. A host is none, nor what feeds it. */
export function isOtherDevice(a: Component, b: Component): boolean {
  if (!isDevice(a) || !isDevice(b)) return false;
  const [one, other] = [cardOf(a), cardOf(b)];
  return one !== other || one === null ? componentText(a) !== componentText(b) : false;
}

function isDevice({ type }: Component): boolean {
  return PCI_DEVICE.has(type) || PCI_PART.has(type) || HOST_IN_ID.has(type);
}

/** PCI address of the card that the component is a function or a part of; null for anything else. */
export function cardOf(component: Component): string | null {
  return pciDevice(component)?.split('.')[0] ?? null;
}

/** A job or service is its own, and a rank its job's; null for anything else. */
export function jobOf({ component, rankJob }: Located): string | null {
  return component?.type === 'job' || component?.type === 'service' ? component.id : rankJob;
}

/** One for each relation of the same two ends. */
export function keyOf(from: Component, { relation }: Link, to: Component): string {
  return `${componentText(from)} ${relation} ${componentText(to)}`;
}
