// The PCI bus of an accuracy run: which GPUs it shows and which the driver has, through the real PCI source.

import { type Component, canonicalPciAddress } from '../../model/component.ts';
import { PciSource } from '../../sources/pci/pci-source.ts';
import type { PlannedChange } from '../scenario/planned-change.ts';
import { ServedSource } from './served/served-source.ts';
import { type Actor, inForce, type Stage } from './stage.ts';

/** Only where the scenario takes a GPU away. */
const READ: readonly PlannedChange['type'][] = ['gpu_missing', 'gpu_reset', 'reboot'];
/** "pcieport 0000:dc:01.0: AER: Multiple Correctable error message received from 0000:df:00.0" (drivers/pci/pcie/aer.c). */
const REPORTED_BY = /^pcieport (\S{7,16}): AER: [\w ()-]{1,64}(?:received from|received:) (\S{7,16})$/;
const SYS = '/sys/bus/pci';
const DRIVER = '/proc/driver/nvidia';
/** What resets a GPU runs as long as that takes. */
const TOOL = '/proc/7700';

export class PciBus implements Actor {
  readonly #stage: Stage;
  readonly #isRead: boolean;
  readonly #served: ServedSource;

  constructor(stage: Stage) {
    this.#stage = stage;
    const { host, pollMs } = stage.plan.world;
    this.#isRead = host.gpuVendor === 'nvidia' && stage.plan.steps.some(({ change }) => READ.includes(change.type));
    const library = () => this.#driven().map(({ address }) => address);
    const given = { host: host.name, roots: { proc: '/proc', sys: '/sys' }, library, now: () => stage.now() };
    const settings = { enabled: 'on', intervalMs: pollMs.pci } as const;
    this.#served = new ServedSource(stage, (files) => new PciSource(settings, { ...given, files }));
  }

  start(): void {
    this.#findPorts();
    if (!this.#isRead || this.#stage.plan.world.host.gpus.length === 0) return;
    this.#served.files.write(`${DRIVER}/version`, 'NVRM version');
    this.changed();
    this.#served.start('pci', this.#stage.plan.world.pollMs.pci);
  }

  /** The kernel's tree of ports and devices, as far as its lines show it: a port that reports an error of a device is above it. */
  #findPorts(): void {
    const { steps, world } = this.#stage.plan;
    for (const { change } of steps) {
      const [, above = '', below = ''] = change.type === 'kernel_line' ? (REPORTED_BY.exec(change.text) ?? []) : [];
      const [port, device] = [above, below].map(canonicalPciAddress);
      if (!port || !device || port === device) continue;
      const [from, to] = [port, device].map((id): Component => ({ type: 'pcie', id, host: world.host.name }));
      if (from === undefined || to === undefined) continue;
      const links = [{ from, to, relation: 'contains', source: 'host' }] as const;
      this.#stage.emit.discovery({ component: to, links });
    }
  }

  restart(): void {
    if (this.#isRead) this.#served.restart();
  }

  stop(): void {
    this.#served.stop();
  }

  /** The tree as it is now. */
  changed(): void {
    if (!this.#isRead) return;
    this.#serveTool();
    const taken = inForce(this.#stage.inForce, 'gpu_missing').filter(({ bus }) => bus === false);
    const offBus = new Set(taken.flatMap(({ gpus }) => gpus));
    const driven = new Set(this.#driven().map(({ index }) => index));
    for (const { address, index } of this.#stage.plan.world.host.gpus) {
      const folder = `${SYS}/devices/${address}`;
      this.#served.files.remove(folder);
      this.#served.files.remove(`${DRIVER}/gpus/${address}`);
      if (!offBus.has(index)) {
        this.#served.files.write(`${folder}/vendor`, '0x10de');
        this.#served.files.write(`${folder}/class`, '0x030200');
        this.#served.files.symlink(`${folder}/driver`, `${SYS}/drivers/nvidia`);
      }
      if (driven.has(index)) this.#served.files.write(`${DRIVER}/gpus/${address}/information`, 'Model: simulated');
    }
  }

  #serveTool(): void {
    this.#served.files.remove(TOOL);
    const gpus = inForce(this.#stage.inForce, 'gpu_reset').flatMap((reset) => reset.gpus);
    if (gpus.length === 0) return;
    this.#served.files.write(`${TOOL}/comm`, 'nvidia-smi');
    this.#served.files.write(`${TOOL}/cmdline`, ['nvidia-smi', '--gpu-reset', '-i', gpus.join(), ''].join('\0'));
    this.#served.files.write(`${TOOL}/status`, 'Name:\tnvidia-smi\nUid:\t0\t0\t0\t0\n');
  }

  /** GPUs that the driver lists. */
  #driven(): readonly { readonly index: number; readonly address: string }[] {
    const { inForce: changes } = this.#stage;
    const gone = [...inForce(changes, 'gpu_missing'), ...inForce(changes, 'gpu_reset')].flatMap(({ gpus }) => gpus);
    return this.#stage.plan.world.host.gpus.filter(({ index }) => !gone.includes(index));
  }
}
