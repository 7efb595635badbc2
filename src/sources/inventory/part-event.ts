// Part event: what the comparison found, as an event of the part's own kind where there is one.

import type { KnownPart, Part, PartType } from '../../identity/parts/part.ts';
import { type Component, canonicalPciAddress } from '../../model/component.ts';
import type { Kind } from '../../model/kind.ts';
import type { Discovery, EventInput } from '../../model/record.ts';
import type { Interval } from '../../model/time.ts';
import type { Disk } from './disk.ts';

export const SOURCE = 'inventory';

const NAMES: Readonly<Record<PartType, string>> = {
  gpu: 'GPU',
  nic: 'network card',
  dimm: 'memory module',
  psu: 'power supply',
  disk: 'disk',
};
const MISSING: Readonly<Record<PartType, Kind>> = {
  gpu: 'gpu.lost',
  nic: 'nic.lost',
  dimm: 'host.part_missing',
  psu: 'psu.failure',
  disk: 'host.part_missing',
};

export function componentOf({ type, slot }: Pick<Part, 'type' | 'slot'>, host: string): Component {
  const byAddress = type === 'gpu' || type === 'nic';
  return { type, id: byAddress ? slot : `${host}/${slot}`, host, parent: `host/${host}` };
}

/** Of a disk under the name that the kernel's lines have, with the one of its slot; and of the PCI device that it is. */
export function diskDiscovery({ slot, device }: Pick<Disk, 'slot' | 'device'>, host: string): Discovery | null {
  if (device === null) return null;
  const aliases = [`${host}/${slot}`];
  const component: Component = { type: 'disk', id: device, host, parent: `host/${host}`, aliases };
  const address = canonicalPciAddress(slot);
  const from: Component = address === null ? { type: 'host', id: host } : { type: 'pcie', id: address, host };
  return { component, links: [{ from, to: component, relation: 'contains', source: 'host' }] };
}

export function nameOf({ type, slot, serial, model }: Part): string {
  const which = [model, serial === null ? null : `serial ${serial}`].filter((part) => part !== null).join(', ');
  return `${NAMES[type]} in ${slot}${which === '' ? '' : ` (${which})`}`;
}

/** `present` of `known` are there. */
export interface Count {
  readonly present: number;
  readonly known: number;
}

/** A GPU fell off the bus where this run saw it there; else it did not come up. */
export function missingKind(type: PartType, wasThere: boolean): Kind {
  return type === 'gpu' && !wasThere ? 'gpu.missing' : MISSING[type];
}

export function missingEvent(
  kind: Kind,
  part: Part | { readonly type: PartType },
  state: 'onset' | 'clear',
  when: Interval,
  host: string,
  { present, known }: Count,
): EventInput {
  const one = 'slot' in part ? part : null;
  const what = one === null ? `a ${NAMES[part.type]}, which of them does not show` : nameOf(one);
  const text = state === 'onset' ? `${what} is gone: ${present} of ${known} are there` : `${what} is there`;
  return {
    ...base(when, text),
    kind,
    component: one === null ? null : componentOf(one, host),
    state,
    attributes: {
      why: 'not_there',
      action: 'inspect_hardware',
      part: part.type,
      slot: one?.slot ?? null,
      serial: one?.serial ?? null,
      present,
      known,
    },
    discriminator: `missing ${part.type} ${one?.slot ?? '?'}`,
  };
}

/** A fact, not a fault: another part is there, or one is expected no more. */
export function changedEvent(
  change: 'swapped' | 'moved' | 'added' | 'accepted',
  part: Part,
  before: Part | KnownPart | null,
  when: Interval,
  host: string,
): EventInput {
  const text = {
    swapped: `${nameOf(part)} took the place of ${before === null ? 'another one' : nameOf(before)}`,
    moved: `${nameOf(part)} was in ${before?.slot}`,
    added: `${nameOf(part)} is new`,
    accepted: `${nameOf(part)} is expected no more: an operator says so`,
  }[change];
  return {
    ...base(when, text),
    kind: 'host.part_changed',
    component: componentOf(part, host),
    state: 'point',
    attributes: { change, part: part.type, slot: part.slot, serial: part.serial, before: before?.serial ?? null },
    discriminator: `${change} ${part.type} ${part.slot} ${part.serial ?? ''}`,
  };
}

function base(interval: Interval, text: string) {
  const timeMs = interval.latestMs;
  const evidence = [{ source: SOURCE, timeMs, text }];
  return { timeMs, interval, observedMs: timeMs, trust: 'kernel', source: SOURCE, evidence } as const;
}
