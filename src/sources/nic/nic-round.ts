// One card over the rounds: what is read of it becomes samples and events.

import type { KnownPorts } from '../../identity/parts/known-ports.ts';
import type { Component } from '../../model/component.ts';
import { seriesKey } from '../../model/reading.ts';
import type { EventInput } from '../../model/record.ts';
import { LOADED, MANAGEMENT_MAX_BIT_S, SLOW_ROUNDS } from './catalogue.ts';
import type { Nic } from './find-nics.ts';
import { nicComponent, pcieEvent, portEvent, rateEvent } from './nic-event.ts';
import type { Known } from './nic-plan.ts';
import type { NicReader, NicReading } from './nic-reader.ts';
import { PcieWatch } from './pcie-watch.ts';
import { PortWatch } from './port-watch.ts';
import { RateWatch } from './rate-watch.ts';
import { Unused } from './unused.ts';

export interface Sample {
  readonly key: string;
  readonly timeMs: number;
  readonly value: number;
}

export interface Round {
  readonly samples: readonly Sample[];
  readonly events: readonly EventInput[];
}

/** Which ports were up when they were read last, and how fast, over restarts and boots. */
export type PortMemory = Pick<KnownPorts, 'wasUp' | 'is' | 'rateWas' | 'rateIs' | 'usedCards'>;

export const NOTHING_KEPT: PortMemory = {
  wasUp: () => false,
  is: () => {},
  rateWas: () => null,
  rateIs: () => {},
  usedCards: () => new Map(),
};

export class NicRound {
  reader: NicReader;
  component: Component;
  readonly #host: string;
  readonly #configured: ReadonlySet<string>;
  readonly #ports = new Map<string, PortWatch>();
  readonly #rates = new Map<string, RateWatch>();
  readonly #pcie = new PcieWatch();
  readonly #unused = new Unused();
  readonly #now: () => number;
  readonly #memory: PortMemory;
  #fastest: number | null = null;
  #bytes: { timeMs: number; received: number; transmitted: number } | null = null;
  #round = 0;
  /** What follows from the texts of the last reading. */
  #held = new Map<string, number>();
  #rate: number | null = null;
  /** Whether the last slow round found anything that only it reads. */
  #asks = false;
  #settled = false;
  /** When it was read last, epoch ms on the steady clock. */
  lastMs: number;
  /** Counters of this card that count no more, as of the last round. */
  full: readonly string[] = [];
  /** Ports that were down in the last round. */
  down: readonly string[] = [];
  /** Its interfaces without a link since the driver made them, as of the last round. */
  neverUp: readonly string[] = [];

  constructor(
    reader: NicReader,
    host: string,
    configured: ReadonlySet<string>,
    now: () => number,
    memory: PortMemory = NOTHING_KEPT,
  ) {
    this.reader = reader;
    this.#memory = memory;
    this.#host = host;
    this.#configured = configured;
    this.#now = now;
    this.component = nicComponent(reader.nic, host);
    this.lastMs = now();
  }

  get nic(): Nic {
    return this.reader.nic;
  }

  /** Management: no RDMA, never faster than 10 Gbit/s, and not named in the configuration. */
  get role(): 'fabric' | 'management' {
    const { address, rdma, interfaces } = this.nic;
    if (rdma !== null || this.#configured.has(address)) return 'fabric';
    if (interfaces.some(({ name }) => this.#configured.has(name))) return 'fabric';
    return (this.#fastest ?? 0) > MANAGEMENT_MAX_BIT_S ? 'fabric' : 'management';
  }

  /** The card came back, or has other ports or interfaces than before. */
  replaced(reader: NicReader, returned: boolean): void {
    this.reader = reader;
    this.component = nicComponent(reader.nic, this.#host);
    this.#bytes = null;
    if (returned) for (const watch of this.#ports.values()) watch.returned();
  }

  async read(): Promise<Round> {
    const slow = this.#round % SLOW_ROUNDS === 0;
    this.#round += 1;
    const reading = await this.reader.read(slow);
    const nowMs = this.#now();
    this.lastMs = nowMs;
    const values = new Map<string, number>(reading.counters);
    this.#hold(reading);
    for (const [quantity, value] of this.#held) values.set(quantity, value);
    if (slow) this.full = reading.full;
    this.down = reading.ports.filter(({ state }) => state?.up === false).map(({ name }) => name);
    const load = this.#traffic(reading, nowMs, values);
    this.#unused.read(nowMs, allBytes(reading));
    const events = this.#portEvents(reading, nowMs);
    const wasUp = [...this.#ports.values()].some(({ everUp }) => everUp);
    this.neverUp = wasUp || this.down.length === 0 ? [] : await this.reader.neverUp();
    if (slow) events.push(...(await this.#slow(load, values)));
    const watches = [...this.#ports.values(), ...this.#rates.values()];
    this.#settled = slow && watches.every((watch) => watch.settled);
    return { samples: this.#samples(values, nowMs), events };
  }

  /** As the card is; null while its ports are on the move, or not all of it was read in the last round. */
  get known(): Known | null {
    if (!this.#settled) return null;
    const { address, rdma } = this.nic;
    return { component: `nic/${address}`, held: this.#held, rates: rdma !== null, bytes: this.#bytes };
  }

  /** Whether a slow round reads more of it than counters. */
  get asks(): boolean {
    return this.#asks;
  }

  /** What a slow round reads, while others read the rest; `bytesPerSecond` is the busier way of the last interval. */
  async readSlow(bytesPerSecond: number): Promise<Round> {
    const nowMs = this.#now();
    const values = this.reader.asksDriver ? await this.reader.byDriver() : new Map<string, number>();
    const events = await this.#slow(this.#load(bytesPerSecond), values);
    return { samples: this.#samples(values, nowMs), events };
  }

  /** Others read it for so many rounds, until `timeMs`, and found it as it was. */
  same(rounds: number, timeMs: number, received: number, transmitted: number): void {
    this.#round += rounds;
    this.lastMs = timeMs;
    for (const watch of this.#ports.values()) watch.same(timeMs);
    this.#bytes = Number.isNaN(received + transmitted) ? null : { timeMs, received, transmitted };
  }

  #portName(name: string): string {
    return `${this.nic.address} ${name}`;
  }

  #hold({ ports }: NicReading): void {
    this.#held = new Map();
    const rates = ports.map(({ rate }) => rate).filter((rate) => rate !== null);
    this.#rate = rates.length === 0 ? null : Math.max(...rates);
    if (this.#rate !== null) {
      this.#fastest = Math.max(this.#fastest ?? 0, this.#rate);
      this.#held.set('link_rate', Math.min(...rates));
    }
    const states = ports.map(({ state }) => state).filter((state) => state !== null);
    if (states.length > 0) this.#held.set('ports_up', states.filter(({ up }) => up).length);
  }

  #samples(values: ReadonlyMap<string, number>, timeMs: number): Sample[] {
    const component = `nic/${this.nic.address}`;
    return [...values].map(([quantity, value]) => ({ key: seriesKey(component, quantity), timeMs, value }));
  }

  #portEvents(reading: NicReading, nowMs: number): EventInput[] {
    const events: EventInput[] = [];
    for (const { name, state, timeMs, rate } of reading.ports) {
      if (state === null) continue;
      let watch = this.#ports.get(name);
      if (watch === undefined) {
        watch = new PortWatch(this.#memory.wasUp(this.#portName(name)));
        this.#ports.set(name, watch);
      }
      this.#memory.is(this.#portName(name), state.up);
      const edges = watch.update(state, timeMs);
      events.push(
        ...edges.map((edge) =>
          portEvent(edge, name, { role: this.role, unused: this.#unused.is }, this.component, nowMs),
        ),
      );
      if (rate !== null) events.push(...this.#slower(name, rate, nowMs));
    }
    return events;
  }

  /** Against what it was before this run. */
  #slower(name: string, rate: number, nowMs: number): EventInput[] {
    const port = this.#portName(name);
    const watch = this.#rates.get(name) ?? new RateWatch(this.#memory.rateWas(port));
    this.#rates.set(name, watch);
    this.#memory.rateIs(port, rate);
    const edge = watch.update(rate, nowMs);
    return edge === null ? [] : [rateEvent(edge, name, this.component, nowMs)];
  }

  /** Share of the link's rate that the last interval used; adds the rates of RDMA traffic, which no interface counts. */
  #traffic(reading: NicReading, timeMs: number, values: Map<string, number>): number {
    const { receivedBytes: received, transmittedBytes: transmitted } = reading;
    const before = this.#bytes;
    this.#bytes = received === null || transmitted === null ? null : { timeMs, received, transmitted };
    if (before === null || this.#bytes === null || timeMs <= before.timeMs) return 0;
    const seconds = (timeMs - before.timeMs) / 1000;
    const receiveRate = (this.#bytes.received - before.received) / seconds;
    const transmitRate = (this.#bytes.transmitted - before.transmitted) / seconds;
    if (receiveRate < 0 || transmitRate < 0) return 0; // the counters restarted
    if (this.nic.rdma !== null) {
      values.set('rdma_receive_rate', receiveRate);
      values.set('rdma_transmit_rate', transmitRate);
    }
    return this.#load(Math.max(receiveRate, transmitRate));
  }

  #load(bytesPerSecond: number): number {
    return this.#rate === null || Number.isNaN(bytesPerSecond) ? 0 : (bytesPerSecond * 8) / this.#rate;
  }

  async #slow(load: number, values: Map<string, number>): Promise<EventInput[]> {
    const sensors = await this.reader.sensors();
    this.#asks = this.reader.asksDriver || Object.values(sensors).some((value) => value !== null);
    if (sensors.temperature !== null) values.set('temperature', sensors.temperature);
    if (sensors.margin !== null) values.set('temperature_margin', sensors.margin);
    if (sensors.moduleTemperature !== null) values.set('module_temperature', sensors.moduleTemperature);
    if (sensors.moduleMargin !== null) values.set('module_temperature_margin', sensors.moduleMargin);
    if (this.role === 'management') return [];
    const link = await this.reader.pcie();
    const timeMs = this.#now();
    if (link === null) return [];
    this.#asks = true;
    values.set('pcie_width', link.width);
    values.set('pcie_speed', link.speed);
    const edge = this.#pcie.update(link, load >= LOADED, timeMs);
    return edge === null ? [] : [pcieEvent(edge, this.component, timeMs)];
  }
}

/** Null where its traffic is not known as a whole. */
function allBytes({ receivedBytes, transmittedBytes, interfaceBytes }: NicReading): number | null {
  if (receivedBytes === null || transmittedBytes === null || interfaceBytes === null) return null;
  return receivedBytes + transmittedBytes + interfaceBytes;
}
