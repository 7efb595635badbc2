// PCI source: GPUs that the bus shows and the driver does not have; and whether the fabric's daemons run.

import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import type { Component } from '../../model/component.ts';
import type { Emit, EventInput } from '../../model/record.ts';
import { SmallFiles } from '../small-files.ts';
import type { Source, SourceCounts, SourceHealth } from '../source.ts';
import { Daemons } from './daemons.ts';
import { type Bus, driverAddresses, PciDevices } from './devices.ts';
import { type MissingEdge, type MissingGpu, MissingWatch, missingGpus } from './gpu-count.ts';

export const SOURCE = 'pci';

const WHY: Readonly<Record<MissingGpu['why'], string>> = {
  no_driver: 'no driver is bound to it, though the driver has others',
  not_in_driver: 'the driver is bound to it, and does not list it',
  not_in_library: 'the driver lists it, and its library does not',
};

export interface PciOptions {
  readonly host: string;
  readonly roots: { readonly proc: string; readonly sys: string };
  /** Addresses of the GPUs that the vendor library enumerates; null where it does not work or is not asked. */
  readonly library: () => readonly string[] | null;
  /** Epoch ms on the steady clock. */
  readonly now: () => number;
  readonly files?: SmallFiles;
}

export class PciSource implements Source {
  readonly name = SOURCE;
  readonly #config: Config['sources']['pci'];
  readonly #options: PciOptions;
  readonly #files: SmallFiles;
  readonly #devices: PciDevices;
  readonly #daemons: Daemons;
  readonly #watch = new MissingWatch();
  #emit: Emit | null = null;
  #timer: NodeJS.Timeout | null = null;
  #reading = false;
  #bus: Bus | null = null;
  #running: readonly string[] = [];
  #looked = false;

  constructor(config: Config['sources']['pci'], options: PciOptions) {
    this.#config = config;
    this.#options = options;
    this.#files = options.files ?? new SmallFiles();
    this.#devices = new PciDevices(this.#files, options.roots.sys);
    this.#daemons = new Daemons(this.#files, options.roots.proc);
  }

  start(emit: Emit, signal: AbortSignal): void {
    this.#emit = emit;
    signal.addEventListener('abort', () => void this.stop(), { once: true });
    void this.#tick();
    this.#timer = setInterval(() => void this.#tick(), this.#config.intervalMs);
  }

  health(): readonly SourceHealth[] {
    if (!this.#looked) return [{ source: SOURCE, status: 'absent', detail: 'starting', remedy: null }];
    const hanging = this.#files.stuck.map((path) => `FL2601 ${path} does not answer`);
    if (this.#bus === null) {
      const folder = join(this.#options.roots.sys, 'bus/pci/devices');
      const detail = [`FL2606 no PCI bus under ${folder}`, ...hanging].join('; ');
      return [{ source: SOURCE, status: 'absent', detail, remedy: "in a container, mount the host's /sys" }];
    }
    const { gpus, switches } = this.#bus;
    const parts = [`${gpus.length} NVIDIA GPU${gpus.length === 1 ? '' : 's'} on the bus`];
    if (this.#watch.count > 0) parts.push(`${this.#watch.count} missing from the driver`);
    if (switches > 0) parts.push(`${switches} NVSwitch${switches === 1 ? '' : 'es'}`);
    for (const name of this.#running) parts.push(`${name} runs`);
    if (switches > 0 && !this.#running.includes('fabric manager')) parts.push('no fabric manager was found');
    return [{ source: SOURCE, status: 'works', detail: [...parts, ...hanging].join(', '), remedy: null }];
  }

  counts(): readonly SourceCounts[] {
    return [{ source: SOURCE, reads: this.#files.reads }];
  }

  async stop(): Promise<void> {
    this.#emit = null;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#files.close();
  }

  async #tick(): Promise<void> {
    if (this.#reading || this.#emit === null) return; // the last look still waits for a file
    this.#reading = true;
    try {
      const bus = await this.#devices.read();
      if (bus !== null) await this.#compare(bus);
    } finally {
      this.#looked = true;
      this.#reading = false;
    }
  }

  async #compare(bus: Bus): Promise<void> {
    this.#bus = bus;
    if (bus.gpus.length === 0) return;
    const { roots, library, now } = this.#options;
    const kernel = await driverAddresses(this.#files, roots.proc);
    const timeMs = now();
    const missing = missingGpus(bus.gpus, { kernel, library: library() });
    for (const edge of this.#watch.update(missing, timeMs)) {
      this.#emit?.event(missingEvent(edge, bus, this.#options.host, timeMs));
    }
    this.#running = await this.#daemons.running(timeMs);
  }
}

function missingEvent(edge: MissingEdge, bus: Bus, host: string, nowMs: number): EventInput {
  const { state, address, gpu, earliestMs, latestMs } = edge;
  const component: Component = { type: 'gpu', id: address, host, parent: `host/${host}` };
  const text = gpu === null ? `GPU ${address} is in the driver` : `GPU ${address} is on the PCI bus: ${WHY[gpu.why]}`;
  return {
    kind: 'gpu.missing',
    component,
    timeMs: latestMs,
    interval: { earliestMs, latestMs },
    observedMs: nowMs,
    trust: 'kernel',
    state,
    source: SOURCE,
    attributes: { why: gpu?.why ?? null, driver: gpu?.driver ?? null, gpus_on_bus: bus.gpus.length },
    evidence: [{ source: SOURCE, timeMs: latestMs, text }],
  };
}
