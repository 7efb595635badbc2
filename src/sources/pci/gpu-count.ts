// Which GPUs the PCI bus shows and the driver does not have; what a container hides is not missing. Pure.

/** A GPU on the bus. */
export interface PciGpu {
  readonly address: string;
  /** Name of the driver bound to it; null for none. */
  readonly driver: string | null;
}

export interface DriverView {
  /** Addresses under /proc/driver/nvidia/gpus; null where there is no such folder, or it is not the host's. */
  readonly kernel: readonly string[] | null;
  /** Addresses that the vendor library enumerates; null where it does not work. */
  readonly library: readonly string[] | null;
}

export interface MissingGpu {
  readonly address: string;
  readonly driver: string | null;
  readonly why: 'no_driver' | 'not_in_driver' | 'not_in_library';
}

/**
 * Only where the driver works for at least one GPU: without any, it is not loaded, reloads, or is another one's. What is
 * bound to another driver (vfio-pci, nouveau) was given away.
 */
export function missingGpus(gpus: readonly PciGpu[], { kernel, library }: DriverView): MissingGpu[] {
  const driven = gpus.filter(({ driver }) => driver === 'nvidia');
  const some = kernel === null || kernel.length > 0;
  if (driven.length === 0 || !some) return [];
  const found: MissingGpu[] = [];
  for (const { address, driver } of gpus) {
    if (driver === null) found.push({ address, driver, why: 'no_driver' });
    else if (driver !== 'nvidia') continue;
    else if (kernel !== null && !kernel.includes(address)) found.push({ address, driver, why: 'not_in_driver' });
    else if (kernel !== null && library !== null && library.length > 0 && !library.includes(address)) {
      found.push({ address, driver, why: 'not_in_library' });
    }
  }
  return found;
}

/** A GPU is missing from this many looks in a row on: drivers load one GPU after the other. */
const LOOKS = 2;

export interface MissingEdge {
  readonly state: 'onset' | 'clear';
  readonly address: string;
  readonly gpu: MissingGpu | null;
  readonly earliestMs: number;
  readonly latestMs: number;
}

/** Onset after two looks in a row that miss it, clear at the first that does not. */
export class MissingWatch {
  readonly #missing = new Map<string, { looks: number; sinceMs: number; beforeMs: number; reported: boolean }>();
  #lastMs: number | null = null;

  /** How many are reported as missing. */
  get count(): number {
    return [...this.#missing.values()].filter(({ reported }) => reported).length;
  }

  /** Missing since the look before this one, or since this one, and not reported as missing before. */
  get fresh(): string[] {
    return [...this.#missing].filter(([, { looks }]) => looks <= LOOKS).map(([address]) => address);
  }

  /** `onBus`: one that left the bus is not back in the driver by that. */
  update(missing: readonly MissingGpu[], timeMs: number, onBus = (_address: string): boolean => true): MissingEdge[] {
    const edges: MissingEdge[] = [];
    const beforeMs = this.#lastMs ?? timeMs;
    this.#lastMs = timeMs;
    for (const [address, { reported }] of this.#missing) {
      if (missing.some((gpu) => gpu.address === address) || !onBus(address)) continue;
      this.#missing.delete(address);
      if (reported) edges.push({ state: 'clear', address, gpu: null, earliestMs: beforeMs, latestMs: timeMs });
    }
    for (const gpu of missing) {
      const known = this.#missing.get(gpu.address) ?? { looks: 0, sinceMs: timeMs, beforeMs, reported: false };
      this.#missing.set(gpu.address, known);
      known.looks += 1;
      if (known.reported || known.looks < LOOKS) continue;
      known.reported = true;
      const { address } = gpu;
      edges.push({ state: 'onset', address, gpu, earliestMs: known.beforeMs, latestMs: known.sinceMs });
    }
    return edges;
  }
}
