// Same GPU: a device plugin, or a monitor, calls a GPU by its UUID and the kernel by its address. The only one of each on a host of which both say
// the same XID within a minute is one GPU.

import type { Component } from '../../../model/component.ts';
import type { EventInput } from '../../../model/record.ts';

/** A plugin reads the driver's events within moments. */
const NEAR_MS = 60_000;
const ADDRESS = /^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.\d$/;
const UUID = /^(?:GPU|MIG)-[0-9a-f]/i;

/** The events of one host, those of such a UUID as of the GPU at the address. */
export function ofSameGpu(inputs: readonly EventInput[]): readonly EventInput[] {
  const uuids = gpusBy(inputs, UUID);
  if (uuids.size === 0) return inputs;
  const addresses = gpusBy(inputs, ADDRESS);
  const known = new Set([...addresses.values()].flatMap(([first]) => first?.component?.aliases ?? []));
  const same = new Map<string, Component>();
  for (const [uuid, own] of uuids) {
    if (known.has(uuid)) continue;
    const [only, ...others] = [...addresses].filter(([, events]) => own.some((one) => isSaidOf(one, events)));
    const rivals = only === undefined ? [] : [...uuids].filter(([other, events]) => other !== uuid && events.some((one) => isSaidOf(one, only[1]))); // biome-ignore format: one rule
    const component = only?.[1][0]?.component;
    if (component === undefined || component === null || others.length > 0 || rivals.length > 0) continue;
    same.set(uuid, { ...component, aliases: [...new Set([...(component.aliases ?? []), uuid])] });
  }
  if (same.size === 0) return inputs;
  return inputs.map((input) => {
    const gpu = input.component?.type === 'gpu' ? same.get(input.component.id) : undefined;
    return gpu === undefined ? input : { ...input, component: gpu };
  });
}

function gpusBy(inputs: readonly EventInput[], form: RegExp): Map<string, EventInput[]> {
  const gpus = new Map<string, EventInput[]>();
  for (const input of inputs) {
    const { component } = input;
    if (component?.type !== 'gpu' || !form.test(component.id)) continue;
    const own = gpus.get(component.id);
    if (own === undefined) gpus.set(component.id, [input]);
    else own.push(input);
  }
  return gpus;
}

function isSaidOf({ attributes, timeMs }: EventInput, events: readonly EventInput[]): boolean {
  const xid = attributes?.xid;
  if (typeof xid !== 'number') return false;
  return events.some((other) => other.attributes?.xid === xid && Math.abs(other.timeMs - timeMs) <= NEAR_MS);
}
