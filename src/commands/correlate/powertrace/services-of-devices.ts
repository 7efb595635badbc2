// Which services a device can degrade, as PowerTrace resolves its mappings.

import type { Mapping } from '../records.ts';

/** Passes over the feeds: how far up a chain is resolved depends on the order of the mappings. */
const PASSES = 3;

export function servicesOfDevices(mappings: readonly Mapping[]): ReadonlyMap<string, ReadonlySet<string>> {
  const services = new Map<string, Set<string>>();
  const feeds = new Map<string, readonly string[]>();
  const add = (device: string, more: Iterable<string>): void => {
    const known = services.get(device) ?? new Set();
    for (const each of more) known.add(each);
    services.set(device, known);
  };
  for (const mapping of mappings) {
    const { device, instance, gpus, parent } = mapping;
    for (const each of [
      device,
      ...(instance === null ? [] : [instance]),
      ...gpus,
      ...(parent === null ? [] : [parent]),
    ]) {
      add(each, mapping.services);
    }
    if (mapping.feeds !== null && mapping.feeds.length > 0) feeds.set(device, mapping.feeds);
  }
  for (let pass = 0; pass < PASSES; pass += 1) {
    for (const [device, fed] of feeds) for (const each of fed) add(device, services.get(each) ?? []);
  }
  return services;
}
