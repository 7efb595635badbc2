// PCI source: GPUs that the bus shows and the driver does not have; and whether the fabric's daemons run.

import { join } from 'node:path';
import type { Component } from '../../model/component.ts';
import type { EventInput } from '../../model/record.ts';
import { PolledSource } from '../files/polled-source.ts';
import { SmallFiles } from '../files/small-files.ts';
import type { SourceHealth } from '../source.ts';
import { Daemons } from './daemons.ts';
import { type Bus, driverAddresses, PciDevices } from './devices.ts';
import { type MissingEdge, type MissingGpu, MissingWatch, missingGpus } from './gpu-count.ts';
import { portsAbove } from './ports.ts';
import { type ResetTool, resetTool } from './reset-tool.ts';
import type { PciSettings } from './settings.ts';

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

export class PciSource extends PolledSource {
  readonly #options: PciOptions;
  readonly #devices: PciDevices;
  readonly #daemons: Daemons;
  readonly #watch = new MissingWatch();
  /** GPUs whose ports were reported. */
  readonly #placed = new Set<string>();
  /** GPUs that went missing by a reset which was reported. */
  readonly #reset = new Set<string>();
  #bus: Bus | null = null;
  #running: readonly string[] = [];

  constructor(config: PciSettings, options: PciOptions) {
    super(SOURCE, config.intervalMs, options.files ?? new SmallFiles());
    this.#options = options;
    this.#devices = new PciDevices(this.files, options.roots.sys);
    this.#daemons = new Daemons(this.files, options.roots.proc);
  }

  protected lookedHealth(): SourceHealth {
    const hanging = this.hanging();
    if (this.#bus === null) {
      const folder = join(this.#options.roots.sys, 'bus/pci/devices');
      const detail = [`FL2606 no PCI bus under ${folder}`, ...hanging].join('; ');
      return { source: SOURCE, status: 'absent', detail, remedy: "in a container, mount the host's /sys" };
    }
    const { gpus, switches } = this.#bus;
    const parts = [`${gpus.length} NVIDIA GPU${gpus.length === 1 ? '' : 's'} on the bus`];
    if (this.#watch.count > 0) parts.push(`${this.#watch.count} missing from the driver`);
    if (switches > 0) parts.push(`${switches} NVSwitch${switches === 1 ? '' : 'es'}`);
    for (const name of this.#running) parts.push(`${name} runs`);
    if (switches > 0 && !this.#running.includes('fabric manager')) parts.push('no fabric manager was found');
    return { source: SOURCE, status: 'works', detail: [...parts, ...hanging].join(', '), remedy: null };
  }

  protected async round(): Promise<void> {
    const bus = await this.#devices.read();
    if (bus !== null) await this.#compare(bus);
  }

  async #compare(bus: Bus): Promise<void> {
    this.#bus = bus;
    if (bus.gpus.length === 0) return;
    await this.#place(bus);
    const { roots, library, now } = this.#options;
    const kernel = await driverAddresses(this.files, roots.proc);
    const timeMs = now();
    const missing = missingGpus(bus.gpus, { kernel, library: library() });
    const onBus = (address: string): boolean => bus.gpus.some((gpu) => gpu.address === address);
    const edges = this.#watch.update(missing, timeMs, onBus);
    await this.#reportResets(timeMs);
    for (const edge of edges) this.emit?.event(missingEvent(edge, bus, this.#options.host, timeMs));
    this.#running = await this.#daemons.running(timeMs);
  }

  /** Of a GPU that went missing while root resets GPUs it is known why, before its counters say so. */
  async #reportResets(timeMs: number): Promise<void> {
    const { fresh } = this.#watch;
    for (const address of this.#reset) if (!fresh.includes(address)) this.#reset.delete(address);
    const unknown = fresh.filter((address) => !this.#reset.has(address));
    const tool = unknown.length === 0 ? null : await resetTool(this.files, this.#options.roots.proc);
    if (tool === null) return;
    for (const address of unknown) {
      this.#reset.add(address);
      this.emit?.event(resetEvent(address, tool, this.#options.host, timeMs));
    }
  }

  /** Reports once of each GPU which ports it hangs on: none of them changes while the host runs. */
  async #place({ gpus }: Bus): Promise<void> {
    for (const { address } of gpus) {
      if (this.#placed.has(address)) continue;
      this.#placed.add(address);
      const link = await this.#devices.place(address);
      const ports = link === null ? null : portsAbove(link, this.#options.host);
      if (ports !== null) this.emit?.discovery(ports);
    }
  }
}

function resetEvent(address: string, { pid, command }: ResetTool, host: string, timeMs: number): EventInput {
  return {
    kind: 'gpu.reset',
    component: { type: 'gpu', id: address, host, parent: `host/${host}` },
    timeMs,
    observedMs: timeMs,
    trust: 'system',
    state: 'point',
    source: SOURCE,
    attributes: { how: 'tool', text: command, pid },
    evidence: [{ source: SOURCE, timeMs, text: `${command} runs as root (pid ${pid})` }],
    discriminator: `reset ${pid}`,
  };
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
