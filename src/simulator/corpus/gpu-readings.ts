// What NVML reads of the GPUs beyond power, heat and clocks: use, memory and its errors, PCIe, NVLink, fabric.

import type { Component } from '../../model/component.ts';
import type { PlannedChange } from '../scenario/planned-change.ts';
import type { PlannedGpu } from '../scenario/world.ts';
import { Counters } from './served/counters.ts';
import { type Actor, inForce, poll, type Stage } from './stage.ts';

/** The groups of readings are read in turn, one of them about once in this time. */
const EVERY_MS = 1000;
const MEMORY_LIMIT_C = 95;
const USUAL_MEMORY_C = 72;
const USUAL_UTILIZATION = 0.97;
/** What card and slot can do. */
const FULL = { generation: 5, width: 16 };
/** nvml.h, nvmlDeviceGpuRecoveryAction_t. */
const RECOVERY = { reset: 1, reboot: 2, drain: 3, drain_reset: 4 } as const;
/** nvml.h, nvmlGpuFabricState_t. */
const FABRIC = { not_started: 1, in_progress: 2, completed: 3 } as const;
/** nvml.h, NVML_GPU_FABRIC_HEALTH_MASK_*: true and false of degraded bandwidth, of an unhealthy route. */
const HEALTH = { degraded: 0x1, whole: 0x2, routeBad: 0x10, routeGood: 0x20 } as const;

type Group = 'utilization' | 'memory_heat' | 'ecc' | 'remap' | 'pcie' | 'nvlink' | 'fabric' | 'recovery';

const GROUP_OF: Readonly<Partial<Record<PlannedChange['type'], Group>>> = {
  gpu_utilization: 'utilization',
  gpu_memory_temperature: 'memory_heat',
  gpu_ecc: 'ecc',
  gpu_remap: 'remap',
  gpu_pcie: 'pcie',
  gpu_nvlink: 'nvlink',
  gpu_fabric: 'fabric',
  gpu_recovery_action: 'recovery',
};

type Values = [quantity: string, value: number][];
type Of<T extends PlannedChange['type']> = Extract<PlannedChange, { type: T }>;

export class GpuReadings implements Actor {
  readonly #stage: Stage;
  readonly #groups: ReadonlySet<Group>;
  readonly #counters = new Counters();

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#groups = groupsOf(stage);
  }

  start(): void {
    this.#find();
    if (this.#groups.size === 0) return;
    poll(this.#stage, 'gpu readings', Math.max(EVERY_MS, this.#stage.plan.world.pollMs.gpu), (now) => this.#look(now));
  }

  restart(rebooted: boolean): void {
    if (rebooted) this.#counters.reset();
    this.#find();
  }

  begin(change: PlannedChange): void {
    if (change.type === 'gpu_ecc') {
      const place = change.place ?? 'dram';
      for (const gpu of change.gpus) {
        this.#counters.add(`${gpu} ecc_corrected`, change.corrected ?? 0);
        this.#counters.add(`${gpu} ecc_uncorrected`, change.uncorrected ?? 0);
        this.#counters.add(`${gpu} ecc_${place}_uncorrected`, change.uncorrected ?? 0);
      }
    }
    if (change.type === 'gpu_pcie')
      for (const gpu of change.gpus) {
        this.#counters.add(`${gpu} pcie_nonfatal`, change.nonfatal ?? 0);
        this.#counters.add(`${gpu} pcie_fatal`, change.fatal ?? 0);
      }
    if (change.type === 'gpu_nvlink' && change.counter !== undefined)
      for (const gpu of change.gpus)
        this.#counters.add(`${gpu}/${change.link} nvlink_${change.counter}`, change.by ?? 0);
  }

  changed(): void {
    const rates = new Map<string, number>();
    const grow = (name: string, rate = 0): void => void rates.set(name, (rates.get(name) ?? 0) + rate);
    const { inForce: changes } = this.#stage;
    for (const { gpus, corrected_per_second } of inForce(changes, 'gpu_ecc'))
      for (const gpu of gpus) grow(`${gpu} ecc_corrected`, corrected_per_second);
    for (const { gpus, replays_per_second } of inForce(changes, 'gpu_pcie'))
      for (const gpu of gpus) grow(`${gpu} pcie_replays`, replays_per_second);
    for (const { gpus, link, counter, per_second } of inForce(changes, 'gpu_nvlink'))
      for (const gpu of gpus) if (counter !== undefined) grow(`${gpu}/${link} nvlink_${counter}`, per_second);
    this.#counters.setRates(rates, this.#stage.now());
  }

  #find(): void {
    if (!this.#groups.has('nvlink')) return;
    const { name, gpus } = this.#stage.plan.world.host;
    for (const { address, nvlinks } of gpus) {
      const gpu: Component = { type: 'gpu', id: address, host: name };
      for (let link = 0; link < nvlinks; link += 1) {
        const component: Component = { type: 'nvlink', id: `${address}/${link}`, host: name, parent: `gpu/${address}` };
        const links = [{ from: gpu, to: component, relation: 'contains', source: 'host' }] as const;
        this.#stage.emit.discovery({ component, links });
      }
    }
  }

  #look(nowMs: number): void {
    const keys: string[] = [];
    const values: number[] = [];
    const add = (component: string, readings: Values): void => {
      for (const [quantity, value] of readings) {
        keys.push(`${component}#${quantity}`);
        values.push(value);
      }
    };
    for (const gpu of this.#stage.plan.world.host.gpus) {
      if (this.#isAway(gpu.index)) continue;
      add(`gpu/${gpu.address}`, this.#ofGpu(gpu, nowMs));
      if (this.#groups.has('nvlink'))
        for (let link = 0; link < gpu.nvlinks; link += 1)
          add(`nvlink/${gpu.address}/${link}`, this.#ofLink(gpu.index, link, nowMs));
    }
    if (keys.length === 0) return;
    const timesMs = keys.map(() => nowMs);
    this.#stage.emit.samples({ source: 'gpu', trust: 'driver', keys, timesMs, values });
  }

  /** The driver does not answer for it. */
  #isAway(index: number): boolean {
    const away = ['gpu_lost', 'gpu_hang', 'gpu_missing', 'gpu_reset'] as const;
    return away.some((type) => this.#of(type, index) !== undefined);
  }

  #ofGpu(gpu: PlannedGpu, nowMs: number): Values {
    const { index } = gpu;
    const count = (name: string): [string, number] => [
      name,
      Math.floor(this.#counters.value(`${index} ${name}`, nowMs)),
    ];
    const remap = inForce(this.#stage.inForce, 'gpu_remap').filter(({ gpus }) => gpus.includes(index));
    const is = (state: string): number => Number(remap.some((change) => change.state === state));
    const heat = this.#of('gpu_memory_temperature', index)?.to ?? gpu.memoryTemperatureC ?? USUAL_MEMORY_C;
    const pcie = this.#together('gpu_pcie', index);
    const fabric = this.#together('gpu_fabric', index);
    const recovery = this.#of('gpu_recovery_action', index);
    const health =
      (fabric.degraded === true ? HEALTH.degraded : HEALTH.whole) |
      (fabric.route_unhealthy === true ? HEALTH.routeBad : HEALTH.routeGood);
    const by: Record<Group, Values> = {
      utilization: [['utilization', this.#of('gpu_utilization', index)?.to ?? gpu.utilization ?? USUAL_UTILIZATION]],
      memory_heat: [
        ['memory_temperature', heat],
        ['margin_memory', MEMORY_LIMIT_C - heat],
      ],
      ecc: [
        count('ecc_corrected'),
        count('ecc_uncorrected'),
        count('ecc_dram_uncorrected'),
        count('ecc_sram_uncorrected'),
        ['ecc_sram_threshold', Number(this.#together('gpu_ecc', index).threshold === true)],
      ],
      remap: [
        ['remap_pending', is('pending')],
        ['remap_failed', is('failed')],
        ['remap_banks_none', is('no_spares')],
      ],
      pcie: [
        ['pcie_generation', pcie.generation ?? FULL.generation],
        ['pcie_width', pcie.width ?? FULL.width],
        ['pcie_generation_max', FULL.generation],
        ['pcie_width_max', FULL.width],
        count('pcie_replays'),
        count('pcie_nonfatal'),
        count('pcie_fatal'),
      ],
      nvlink: [],
      fabric: [
        ['fabric_state', FABRIC[fabric.state ?? 'completed']],
        ['fabric_status', Number(fabric.failed === true)],
        ['fabric_health', health],
      ],
      recovery: [['recovery_action', recovery === undefined ? 0 : RECOVERY[recovery.action]]],
    };
    return [...this.#groups].flatMap((group) => by[group]);
  }

  #ofLink(gpu: number, link: number, nowMs: number): Values {
    const changes = inForce(this.#stage.inForce, 'gpu_nvlink').filter(
      (change) => change.link === link && change.gpus.includes(gpu),
    );
    const counted = this.#stage.plan.steps.flatMap(({ change }) =>
      change.type === 'gpu_nvlink' && change.counter !== undefined ? [`nvlink_${change.counter}`] : [],
    );
    return [
      ['nvlink_state', changes.some(({ down }) => down === true) ? 0 : 1],
      ...[...new Set(counted)].map((name): [string, number] => [
        name,
        Math.floor(this.#counters.value(`${gpu}/${link} ${name}`, nowMs)),
      ]),
    ];
  }

  /** What all changes of the type that are in force for the GPU say of it: of the same quantity the last one. */
  #together<T extends 'gpu_pcie' | 'gpu_fabric' | 'gpu_ecc'>(type: T, gpu: number): Partial<Of<T>> {
    return Object.assign(
      {},
      ...inForce(this.#stage.inForce, type).filter((change) => 'gpus' in change && change.gpus.includes(gpu)),
    );
  }

  /** The last change of the type that is in force for the GPU. */
  #of<T extends 'gpu_lost' | 'gpu_hang' | keyof typeof GROUP_OF>(type: T, gpu: number): Of<T> | undefined {
    return inForce(this.#stage.inForce, type)
      .filter((change) => 'gpus' in change && change.gpus.includes(gpu))
      .at(-1);
  }
}

/** Only what the scenario speaks of is read: each group of eight GPUs costs time. A degraded link shows under load alone. */
function groupsOf({ plan }: Stage): ReadonlySet<Group> {
  const groups = new Set<Group>();
  if (plan.world.host.gpus.some(({ utilization }) => utilization !== null)) groups.add('utilization');
  if (plan.world.host.gpus.some(({ memoryTemperatureC }) => memoryTemperatureC !== null)) groups.add('memory_heat');
  if (plan.world.host.gpus.some(({ nvlinks }) => nvlinks > 0)) groups.add('nvlink');
  for (const { change } of plan.steps) {
    const group = GROUP_OF[change.type];
    if (group !== undefined) groups.add(group);
    if (group === 'pcie') groups.add('utilization');
  }
  return groups;
}
