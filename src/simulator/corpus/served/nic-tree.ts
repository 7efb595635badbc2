// The network cards of a simulated host as sysfs shows them: ports, counters, sensors, PCIe links.

import { ETHTOOL_COUNTERS, PORT_COUNTERS } from '../../../sources/nic/catalogue.ts';
import type { PlannedNic } from '../../scenario/world.ts';
import type { MemoryFiles } from './memory-files.ts';

/** What a card is like at one moment. */
export interface NicState {
  readonly up: boolean;
  /** Shut down by order. */
  readonly shut: boolean;
  readonly rateGbit: number;
  readonly chipC: number;
  readonly moduleC: number;
  readonly speed: number;
  readonly width: number;
}

export interface CardView {
  state(): NicState;
  /** Whole number of a counter by its own name. */
  counter(name: string): number;
}

const SYS = '/sys';
const CHIP_LIMIT_C = 105;
const MODULE_LIMIT_C = 75;
/** GT/s and lanes of card and slot. */
const FULL = { speed: 32, width: 16 };
/** IBTA: names of the rates of four lanes. */
const RATES: readonly (readonly [gbit: number, name: string])[] = [[1600, 'GDR'], [800, 'XDR'], [400, 'NDR'], [200, 'HDR'], [100, 'EDR'], [0, 'FDR']]; // biome-ignore format: a table

export const NIC_VENDOR = { mlx5: '0x15b3', bnxt: '0x14e4', efa: '0x1d0f' } as const;
const DRIVER = { mlx5: 'mlx5_core', bnxt: 'bnxt_en', efa: 'efa' } as const;
const LAYER = { infiniband: 'InfiniBand', ethernet: 'Ethernet', unspecified: 'Unspecified' } as const;

/** Folder of the card's PCI function. */
export function deviceFolder({ address }: PlannedNic): string {
  return `${SYS}/devices/pci0000:${address.slice(5, 7)}/0000:${address.slice(5, 7)}:00.0/${address}`;
}

/** Adds the card to the tree. */
export function writeNic(files: MemoryFiles, nic: PlannedNic, view: CardView): void {
  const device = deviceFolder(nic);
  const slot = device.slice(0, device.lastIndexOf('/'));
  const rdma = `${SYS}/class/infiniband/${nic.name}`;
  files.write(`${device}/vendor`, NIC_VENDOR[nic.driver]);
  files.symlink(`${SYS}/bus/pci/devices/${nic.address}`, device);
  files.symlink(`${device}/driver`, `${SYS}/bus/pci/drivers/${DRIVER[nic.driver]}`);
  files.symlink(`${rdma}/device`, device);
  files.write(`${device}/current_link_speed`, () => `${view.state().speed.toFixed(1)} GT/s PCIe`);
  files.write(`${device}/current_link_width`, () => String(view.state().width));
  for (const folder of [device, slot]) {
    files.write(`${folder}/max_link_speed`, `${FULL.speed.toFixed(1)} GT/s PCIe`);
    files.write(`${folder}/max_link_width`, String(FULL.width));
  }
  if (nic.driver === 'mlx5') writeSensors(files, device, view);
  writePort(files, nic, `${rdma}/ports/1`, view);
  if (nic.link === 'ethernet') writeInterface(files, nic, device, view);
}

function writeSensors(files: MemoryFiles, device: string, view: CardView): void {
  const sensors = `${device}/hwmon/hwmon4`;
  const celsius = (of: 'chipC' | 'moduleC') => () => String(Math.round(view.state()[of] * 1000));
  files.write(`${sensors}/temp1_input`, celsius('chipC'));
  files.write(`${sensors}/temp1_label`, 'asic');
  files.write(`${sensors}/temp1_crit`, String(CHIP_LIMIT_C * 1000));
  files.write(`${sensors}/temp2_input`, celsius('moduleC'));
  files.write(`${sensors}/temp2_label`, 'Module0');
  files.write(`${sensors}/temp2_crit`, String(MODULE_LIMIT_C * 1000));
}

/** The names of the card go; its PCI function stays where `onBus`, without a driver. */
export function removeNic(files: MemoryFiles, nic: PlannedNic, onBus: boolean): void {
  files.remove(`${SYS}/class/infiniband/${nic.name}`);
  files.remove(`${SYS}/class/net/${interfaceOf(nic)}`);
  files.remove(`${deviceFolder(nic)}/driver`);
  if (onBus) return;
  files.remove(`${SYS}/bus/pci/devices/${nic.address}`);
  files.remove(deviceFolder(nic));
}

export function interfaceOf({ index }: PlannedNic): string {
  return `eth${index}`;
}

/** What ethtool says of the interface of a card. */
export function ethtoolOf(view: Pick<CardView, 'counter'>, names: readonly string[]): Float64Array {
  const known = new Set(ETHTOOL_COUNTERS.map(({ name }) => name));
  return Float64Array.from(names, (name) => (known.has(name) ? view.counter(name) : Number.NaN));
}

function writePort(files: MemoryFiles, nic: PlannedNic, port: string, view: CardView): void {
  const ethernet = nic.link === 'ethernet';
  files.write(`${port}/link_layer`, LAYER[nic.link]);
  files.write(`${port}/state`, () => (view.state().up ? '4: ACTIVE' : '1: DOWN'));
  files.write(`${port}/phys_state`, () => {
    const { up, shut } = view.state();
    // Over Ethernet the physical state is "Disabled" whenever there is no carrier.
    return up ? '5: LinkUp' : shut || ethernet ? '3: Disabled' : '2: Polling';
  });
  files.write(`${port}/rate`, () => {
    const { rateGbit } = view.state();
    const name = RATES.find(([from]) => rateGbit >= from)?.[1] ?? 'FDR';
    return `${rateGbit} Gb/sec (4X ${name})`;
  });
  // Others count by names of their own, which nothing reads.
  if (nic.driver !== 'mlx5') return;
  for (const { file, limit } of PORT_COUNTERS) {
    const name = file.slice(file.lastIndexOf('/') + 1);
    files.write(`${port}/${file}`, () => String(Math.min(limit ?? Number.MAX_SAFE_INTEGER, view.counter(name))));
  }
  // In units of four octets.
  for (const way of ['rcv', 'xmit'])
    files.write(`${port}/counters/port_${way}_data`, () => String(Math.floor(view.counter('bytes') / 4)));
}

function writeInterface(files: MemoryFiles, nic: PlannedNic, device: string, view: CardView): void {
  const folder = `${SYS}/class/net/${interfaceOf(nic)}`;
  files.symlink(`${folder}/device`, device);
  files.write(`${folder}/dev_port`, '0');
  files.write(`${folder}/operstate`, () => (view.state().up ? 'up' : 'down'));
  // IFF_UP and IFF_RUNNING (if.h).
  files.write(`${folder}/flags`, () => (view.state().shut ? '0x1002' : '0x1003'));
  files.write(`${folder}/carrier_down_count`, () => String(view.counter('link_downed')));
  files.write(`${folder}/speed`, () => String(Math.round(view.state().rateGbit * 1000)));
  files.write(`${folder}/statistics/rx_bytes`, () => String(view.counter('bytes')));
  files.write(`${folder}/statistics/tx_bytes`, () => String(view.counter('bytes')));
  files.write(`${folder}/statistics/rx_crc_errors`, () => String(view.counter('rx_crc_errors')));
}
