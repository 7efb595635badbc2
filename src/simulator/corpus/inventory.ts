// The parts of an accuracy run that are remembered over reboots: the real inventory source compares what bus, firmware and
// BMC show.

import { createHash } from 'node:crypto';
import { Identity } from '../../identity/identity.ts';
import type { Part } from '../../identity/parts/part.ts';
import { InventorySource } from '../../sources/inventory/inventory-source.ts';
import type { PlannedChange } from '../scenario/planned-change.ts';
import { memoryDevice, smbiosTable, systemInformation } from './served/dmi-table.ts';
import { NIC_VENDOR } from './served/nic-tree.ts';
import { ServedSource } from './served/served-source.ts';
import { type Actor, inForce, type Stage } from './stage.ts';

/** Only where the scenario takes a part away, or begins to look again. */
const READ: readonly PlannedChange['type'][] = ['gpu_missing', 'nic_missing', 'psu_removed', 'part_missing', 'reboot'];
/** PCI vendors and classes: a 3D controller, a processing accelerator; InfiniBand and Ethernet controllers. */
const GPU = {
  nvidia: { vendor: '0x10de', type: '0x030200' },
  amd: { vendor: '0x1002', type: '0x120000' },
} as const;
const NIC_TYPE = { mlx5: '0x020700', bnxt: '0x020000', efa: '0x020000' } as const;
const DEVICES = '/sys/bus/pci/devices';
/** NVMe disks and memory modules of every host. */
const DISKS = 2;
const DIMMS = 16;
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
      (files) =>
        new InventorySource(settings, { host, sys: '/sys', now, files, identity, dmi: async () => this.#dmi() }),
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
    const { gpus, gpuVendor, nics, bmc } = plan.world.host;
    const offBus = (one: { readonly bus?: boolean }): boolean => one.bus === false;
    const noGpu = inForce(changes, 'gpu_missing').filter(offBus).flatMap((one) => one.gpus); // biome-ignore format: one line
    const noNic = inForce(changes, 'nic_missing').filter(({ bus = false }) => !bus).flatMap((one) => one.nics); // biome-ignore format: one line
    const gpu = GPU[gpuVendor];
    for (const { index, address } of gpus) this.#place(address, gpu.vendor, gpu.type, !noGpu.includes(index));
    for (const { index, address, driver } of nics)
      this.#place(address, NIC_VENDOR[driver], NIC_TYPE[driver], !noNic.includes(index));
    const gone = inForce(changes, 'part_missing');
    for (let i = 0; i < DISKS; i += 1)
      this.#placeDisk(i, !gone.some(({ part, number }) => part === 'disk' && number === i + 1));
    if (bmc === null) return;
    const silent = inForce(changes, 'bmc_silent').length > 0;
    const removed = inForce(changes, 'psu_removed').map(({ supply }) => supply);
    const supplies = Array.from({ length: bmc.supplies }, (_, i) => i + 1).filter((slot) => !removed.includes(slot));
    const parts = supplies.map((slot): Part => ({ type: 'psu', slot: String(slot), serial: null, model: null }));
    this.#identity.supplies.saw(silent ? null : parts);
  }

  /** What firmware found when the host started. */
  #dmi(): Buffer {
    const { inForce: changes, plan } = this.#stage;
    const gone = inForce(changes, 'part_missing').flatMap(({ part, number }) => (part === 'dimm' ? [number] : []));
    const uuid = createHash('md5').update(plan.world.host.name).digest('hex');
    const modules = Array.from({ length: DIMMS }, (_, i) => {
      const there = !gone.includes(i + 1);
      const locator = `DIMM ${i + 1}`;
      const named = there ? { serial: `8A${1000 + i}`, part: 'M321R8GA0BB0' } : { serial: '', part: '' };
      return memoryDevice({ locator, bank: `BANK ${i + 1}`, sizeMb: there ? 32_000 : 0, ...named });
    });
    return smbiosTable(systemInformation(uuid, 'SIM'), ...modules);
  }

  #placeDisk(index: number, isThere: boolean): void {
    const folder = `/sys/class/nvme/nvme${index}`;
    this.#served.files.remove(folder);
    if (!isThere) return;
    const show = (file: string, text: string): void => this.#served.files.write(`${folder}/${file}`, text);
    show('transport', 'pcie');
    show('address', `0000:${(0x81 + index).toString(16)}:00.0`);
    show('serial', `S64GNE0T70${index}`);
    show('model', 'SAMSUNG MZQL23T8HCLS-00A07');
  }

  #place(address: string, vendor: string, type: string, isThere: boolean): void {
    const folder = `${DEVICES}/${address}`;
    this.#served.files.remove(folder);
    if (!isThere) return;
    this.#served.files.write(`${folder}/vendor`, vendor);
    this.#served.files.write(`${folder}/class`, type);
  }
}
