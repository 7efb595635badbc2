// Given devices: kubelet's list of what its device plugins and claim drivers gave to which container (PodResources v1).

import type { Devices, ListedDevice } from '../claims/claim.ts';
import { listAt, word, wordAt } from '../pod/values.ts';
import { decode } from '../wire/decode.ts';
import { POD_RESOURCES } from '../wire/shapes.ts';

/** Of one container: shared network devices are plain counters, up to a thousand of them. */
const MOST_DEVICES = 1024;

export type GivenDevices = Devices<ListedDevice>;

/** Throws `WireError` where the reply is not such a list. */
export function givenDevices(reply: Buffer): GivenDevices {
  const found = new Map<string, Map<string, readonly ListedDevice[]>>();
  for (const pod of listAt(decode(reply, POD_RESOURCES), 'pod_resources')) {
    const [namespace, name] = [wordAt(pod, 'namespace'), wordAt(pod, 'name')];
    if (namespace === null || name === null) continue;
    const containers = new Map<string, readonly ListedDevice[]>();
    for (const container of listAt(pod, 'containers')) {
      const called = wordAt(container, 'name');
      if (called !== null) containers.set(called, devicesOf(container));
    }
    found.set(`${namespace}/${name}`, containers);
  }
  return found;
}

/** One resource may come in several parts, one for each NUMA node. */
function devicesOf(container: unknown): readonly ListedDevice[] {
  const found = new Map<string, ListedDevice>();
  const add = (resource: string | null, id: string | null, claim?: ListedDevice['claim']): void => {
    if (resource === null || id === null || found.size >= MOST_DEVICES) return;
    found.set(`${resource} ${id}`, claim === undefined ? { resource, id } : { resource, id, claim });
  };
  for (const part of listAt(container, 'devices')) {
    const resource = wordAt(part, 'resource_name');
    for (const id of listAt(part, 'device_ids')) add(resource, word(id));
  }
  for (const claim of listAt(container, 'dynamic_resources'))
    for (const one of listAt(claim, 'claim_resources')) {
      const [driver, device] = [wordAt(one, 'driver_name'), wordAt(one, 'device_name')];
      if (driver === null || device === null) continue;
      const cdi = listAt(one, 'cdi_devices').flatMap((each) => wordAt(each, 'name') ?? []);
      add(driver, device, { driver, pool: wordAt(one, 'pool_name') ?? '', device, cdi });
    }
  return [...found.values()];
}
