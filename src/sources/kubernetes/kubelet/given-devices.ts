// Given devices: kubelet's list of what its device plugins and claim drivers gave to which container (PodResources v1).

import type { PodDevice } from '../../../identity/work/facts.ts';
import { listAt, word, wordAt } from '../pod/values.ts';
import { decode } from '../wire/decode.ts';
import { POD_RESOURCES } from '../wire/shapes.ts';

/** Of one container: shared network devices are plain counters, up to a thousand of them. */
const MOST_DEVICES = 1024;

/** Namespace/pod → container → devices, each once, in their order. */
export type GivenDevices = ReadonlyMap<string, ReadonlyMap<string, readonly PodDevice[]>>;

/** Throws `WireError` where the reply is not such a list. */
export function givenDevices(reply: Buffer): GivenDevices {
  const found = new Map<string, Map<string, readonly PodDevice[]>>();
  for (const pod of listAt(decode(reply, POD_RESOURCES), 'pod_resources')) {
    const [namespace, name] = [wordAt(pod, 'namespace'), wordAt(pod, 'name')];
    if (namespace === null || name === null) continue;
    const containers = new Map<string, readonly PodDevice[]>();
    for (const container of listAt(pod, 'containers')) {
      const called = wordAt(container, 'name');
      if (called !== null) containers.set(called, devicesOf(container));
    }
    found.set(`${namespace}/${name}`, containers);
  }
  return found;
}

/** One resource may come in several parts, one for each NUMA node. */
function devicesOf(container: unknown): readonly PodDevice[] {
  const found = new Map<string, PodDevice>();
  const add = (resource: string | null, id: string | null): void => {
    if (resource === null || id === null || found.size >= MOST_DEVICES) return;
    found.set(`${resource} ${id}`, { resource, id });
  };
  for (const part of listAt(container, 'devices')) {
    const resource = wordAt(part, 'resource_name');
    for (const id of listAt(part, 'device_ids')) add(resource, word(id));
  }
  for (const claim of listAt(container, 'dynamic_resources'))
    for (const one of listAt(claim, 'claim_resources')) add(wordAt(one, 'driver_name'), wordAt(one, 'device_name'));
  return [...found.values()];
}
