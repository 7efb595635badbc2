// Network cards of an accuracy run: the real source reads their files, which a tree in memory serves.

import { Identity } from '../../identity/identity.ts';
import { NicSource } from '../../sources/nic/nic-source.ts';
import type { PlannedChange } from '../scenario/planned-change.ts';
import type { PlannedNic } from '../scenario/world.ts';
import { Counters } from './served/counters.ts';
import { ethtoolOf, interfaceOf, type NicState, removeNic, writeNic } from './served/nic-tree.ts';
import { ServedSource } from './served/served-source.ts';
import { type Actor, inForce, type Stage } from './stage.ts';

const USUAL_TRAFFIC = 0.3;
const USUAL = { chipC: 68, moduleC: 52, speed: 32, width: 16 };

export class Nics implements Actor {
  readonly #stage: Stage;
  readonly #nics: readonly PlannedNic[];
  readonly #served: ServedSource;
  readonly #counters = new Counters();
  readonly #missing = new Set<number>();

  constructor(stage: Stage) {
    this.#stage = stage;
    const { host, pollMs } = stage.plan.world;
    this.#nics = host.nics;
    const settings = { enabled: 'on', intervalMs: pollMs.nic, fabric: [] } as const;
    const ethtool = async (name: string, names: readonly string[]) => {
      const nic = this.#nics.find((one) => interfaceOf(one) === name);
      return ethtoolOf({ counter: (counter) => this.#count(nic?.index ?? 0, counter) }, names);
    };
    // What is remembered of ports outlives the daemon, as the file in the state folder does.
    const { ports } = new Identity(host.name, { now: () => stage.now() }).parts;
    const given = { host: host.name, sys: '/sys', now: () => stage.now(), ethtool, ports };
    this.#served = new ServedSource(stage, (files) => new NicSource(settings, { ...given, files }));
  }

  start(): void {
    if (this.#nics.length === 0) return;
    for (const nic of this.#nics) this.#write(nic);
    this.changed();
    this.#served.start('nic', this.#stage.plan.world.pollMs.nic);
  }

  restart(rebooted: boolean): void {
    if (this.#nics.length === 0) return;
    if (rebooted) this.#counters.reset();
    this.#served.restart();
  }

  stop(): void {
    this.#served.stop();
  }

  begin(change: PlannedChange): void {
    if (!('nics' in change)) return;
    for (const index of change.nics) {
      if (change.type === 'nic_counter') this.#counters.add(`${index} ${change.counter}`, change.by ?? 0);
      if (change.type === 'nic_drops') this.#counters.add(`${index} link_downed`, change.times);
      if (change.type === 'nic_port') this.#counters.add(`${index} link_downed`, 1);
    }
  }

  changed(): void {
    const { inForce: changes } = this.#stage;
    const rates = new Map<string, number>();
    for (const { index } of this.#nics) {
      const { up, rateGbit } = this.#state(index);
      const share = inForce(changes, 'nic_traffic').filter(({ nics }) => nics.includes(index)).at(-1)?.to; // biome-ignore format: one line
      if (up) rates.set(`${index} bytes`, ((share ?? USUAL_TRAFFIC) * rateGbit * 1e9) / 8);
    }
    for (const { nics, counter, per_second = 0 } of inForce(changes, 'nic_counter'))
      for (const index of nics) rates.set(`${index} ${counter}`, (rates.get(`${index} ${counter}`) ?? 0) + per_second);
    this.#counters.setRates(rates, this.#stage.now());
    this.#place();
  }

  /** Takes cards out of the tree, and puts them back. */
  #place(): void {
    const gone = new Map(
      inForce(this.#stage.inForce, 'nic_missing').flatMap(({ nics, bus = false }) =>
        nics.map((index): [number, boolean] => [index, bus]),
      ),
    );
    for (const nic of this.#nics) {
      const onBus = gone.get(nic.index);
      if (onBus !== undefined && !this.#missing.has(nic.index)) {
        this.#missing.add(nic.index);
        removeNic(this.#served.files, nic, onBus);
      } else if (onBus === undefined && this.#missing.delete(nic.index)) this.#write(nic);
    }
  }

  #write(nic: PlannedNic): void {
    const { index } = nic;
    writeNic(this.#served.files, nic, { state: () => this.#state(index), counter: (name) => this.#count(index, name) });
  }

  #count(index: number, name: string): number {
    return Math.floor(this.#counters.value(`${index} ${name}`, this.#stage.now()));
  }

  #state(index: number): NicState {
    const { inForce: changes } = this.#stage;
    const of = <T extends 'nic_port' | 'nic_rate' | 'nic_temperature' | 'nic_pcie'>(type: T) =>
      inForce(changes, type).filter((change) => 'nics' in change && change.nics.includes(index));
    const port = of('nic_port').at(-1)?.state;
    const heat = (place: 'chip' | 'module'): number | undefined =>
      of('nic_temperature').filter((change) => (change.of ?? 'chip') === place).at(-1)?.to; // biome-ignore format: one line
    const pcie = of('nic_pcie').at(-1);
    return {
      up: port === undefined,
      shut: port === 'shut',
      rateGbit: of('nic_rate').at(-1)?.to ?? this.#nics[index]?.rateGbit ?? 0,
      chipC: heat('chip') ?? USUAL.chipC,
      moduleC: heat('module') ?? USUAL.moduleC,
      speed: pcie?.speed ?? USUAL.speed,
      width: pcie?.width ?? USUAL.width,
    };
  }
}
