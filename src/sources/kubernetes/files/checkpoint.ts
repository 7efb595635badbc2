// Checkpoint: kubelet's own file of what it gave to which pod. It has the uid that the list of devices lacks, and old entries
// as well: one is taken only where its container, resource and devices are those of the list.

import { join } from 'node:path';
import { readOwn } from '../../../helpers/files/own-file.ts';
import type { GivenDevices } from '../kubelet/given-devices.ts';
import { at, listAt, wordAt } from '../pod/values.ts';

const MOST_BYTES = 8 * 1024 * 1024;

interface Entry {
  readonly uid: string;
  readonly container: string;
  readonly resource: string;
  readonly ids: ReadonlySet<string>;
}

/** Namespace/pod → uid, as far as exactly one fits. */
export async function uidsOf(root: string, given: GivenDevices): Promise<ReadonlyMap<string, string>> {
  const entries = await entriesOf(root);
  const found = new Map<string, string>();
  for (const [pod, containers] of given) {
    const uids = new Set<string>();
    for (const [container, devices] of containers)
      for (const { resource, id } of devices)
        for (const entry of entries)
          if (entry.container === container && entry.resource === resource && entry.ids.has(id)) uids.add(entry.uid);
    const [only] = uids;
    if (uids.size === 1 && only !== undefined) found.set(pod, only);
  }
  return found;
}

async function entriesOf(root: string): Promise<Entry[]> {
  let raw: unknown;
  try {
    raw = JSON.parse(await readOwn(join(root, 'device-plugins', 'kubelet_internal_checkpoint'), MOST_BYTES));
  } catch {
    return []; // another kubelet, or one that gave no device yet
  }
  return listAt(raw, 'Data', 'PodDeviceEntries').flatMap((entry) => {
    const [uid, container, resource] = [wordAt(entry, 'PodUID'), wordAt(entry, 'ContainerName'), wordAt(entry, 'ResourceName')]; // biome-ignore format: one line
    const byNode = at(entry, 'DeviceIDs');
    if (uid === null || container === null || resource === null || typeof byNode !== 'object' || byNode === null)
      return [];
    const ids = Object.values(byNode).flat().filter((id): id is string => typeof id === 'string'); // biome-ignore format: one line
    return [{ uid, container, resource, ids: new Set(ids) }];
  });
}
