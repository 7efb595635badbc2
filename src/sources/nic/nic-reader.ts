// One round of readings of one network card: its ports, counters, and now and then its temperature and PCIe link.

import { basename, dirname, join } from 'node:path';
import type { KernelEcho } from '../files/kernel-echo.ts';
import { parseCounter, temperatureC } from '../files/sentinel.ts';
import type { SmallFiles } from '../files/small-files.ts';
import {
  CHIP_LIMIT_C,
  type Counter,
  INTERFACE_COUNTERS,
  LINK_DOWNED,
  MODULE_LIMIT_C,
  PORT_COUNTERS,
} from './catalogue.ts';
import { addEthtool, type ReadEthtool } from './ethtool.ts';
import type { Nic } from './find-nics.ts';
import type { LastReading } from './nic-plan.ts';
import type { PcieLink } from './pcie-watch.ts';
import type { PortState } from './port-watch.ts';
import {
  interfaceRate,
  isActive,
  linkRate,
  PHYSICAL_DISABLED,
  pcieSpeed,
  pcieWidth,
  stateNumber,
  wantedUp,
} from './values.ts';

const MAX_SENSORS = 32;
/** port_rcv_data and port_xmit_data count in units of four octets (InfiniBand specification, PortCounters). */
const DATA_UNIT_BYTES = 4;
const RECEIVED = 'counters/port_rcv_data';
const TRANSMITTED = 'counters/port_xmit_data';

export interface PortReading {
  /** "mlx5_0/1" or the name of the interface. */
  readonly name: string;
  /** Null where the port does not say whether it is up. */
  readonly state: PortState | null;
  readonly timeMs: number;
  /** bit/s while it is up. */
  readonly rate: number | null;
}

export interface NicReading {
  readonly ports: readonly PortReading[];
  /** By quantity, the ports together. */
  readonly counters: ReadonlyMap<string, number>;
  readonly receivedBytes: number | null;
  readonly transmittedBytes: number | null;
  /** What its interfaces received and sent: over Ethernet an RDMA port counts nothing but RDMA. */
  readonly interfaceBytes: number | null;
  /** Counters that stand at the end of their range and count no more. */
  readonly full: readonly string[];
}

export interface NicSensors {
  readonly temperature: number | null;
  /** Degrees below the limit. */
  readonly margin: number | null;
  readonly moduleTemperature: number | null;
  readonly moduleMargin: number | null;
}

interface Sums {
  /** Whether what only the slow lane reads is read as well. */
  readonly slow: boolean;
  readonly counters: Map<string, number>;
  readonly full: string[];
  receivedBytes: number | null;
  transmittedBytes: number | null;
}

/** Interface of a port, null where it has none of its own (InfiniBand). */
type Port = { readonly folder: string; readonly name: string; readonly interface: string | null };

export class NicReader {
  readonly nic: Nic;
  readonly #files: SmallFiles;
  readonly #now: () => number;
  readonly #echo: KernelEcho;
  readonly #errors: RegExp;
  readonly #ethtool: ReadEthtool | null;
  #ports: readonly Port[] | null = null;
  /** Texts that the last reading followed from, by path; null where there was none. */
  #seen = new Map<string, string | null>();
  #full = new Set<string>();
  /** Speed is a command to the card: asked once for each time that the link comes up. */
  readonly #speeds = new Map<string, { downs: number | null; rate: number | null }>();

  constructor(nic: Nic, files: SmallFiles, echo: KernelEcho, now: () => number, ethtool: ReadEthtool | null = null) {
    this.nic = nic;
    this.#ethtool = ethtool;
    this.#files = files;
    this.#echo = echo;
    this.#now = now;
    // "mlx5_core 0000:d2:00.0: mlx5_cmd_out_err: … ACCESS_REG(0x805) … failed"
    this.#errors = new RegExp(`^\\S{1,56} ${nic.address.replaceAll('.', '\\.')}.*(?:failed|error|timeout)`, 'i');
  }

  /** `slow`: also what nothing is detected on. */
  read(slow: boolean): Promise<NicReading> {
    return this.#files.together(`${this.nic.address} ${slow}`, () => this.#read(slow));
  }

  async #read(slow: boolean): Promise<NicReading> {
    const sums: Sums = { slow, counters: new Map(), full: [], receivedBytes: null, transmittedBytes: null };
    const ports: PortReading[] = [];
    this.#seen = new Map();
    this.#full = new Set();
    this.#ports ??= await this.#findPorts();
    for (const port of this.#ports) ports.push(await this.#rdmaPort(port, sums));
    if (this.nic.ports.length === 0) {
      for (const one of this.nic.interfaces) ports.push(await this.#interfacePort(one.name, one.folder, sums));
    }
    const { counters, full, receivedBytes, transmittedBytes } = sums;
    return { ports, counters, full, receivedBytes, transmittedBytes, interfaceBytes: await this.#interfaceBytes() };
  }

  async #interfaceBytes(): Promise<number | null> {
    let sum = 0;
    for (const { folder } of this.nic.interfaces) {
      for (const name of ['rx_bytes', 'tx_bytes']) {
        const bytes = parseCounter(await this.#files.read(join(folder, 'statistics', name)));
        if (bytes === null) return null;
        sum += bytes;
      }
    }
    return sum;
  }

  /** As the last reading left it. */
  get last(): LastReading {
    const seen = { seen: this.#seen, full: this.#full };
    if (this.nic.ports.length > 0) {
      const ports = (this.#ports ?? []).map(({ folder }) => {
        const [received, transmitted] = [join(folder, RECEIVED), join(folder, TRANSMITTED)];
        return { folder, counters: PORT_COUNTERS, received, transmitted };
      });
      return { ...seen, ports, unit: DATA_UNIT_BYTES };
    }
    const ports = this.nic.interfaces.map(({ folder }) => {
      const [received, transmitted] = [join(folder, 'statistics/rx_bytes'), join(folder, 'statistics/tx_bytes')];
      return { folder, counters: INTERFACE_COUNTERS, received, transmitted };
    });
    return { ...seen, ports, unit: 1 };
  }

  /** Whether any port is asked through ethtool. */
  get asksDriver(): boolean {
    const asked = (folder: string) => this.#files.refusal(ethtoolPath(folder)) === undefined;
    return (
      this.#ethtool !== null && (this.#ports ?? []).some((port) => port.interface !== null && asked(port.interface))
    );
  }

  /** What the drivers of the ports count by themselves, by quantity, the ports together. */
  async byDriver(): Promise<Map<string, number>> {
    const counters = new Map<string, number>();
    for (const port of this.#ports ?? []) if (port.interface !== null) await this.#byEthtool(port.interface, counters);
    return counters;
  }

  /** Interfaces that had no link since the driver made them (net-sysfs.c: counted at each change, without a question to the card). */
  async neverUp(): Promise<string[]> {
    const found: string[] = [];
    for (const { name, folder } of this.nic.interfaces)
      if (parseCounter(await this.#files.read(join(folder, 'carrier_up_count'))) === 0) found.push(name);
    return found;
  }

  async sensors(): Promise<NicSensors> {
    const chip = { temperature: null as number | null, margin: null as number | null };
    const module = { temperature: null as number | null, margin: null as number | null };
    const folder = join(this.nic.device, 'hwmon');
    for (const name of (await this.#files.list(folder)) ?? []) {
      const sensors = (await this.#files.list(join(folder, name))) ?? [];
      for (const file of sensors.filter((one) => /^temp\d{1,3}_input$/.test(one)).slice(0, MAX_SENSORS)) {
        const base = join(folder, name, file.slice(0, -'_input'.length));
        const value = temperatureC(await this.#sensor(`${base}_input`));
        if (value === null) continue;
        const label = (await this.#files.read(`${base}_label`)) ?? '';
        const own = temperatureC(await this.#files.read(`${base}_crit`));
        const of = /module/i.test(label) ? module : chip;
        const limit = own !== null && own > 0 ? own : of === module ? MODULE_LIMIT_C : CHIP_LIMIT_C;
        of.temperature = Math.max(of.temperature ?? value, value);
        of.margin = Math.min(of.margin ?? limit - value, limit - value);
      }
    }
    return {
      temperature: chip.temperature,
      margin: chip.margin,
      moduleTemperature: module.temperature,
      moduleMargin: module.margin,
    };
  }

  /** A sensor behind a command to the card's firmware, which the kernel tells when the card refuses. */
  async #sensor(path: string): Promise<string | null> {
    this.#echo.begins(path, this.#errors, this.#now());
    const text = await this.#files.read(path);
    this.#echo.ends(path, this.#now());
    return text;
  }

  /** Null where card or slot do not say what they can: then nothing can be under it. */
  pcie(): Promise<PcieLink | null> {
    return this.#files.together(`${this.nic.address} pcie`, () => this.#pcie());
  }

  async #pcie(): Promise<PcieLink | null> {
    const one = async (folder: string, name: string) => this.#files.read(join(folder, name));
    const { device } = this.nic;
    const slot = dirname(device);
    const speed = pcieSpeed(await one(device, 'current_link_speed'));
    const width = pcieWidth(await one(device, 'current_link_width'));
    const speeds = [pcieSpeed(await one(device, 'max_link_speed')), pcieSpeed(await one(slot, 'max_link_speed'))];
    const widths = [pcieWidth(await one(device, 'max_link_width')), pcieWidth(await one(slot, 'max_link_width'))];
    const fullSpeed = least(speeds);
    const fullWidth = least(widths);
    if (speed === null || width === null || fullSpeed === null || fullWidth === null) return null;
    return { speed, width, fullSpeed, fullWidth };
  }

  async #findPorts(): Promise<Port[]> {
    const found: Port[] = [];
    for (const folder of this.nic.ports) {
      const number = folder.slice(folder.lastIndexOf('/') + 1);
      const ethernet = (await this.#files.read(join(folder, 'link_layer'))) === 'Ethernet';
      let owner: string | null = null;
      for (const one of ethernet ? this.nic.interfaces : []) {
        const port = parseCounter(await this.#files.read(join(one.folder, 'dev_port')));
        if (port === Number(number) - 1 || this.nic.interfaces.length === 1) owner ??= one.folder;
      }
      found.push({ folder, name: `${this.nic.rdma}/${number}`, interface: owner });
    }
    return found;
  }

  async #rdmaPort(port: Port, sums: Sums): Promise<PortReading> {
    const state = await this.#tells(join(port.folder, 'state'));
    const timeMs = this.#now();
    const number = stateNumber(state);
    const up = number !== null && isActive(number);
    const physical = up ? null : await this.#tells(join(port.folder, 'phys_state'));
    const rate = up ? linkRate(await this.#tells(join(port.folder, 'rate'))) : null;
    const counted = await this.#count(port.folder, PORT_COUNTERS, sums);
    if (sums.slow && port.interface !== null) await this.#byEthtool(port.interface, sums.counters);
    const data = (name: string) => this.#files.read(join(port.folder, name));
    sums.receivedBytes = plus(sums.receivedBytes, parseCounter(await data(RECEIVED)), DATA_UNIT_BYTES);
    sums.transmittedBytes = plus(sums.transmittedBytes, parseCounter(await data(TRANSMITTED)), DATA_UNIT_BYTES);
    if (number === null) return { name: port.name, state: null, timeMs, rate: null };
    // Over Ethernet the physical state is "Disabled" whenever there is no carrier: only the interface knows the order.
    const byOrder =
      port.interface === null ? stateNumber(physical) === PHYSICAL_DISABLED : await this.#isShut(port.interface);
    const downs =
      port.interface === null ? (counted.get(LINK_DOWNED) ?? null) : await this.#carrierDowns(port.interface);
    const text = (physical === null ? `${state}` : `${state}, physical ${physical}`).slice(0, 120);
    return { name: port.name, state: { up, byOrder: !up && byOrder, downs, text }, timeMs, rate };
  }

  async #interfacePort(name: string, folder: string, sums: Sums): Promise<PortReading> {
    const state = await this.#tells(join(folder, 'operstate'));
    const timeMs = this.#now();
    const downs = await this.#carrierDowns(folder);
    await this.#count(folder, INTERFACE_COUNTERS, sums);
    const data = (file: string) => this.#files.read(join(folder, 'statistics', file));
    sums.receivedBytes = plus(sums.receivedBytes, parseCounter(await data('rx_bytes')), 1);
    sums.transmittedBytes = plus(sums.transmittedBytes, parseCounter(await data('tx_bytes')), 1);
    // "unknown": the driver does not keep it.
    if (state === null || state === 'unknown') return { name, state: null, timeMs, rate: null };
    const up = state === 'up';
    const rate = up ? await this.#speed(folder, downs) : null;
    const byOrder = !up && (await this.#isShut(folder));
    return { name, state: { up, byOrder, downs, text: state.slice(0, 120) }, timeMs, rate };
  }

  /** Each is a command to the card's firmware under the lock of the kernel's network: seldom, and never again once refused. */
  async #byEthtool(folder: string, counters: Map<string, number>): Promise<void> {
    const ethtool = this.#ethtool;
    if (ethtool === null) return;
    const path = ethtoolPath(folder);
    this.#echo.begins(path, this.#errors, this.#now());
    await this.#files.answer(path, () => addEthtool(ethtool, basename(folder), counters));
    this.#echo.ends(path, this.#now());
  }

  async #speed(folder: string, downs: number | null): Promise<number | null> {
    const known = this.#speeds.get(folder);
    if (known !== undefined && known.downs === downs) return known.rate;
    const rate = interfaceRate(await this.#files.read(join(folder, 'speed')));
    this.#speeds.set(folder, { downs, rate });
    return rate;
  }

  async #isShut(folder: string): Promise<boolean> {
    return wantedUp(await this.#tells(join(folder, 'flags'))) === false;
  }

  async #carrierDowns(folder: string): Promise<number | null> {
    const downs = parseCounter(await this.#tells(join(folder, 'carrier_down_count')));
    if (downs !== null) return downs;
    const changes = parseCounter(await this.#tells(join(folder, 'carrier_changes')));
    return changes === null ? null : Math.floor(changes / 2);
  }

  async #tells(path: string): Promise<string | null> {
    const text = await this.#files.read(path);
    this.#seen.set(path, text);
    return text;
  }

  /** Reads counters, adds them to the card's, and gives those of this port that still count. */
  async #count(folder: string, counters: readonly Counter[], sums: Sums): Promise<Map<string, number>> {
    const own = new Map<string, number>();
    for (const { file, quantity, limit, slow } of counters) {
      if (slow && !sums.slow) continue;
      const path = join(folder, file);
      const value = parseCounter(await (quantity === LINK_DOWNED ? this.#tells(path) : this.#files.read(path)));
      if (value === null) continue;
      sums.counters.set(quantity, (sums.counters.get(quantity) ?? 0) + value);
      if (value === limit) {
        sums.full.push(file);
        this.#full.add(path);
      } else own.set(quantity, value);
    }
    return own;
  }
}

function ethtoolPath(folder: string): string {
  return join(folder, 'ethtool statistics');
}

function plus(sum: number | null, value: number | null, unit: number): number | null {
  return value === null ? sum : (sum ?? 0) + value * unit;
}

function least(values: readonly (number | null)[]): number | null {
  return values.reduce((a, b) => (a === null || b === null ? null : Math.min(a, b)), Number.POSITIVE_INFINITY);
}
