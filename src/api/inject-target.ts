// Inject target: which component a made-up fault is of, and the line that the driver writes for an XID.

import { COMPONENT_TYPES, type Component, canonicalPciAddress, parseComponent } from '../model/component.ts';
import type { Kind } from '../model/kind.ts';
import { ApiError } from './api-error.ts';

const BY_PCI_ADDRESS: ReadonlySet<string> = new Set(['gpu', 'nic', 'nvswitch', 'pcie']);
/** Kinds whose first word is not a type of component. */
const TYPES: Readonly<Record<string, Component['type']>> = {
  agent: 'host',
  config: 'host',
  cooling: 'fan',
  driver: 'host',
  fabric_manager: 'host',
  firmware: 'gpu',
  memory: 'dimm',
  net: 'nic',
  power: 'pdu_phase',
  storage: 'host',
};
/** For hosts without a GPU: an address that no vendor's device has. */
const NO_GPU: Component = { type: 'gpu', id: '0000:9b:00.0' };

/**
 * The component that `asked` names — `type/id`, or address or index of a GPU — or the first known one that the kind can be of.
 * Throws FL3414 where there is none, or where the text names none.
 */
export function componentFor(kind: Kind, asked: string | null, known: readonly Component[], host: string): Component {
  const word = kind.slice(0, kind.indexOf('.'));
  const type = COMPONENT_TYPES.find((each) => each === word) ?? TYPES[word];
  if (asked === null) {
    if (type === 'host') return { type, id: host };
    const first = known.find((each) => each.type === type);
    if (first !== undefined) return first;
    if (type === 'gpu') return { ...NO_GPU, host };
    throw unclear(
      `no ${type ?? 'component'} is known here that ${kind} could be of. Name one: --component ${example(type, host)}`,
    );
  }
  const index = /^\d{1,3}$/.test(asked) ? `gpu ${asked}` : null;
  const named =
    index === null ? undefined : known.find(({ type: of, aliases }) => of === 'gpu' && aliases?.includes(index));
  if (named !== undefined) return named;
  if (index !== null) throw unclear(`no ${index} is known here. Name it by its PCI address: 0000:9b:00.0`);
  const address = canonicalPciAddress(asked);
  const parsed = address === null ? parseComponent(asked) : { type: type ?? 'gpu', id: address };
  if (parsed === null) {
    throw unclear(`${asked.slice(0, 64)} is not a component: write type/id, for example ${example(type, host)}`);
  }
  const id = BY_PCI_ADDRESS.has(parsed.type) ? canonicalPciAddress(parsed.id) : parsed.id;
  if (id === null)
    throw unclear(`a ${parsed.type} is named by its PCI address, for example ${parsed.type}/0000:9b:00.0`);
  return known.find((each) => each.type === parsed.type && each.id === id) ?? { type: parsed.type, id, host };
}

function unclear(text: string): ApiError {
  return new ApiError(422, 'FL3414', text);
}

function example(type: Component['type'] | undefined, host: string): string {
  if (type === undefined || BY_PCI_ADDRESS.has(type)) return `${type ?? 'gpu'}/0000:9b:00.0`;
  const ids: Partial<Record<Component['type'], string>> = { pdu_phase: 'pdu-b/1', job: 'llama-70b', host };
  return `${type}/${ids[type] ?? `${host}/1`}`;
}

/** What follows the number where decoders or people look at it. */
const TEXTS: Readonly<Record<number, string>> = {
  48: 'DBE (double bit error) ECC Error.',
  79: 'GPU has fallen off the bus.',
  119: 'Timeout after 6s of waiting for RPC response from GPU0 GSP! Expected function 76 (GSP_RM_CONTROL) (0x2080a068 0x4).',
};

/** As the NVIDIA kernel module writes it; it leaves out the function of the address. */
export function xidText(gpu: Component, xid: number): string {
  const text = TEXTS[xid] ?? 'injected by faultline inject';
  return `NVRM: Xid (PCI:${gpu.id.replace(/\.\d$/, '')}): ${xid}, pid='<unknown>', name=<unknown>, ${text}`;
}
