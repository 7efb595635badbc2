// Claim names: by what else a device of a claim is known, first by the file that its driver wrote, else by what it publishes.

import type { PodDevice } from '../../../identity/work/facts.ts';
import type { CdiFiles } from './cdi-files.ts';
import type { Devices, ListedDevice } from './claim.ts';
import type { ResourceSlices } from './resource-slices.ts';

export class ClaimNames {
  readonly #files: CdiFiles;
  /** Null where there is no API to ask. */
  readonly #slices: ResourceSlices | null;
  #count = { files: 0, slices: 0, none: 0 };

  constructor(files: CdiFiles, slices: ResourceSlices | null) {
    this.#files = files;
    this.#slices = slices;
  }

  /** One clause for `doctor`; null where no claim is known. */
  get note(): string | null {
    const { files, slices, none } = this.#count;
    if (files + slices + none === 0) return null;
    const why =
      this.#slices === null ? 'no API server is set' : (this.#slices.error?.message ?? 'its driver publishes no more');
    const alone = none === 0 ? '' : `, ${none} by the driver's name alone (no CDI file; ResourceSlices: ${why})`;
    return `claims: ${files} devices by CDI files, ${slices} by ResourceSlices${alone}`;
  }

  /** The devices with all their names, as far as they are known now. */
  async named(given: Devices<ListedDevice>): Promise<Devices<PodDevice>> {
    this.#count = { files: 0, slices: 0, none: 0 };
    const found = new Map<string, ReadonlyMap<string, readonly PodDevice[]>>();
    for (const [pod, containers] of given) {
      const named = new Map<string, readonly PodDevice[]>();
      for (const [container, devices] of containers) {
        const all: PodDevice[] = [];
        for (const device of devices) all.push(await this.#namedDevice(device));
        named.set(container, all);
      }
      found.set(pod, named);
    }
    return found;
  }

  /** Asks for what no file has. True where that brought something. Never rejects. */
  async ask(nowMs: number): Promise<boolean> {
    return this.#count.none > 0 && this.#slices !== null && (await this.#slices.ask(nowMs));
  }

  close(): void {
    this.#slices?.close();
  }

  async #namedDevice({ resource, id, claim }: ListedDevice): Promise<PodDevice> {
    if (claim === undefined) return { resource, id };
    const { driver, pool, device, cdi } = claim;
    const byFile: string[] = [];
    for (const name of cdi) byFile.push(...(await this.#files.namesOf(name)));
    const also = byFile.length > 0 ? byFile : (this.#slices?.namesOf(driver, pool, device) ?? []);
    this.#count[byFile.length > 0 ? 'files' : also.length > 0 ? 'slices' : 'none'] += 1;
    return also.length === 0 ? { resource, id } : { resource, id, also };
  }
}
