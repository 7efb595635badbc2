// CDI files: what the file that a driver of claims wrote for the container runtime gives of a device: its device files, by which it is
// known whatever the driver calls it. No right of the API is needed.
// Form: cncf-tags/container-device-interface SPEC.md; names of files: pkg/cdi GenerateTransientSpecName.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { readOwn } from '../../../helpers/files/own-file.ts';
import { listAt, wordAt } from '../pod/values.ts';

const MOST_BYTES = 1024 * 1024;
const MOST_NAMES = 4096;
const MOST_FILES = 4;
const MOST_KNOWN = 4096;
const UID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-f])/;
const CAPABILITY = /^\/dev\/nvidia-caps\/nvidia-cap(\d{1,5})$/;
const DEVICE_FILE = /^\/dev\/(?:dri\/|infiniband\/)?(nvidia\d{1,3}|renderD\d{3,5}|card\d{1,4}|uverbs\d{1,4})$/;

export class CdiFiles {
  readonly #folders: readonly string[];
  readonly #proc: string;
  /** Name of a device → what it is called by; a claim's file does not change while it is there. */
  readonly #known = new Map<string, readonly string[]>();

  constructor(folders: readonly string[], proc: string) {
    this.#folders = folders;
    this.#proc = proc;
  }

  /** `name`: vendor.com/class=device. Names of the same device, the surest first; none where no file has it. Never rejects. */
  async namesOf(name: string): Promise<readonly string[]> {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const [, kind, device = ''] = /^([\w.-]+\/[\w.-]+)=([\w.:-]{1,512})$/.exec(name) ?? [];
    if (kind === undefined) return [];
    for (const folder of this.#folders) {
      for (const path of await filesFor(folder, kind, device)) {
        const edits = await editsOf(path, kind, device);
        if (edits === null) continue;
        const names = namesIn(edits, await this.#instances());
        if (this.#known.size >= MOST_KNOWN) this.#known.clear();
        this.#known.set(name, names);
        return names;
      }
    }
    return [];
  }

  /** Number of a capability file → the MIG instance that it opens, as GKE's plugin writes it: nvidia0/gi3. */
  async #instances(): Promise<ReadonlyMap<string, string>> {
    let text = '';
    try {
      text = await readOwn(join(this.#proc, 'driver/nvidia-caps/mig-minors'), MOST_BYTES);
    } catch {} // no such driver
    const rows = text.matchAll(/^gpu(\d{1,3})\/gi(\d{1,3})\/access (\d{1,5})$/gm);
    return new Map([...rows].map(([, gpu, instance, number = '']) => [number, `nvidia${gpu}/gi${instance}`]));
  }
}

/** Those of the claim first, then those of the whole kind. */
async function filesFor(folder: string, kind: string, device: string): Promise<string[]> {
  let names: string[] = [];
  try {
    names = (await readdir(folder)).slice(0, MOST_NAMES);
  } catch {
    return [];
  }
  const stem = kind.replaceAll(/[/:]/g, '-');
  const uid = UID.exec(device)?.[0];
  const fits = names.filter((name) => name.startsWith(stem) && /\.(?:json|yaml)$/.test(name)).sort();
  const own = uid === undefined ? [] : fits.filter((name) => name.includes(uid));
  return [...new Set([...own, ...fits.filter((name) => !UID.test(name.slice(stem.length + 1)))])].slice(0, MOST_FILES).map((name) => join(folder, name)); // biome-ignore format: one line
}

/** What the device brings into a container; null where the file is not of this kind, or has no such device. */
async function editsOf(path: string, kind: string, device: string): Promise<unknown> {
  try {
    const spec: unknown = parse(await readOwn(path, MOST_BYTES));
    if (wordAt(spec, 'kind') !== kind) return null;
    return listAt(spec, 'devices').find((each) => wordAt(each, 'name') === device) ?? null;
  } catch {
    return null; // it went away, or is half written
  }
}

/** An instance's parent has a file of its own among them: the instance counts. More than one of a kind names none. */
function namesIn(edits: unknown, instances: ReadonlyMap<string, string>): readonly string[] {
  const paths = listAt(edits, 'containerEdits', 'deviceNodes').flatMap(
    (node) => wordAt(node, 'hostPath') ?? wordAt(node, 'path') ?? [],
  );
  const parts = new Set(paths.flatMap((path) => instances.get(CAPABILITY.exec(path)?.[1] ?? '') ?? []));
  const files = new Set(paths.flatMap((path) => DEVICE_FILE.exec(path)?.[1] ?? []));
  const variables = listAt(edits, 'containerEdits', 'env').filter((each): each is string => typeof each === 'string');
  const uuids = variables.flatMap(
    (each) => /^NVIDIA_VISIBLE_DEVICES=((?:GPU|MIG)-[\w/-]{1,100})$/.exec(each)?.[1] ?? [],
  );
  const one = (names: Iterable<string>): string[] => {
    const [name, ...others] = names;
    return name === undefined || others.length > 0 ? [] : [name];
  };
  const of = (kind: string) => [...files].filter((file) => file.startsWith(kind));
  return [
    ...one(uuids),
    ...one(parts),
    ...(parts.size > 0 ? [] : ['nvidia', 'renderD', 'card', 'uverbs'].flatMap((kind) => one(of(kind)))),
  ];
}
