// One card over the rounds: what is read of it becomes samples and events.

import type { Component } from '../../model/component.ts';
import { seriesKey } from '../../model/reading.ts';
import type { EventInput } from '../../model/record.ts';
import { LOADED, MANAGEMENT_MAX_BIT_S, SLOW_ROUNDS } from './catalogue.ts';
import type { Nic } from './find-nics.ts';
import { nicComponent, pcieEvent, portEvent } from './nic-event.ts';
import type { NicReader, NicReading } from './nic-reader.ts';
import { PcieWatch } from './pcie-watch.ts';
import { PortWatch } from './port-watch.ts';

export interface Sample {
  readonly key: string;
  readonly timeMs: number;
  readonly value: number;
}

export interface Round {
  readonly samples: readonly Sample[];
  readonly events: readonly EventInput[];
}

export class NicRound {
  reader: NicReader;
  component: Component;
  readonly #host: string;
  readonly #configured: ReadonlySet<string>;
  readonly #ports = new Map<string, PortWatch>();
  readonly #pcie = new PcieWatch();
  readonly #now: () => number;
  #fastest: number | null = null;
  #bytes: { timeMs: number; received: number; transmitted: number } | null = null;
  #round = 0;
  /** When it was read last, epoch ms on the steady clock. */
  lastMs: number;
  /** Counters of this card that count no more, as of the last round. */
  full: readonly string[] = [];
  /** Ports that were down in the last round. */
  down: readonly string[] = [];

  constructor(reader: NicReader, host: string, configured: ReadonlySet<string>, now: () => number) {
    this.reader = reader;
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
    const rates = reading.ports.map(({ rate }) => rate).filter((rate) => rate !== null);
    const rate = rates.length === 0 ? null : Math.max(...rates);
    if (rate !== null) {
      this.#fastest = Math.max(this.#fastest ?? 0, rate);
      values.set('link_rate', Math.min(...rates));
    }
    const states = reading.ports.map(({ state }) => state).filter((state) => state !== null);
    if (states.length > 0) values.set('ports_up', states.filter(({ up }) => up).length);
    if (slow) this.full = reading.full;
    this.down = reading.ports.filter(({ state }) => state?.up === false).map(({ name }) => name);
    const load = this.#traffic(reading, rate, nowMs, values);
    const events = this.#portEvents(reading, nowMs);
    if (slow) events.push(...(await this.#slow(load, values)));
    const samples: Sample[] = [];
    const { address } = this.nic;
    for (const [quantity, value] of values) {
      samples.push({ key: seriesKey(`nic/${address}`, quantity), timeMs: nowMs, value });
    }
    return { samples, events };
  }

  #portEvents(reading: NicReading, nowMs: number): EventInput[] {
    const events: EventInput[] = [];
    for (const { name, state, timeMs } of reading.ports) {
      if (state === null) continue;
      let watch = this.#ports.get(name);
      if (watch === undefined) {
        watch = new PortWatch();
        this.#ports.set(name, watch);
      }
      const edges = watch.update(state, timeMs);
      events.push(...edges.map((edge) => portEvent(edge, name, this.role, this.component, nowMs)));
    }
    return events;
  }

  /** Share of the link's rate that the last interval used; adds the rates of RDMA traffic, which no interface counts. */
  #traffic(reading: NicReading, rate: number | null, timeMs: number, values: Map<string, number>): number {
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
    return rate === null ? 0 : (Math.max(receiveRate, transmitRate) * 8) / rate;
  }

  async #slow(load: number, values: Map<string, number>): Promise<EventInput[]> {
    const sensors = await this.reader.sensors();
    if (sensors.temperature !== null) values.set('temperature', sensors.temperature);
    if (sensors.margin !== null) values.set('temperature_margin', sensors.margin);
    if (sensors.moduleTemperature !== null) values.set('module_temperature', sensors.moduleTemperature);
    if (sensors.moduleMargin !== null) values.set('module_temperature_margin', sensors.moduleMargin);
    if (this.role === 'management') return [];
    const link = await this.reader.pcie();
    const timeMs = this.#now();
    if (link === null) return [];
    values.set('pcie_width', link.width);
    values.set('pcie_speed', link.speed);
    const edge = this.#pcie.update(link, load >= LOADED, timeMs);
    return edge === null ? [] : [pcieEvent(edge, this.component, timeMs)];
  }
}
