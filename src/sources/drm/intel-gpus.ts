// Intel's GPUs: what the drivers i915 and xe drive, with its tiles where xe has several.

import { basename, join } from 'node:path';
import type { Component } from '../../model/component.ts';
import type { SmallFiles } from '../files/small-files.ts';
import type { DrmDevice } from './device-files.ts';
import type { FoundGpu } from './found-gpu.ts';

const DRIVERS: ReadonlySet<string> = new Set(['i915', 'xe']);
const MAX_TILES = 8;

/** By address, by which Level Zero numbers them. */
export async function intelGpus(files: SmallFiles, devices: ReadonlyMap<string, DrmDevice>): Promise<FoundGpu[]> {
  const found: FoundGpu[] = [];
  for (const { id, folder, names } of [...devices.values()].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    const driver = await files.link(join(folder, 'driver'));
    if (driver === null || !DRIVERS.has(basename(driver))) continue;
    const tiles = ((await files.list(folder)) ?? []).filter((name) => /^tile\d$/.test(name)).slice(0, MAX_TILES);
    const parts = tiles.map((tile): Component => ({ type: 'gpu_instance', id: `${id}/${tile.slice('tile'.length)}` }));
    const model = (await files.read(join(folder, 'device'))) ?? '';
    files.forget(`${folder}/device`);
    found.push({
      vendor: 'intel',
      component: { type: 'gpu', id, aliases: names },
      parts: parts.length > 1 ? parts : [],
      // What is in the CPU's package is a device of the root bus.
      integrated: id.startsWith('0000:00:'),
      model,
      computeIds: new Map(),
    });
  }
  return found;
}
