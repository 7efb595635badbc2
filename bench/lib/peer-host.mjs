// The part of a host that both Faultline and node_exporter read, file for file: RAPL zones, RDMA ports, the board's meter.

import { join } from 'node:path';
import { link, put } from './fake-tree.mjs';

const CARDS = 8;
const PACKAGES = 2;
/** Those of Faultline's fast lane. */
export const PORT_COUNTERS = [
  'excessive_buffer_overrun_errors', 'link_downed', 'link_error_recovery', 'local_link_integrity_errors', 'port_rcv_data',
  'port_xmit_data', 'symbol_error',
]; // biome-ignore format: as ls prints them

export const cardAddress = (card) => `0000:${(0x60 + 4 * card).toString(16)}:00.0`;
/** No two counters of the tree are equal. */
export const countOf = (card, counter) => 1000 * (card + 1) + PORT_COUNTERS.indexOf(counter);
export const METER_W = 6400;

export function makeZones(root) {
  for (let i = 0; i < PACKAGES; i += 1) {
    for (const [entry, name] of [
      [`intel-rapl:${i}`, `package-${i}`],
      [`intel-rapl:${i}:0`, 'dram'],
    ]) {
      const files = { name, energy_uj: 262_000_000 + i, max_energy_range_uj: 262_143_328_850 };
      put(join(root, 'class/powercap', entry), files);
    }
  }
  return 2 * PACKAGES;
}

export function makeTree(root) {
  makeZones(root);
  for (let i = 0; i < CARDS; i += 1) {
    const device = join(root, 'devices/pci0000:00', cardAddress(i));
    put(device, { vendor: '0x15b3', class: '0x020700' });
    link(join(root, 'bus/pci/devices', cardAddress(i)), device);
    const rdma = join(root, `class/infiniband/mlx5_${i}`);
    put(rdma, { fw_ver: '28.39.1002', board_id: 'MT_0000000838', hca_type: 'MT4129' });
    put(join(rdma, 'ports/1'), {
      state: '4: ACTIVE',
      phys_state: '5: LinkUp',
      rate: '400 Gb/sec (4X NDR)',
      link_layer: 'InfiniBand',
      ...Object.fromEntries(PORT_COUNTERS.map((name) => [`counters/${name}`, countOf(i, name)])),
    });
    link(join(rdma, 'device'), device);
  }
  const meter = join(root, 'devices/platform/ACPI000D:00/hwmon/hwmon0');
  put(meter, { name: 'power_meter', power1_average: METER_W * 1e6 });
  link(join(root, 'class/hwmon/hwmon0'), meter);
  link(join(meter, 'device'), join(root, 'devices/platform/ACPI000D:00'));
}
