// The parts of an accuracy run that are remembered over reboots: the real inventory source compares what bus and BMC show.

import { Identity } from '../../identity/identity.ts';
import type { Part } from '../../identity/parts/part.ts';
import { InventorySource } from '../../sources/inventory/inventory-source.ts';
import type { PlannedChange } from '../scenario/planned-change.ts';
import { ServedSource } from './served/served-source.ts';
import { type Actor, inForce, type Stage } from './stage.ts';

/** Only where the scenario takes a part away, or begins to look again. */
const READ: readonly PlannedChange['type'][] = ['gpu_missing', 'nic_missing', 'psu_removed', 'reboot'];
const DEVICES = '/sys/bus/pci/devices';
/** As the configuration has it by default. */
const INTERVAL_MS = 30_000;

export class Inventory implements Actor {
  readonly #stage: Stage;
  readonly #isRead: boolean;
  readonly #served: ServedSource;
  /** Its memory outlives the daemon, as the file in the state folder does. */
  readonly #identity: Identity;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#isRead = stage.plan.steps.some(({ change }) => READ.includes(change.type));
    const host = stage.plan.world.host.name;
    const now = () => stage.now();
    const identity = new Identity(host, { now });
    this.#identity = identity;
    const settings = { enabled: 'on', intervalMs: INTERVAL_MS } as const;
    this.#served = new ServedSource(
      stage,
      (files) => new InventorySource(settings, { host, sys: '/sys', now, files, identity }),
    );
  }

  start(): void {
    if (!this.#isRead) return;
    this.changed();
    this.#served.start('inventory', INTERVAL_MS);
  }

  restart(): void {
    if (this.#isRead) this.#served.restart();
  }

  stop(): void {
    this.#served.stop();
  }

  /** The bus and the bays as they are now. */
  changed(): void {
    if (!this.#isRead) return;
    const { plan, inForce: changes } = this.#stage;
    const { gpus, nics, bmc } = plan.world.host;
    const offBus = (one: { readonly bus?: boolean }): boolean => one.bus === false;
    const noGpu = inForce(changes, 'gpu_missing').filter(offBus).flatMap((one) => one.gpus); // biome-ignore format: one line
    const noNic = inForce(changes, 'nic_missing').filter(({ bus = false }) => !bus).flatMap((one) => one.nics); // biome-ignore format: one line
    for (const { index, address } of gpus) this.#place(address, '0x10de', '0x030200', !noGpu.includes(index));
    for (const { index, address } of nics) this.#place(address, '0x15b3', '0x020700', !noNic.includes(index));
    if (bmc === null) return;
    const silent = inForce(changes, 'bmc_silent').length > 0;
    const removed = inForce(changes, 'psu_removed').map(({ supply }) => supply);
    const supplies = Array.from({ length: bmc.supplies }, (_, i) => i + 1).filter((slot) => !removed.includes(slot));
    const parts = supplies.map((slot): Part => ({ type: 'psu', slot: String(slot), serial: null, model: null }));
    this.#identity.supplies.saw(silent ? null : parts);
  }

  #place(address: string, vendor: string, type: string, isThere: boolean): void {
    const folder = `${DEVICES}/${address}`;
    this.#served.files.remove(folder);
    if (!isThere) return;
    this.#served.files.write(`${folder}/vendor`, vendor);
    this.#served.files.write(`${folder}/class`, type);
  }
}
