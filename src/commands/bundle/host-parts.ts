// Host parts: versions, the parts that this host is made of, and the configuration in force.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ask, socketCandidates } from '../../api/client.ts';
import { redactedConfig } from '../../config/print-config.ts';
import { configSchema } from '../../daemon/config.ts';
import { errorText } from '../../helpers/error-text.ts';
import { takeInventory } from '../../sources/system/inventory/take-inventory.ts';
import { versionReport } from '../version/version-report.ts';
import type { Part, PartContext } from './part.ts';

const MOST_GPUS = 64;
const LONGEST_FILE = 16 * 1024;
/** Files that say which driver, kernel and system it is, below the roots of the configuration. */
const VERSION_FILES = [
  ['proc', 'version'],
  ['proc', 'driver/nvidia/version'],
  ['sys', 'module/nvidia/version'],
  ['sys', 'module/amdgpu/version'],
  ['sys', 'module/mlx5_core/version'],
] as const;

export const versions: Part = {
  name: 'versions.json',
  async take(context) {
    const faultline = versionReport();
    if (context.elsewhere !== null)
      return [{ path: 'versions.json', what: 'versions of Faultline where the bundle was made', value: { faultline } }];
    const read = VERSION_FILES.map(async ([root, path]) => [
      `${root}/${path}`,
      await shortText(join(rootOf(context, root), path)),
    ]);
    const files = Object.fromEntries((await Promise.all(read)).filter(([, text]) => text !== null));
    const os = await shortText(context.paths.osRelease);
    const value = { faultline, ...(os === null ? {} : { 'os-release': os }), ...files };
    return [{ path: 'versions.json', what: 'versions of Faultline, kernel, drivers and system', value }];
  },
};

export const inventory: Part = {
  name: 'inventory.json',
  async take(context) {
    const { elsewhere, anonymous, config, signal } = context;
    if (elsewhere !== null) return { leftOut: elsewhere };
    const host = await takeInventory(signal).catch((error: unknown) => ({ missing: errorText(error) }));
    const sockets = socketCandidates(config?.config.directories.runtime ?? '/run/faultline');
    const parts = await ask('GET', '/v1/inventory', sockets).catch((error: unknown) => ({ missing: errorText(error) }));
    const value = { host: anonymous ? { ...host, serial: null } : host, parts, gpus: await gpuFiles(context) };
    return [
      { path: 'inventory.json', what: 'the host and its parts, with model, serial and firmware where known', value },
    ];
  },
};

export const configuration: Part = {
  name: 'configuration.json',
  async take({ config, configTrouble, elsewhere }) {
    if (elsewhere !== null) return { leftOut: elsewhere };
    if (config === null) return { leftOut: configTrouble ?? 'it cannot be read' };
    const value = redactedConfig(config, configSchema);
    return [{ path: 'configuration.json', what: 'the configuration in force, without its secrets', value }];
  },
};

/** What the NVIDIA driver says of each GPU. */
async function gpuFiles(context: PartContext): Promise<Readonly<Record<string, string>>> {
  const folder = join(rootOf(context, 'proc'), 'driver/nvidia/gpus');
  const names = (await readdir(folder).catch(() => [])).slice(0, MOST_GPUS);
  const read = await Promise.all(names.map(async (name) => [name, await shortText(join(folder, name, 'information'))]));
  return Object.fromEntries(read.filter(([, text]) => text !== null));
}

function rootOf({ config }: PartContext, root: 'proc' | 'sys'): string {
  return config?.config.roots[root] ?? `/${root}`;
}

/** Null where it is not there. */
async function shortText(path: string): Promise<string | null> {
  const text = await readFile(path, 'utf8').catch(() => null);
  return text === null ? null : text.slice(0, LONGEST_FILE).trim();
}
