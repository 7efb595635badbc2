// What a simulated rack's sysfs lacks of a real host: network cards, a PCI bus, hwmon chips and processors of its own.

import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { link, put } from './fake-tree.mjs';

const CARDS = 8;
const PACKAGES = 2;
const CORES = 64;
const PORT_COUNTERS = [
  'VL15_dropped', 'excessive_buffer_overrun_errors', 'link_downed', 'link_error_recovery', 'local_link_integrity_errors',
  'multicast_rcv_packets', 'multicast_xmit_packets', 'port_rcv_constraint_errors', 'port_rcv_data', 'port_rcv_errors',
  'port_rcv_packets', 'port_rcv_remote_physical_errors', 'port_rcv_switch_relay_errors', 'port_xmit_constraint_errors',
  'port_xmit_data', 'port_xmit_discards', 'port_xmit_packets', 'port_xmit_wait', 'symbol_error', 'unicast_rcv_packets',
  'unicast_xmit_packets',
]; // biome-ignore format: as ls prints them
const HARDWARE_COUNTERS = [
  'duplicate_request', 'implied_nak_seq_err', 'lifespan', 'local_ack_timeout_err', 'np_cnp_sent',
  'np_ecn_marked_roce_packets', 'out_of_buffer', 'out_of_sequence', 'packet_seq_err', 'req_cqe_error',
  'req_rnr_retries_exceeded', 'req_transport_retries_exceeded', 'resp_cqe_error', 'rnr_nak_retry_err',
  'roce_adp_retrans', 'roce_slow_restart', 'rp_cnp_handled', 'rx_read_requests', 'rx_write_requests',
]; // biome-ignore format: as ls prints them
const STATISTICS = [
  'collisions', 'multicast', 'rx_bytes', 'rx_compressed', 'rx_crc_errors', 'rx_dropped', 'rx_errors', 'rx_fifo_errors',
  'rx_frame_errors', 'rx_length_errors', 'rx_missed_errors', 'rx_nohandler', 'rx_over_errors', 'rx_packets',
  'tx_aborted_errors', 'tx_bytes', 'tx_carrier_errors', 'tx_compressed', 'tx_dropped', 'tx_errors', 'tx_fifo_errors',
  'tx_heartbeat_errors', 'tx_packets', 'tx_window_errors',
]; // biome-ignore format: as ls prints them

const zeros = (folder, names) => Object.fromEntries(names.map((name) => [`${folder}/${name}`, 0]));

/** Adds to `sys`: `gpus` are PCI addresses, each of which is put on the bus with the driver bound to it. */
export function addWholeHost(sys, gpus) {
  for (const address of gpus) bind(sys, device(sys, address, { vendor: '0x10de', class: '0x030200' }), 'nvidia');
  for (let i = 0; i < CARDS; i += 1) card(sys, i);
  for (const i of Array(PACKAGES).keys()) chips(sys, i);
  processors(sys);
}

function device(sys, address, files) {
  const folder = join(sys, `devices/pci0000:00/0000:00:${address.slice(5, 7)}.0`, address);
  put(folder, files);
  link(join(sys, 'bus/pci/devices', address), folder);
  return folder;
}

function bind(sys, folder, driver) {
  mkdirSync(join(sys, 'bus/pci/drivers', driver), { recursive: true });
  link(join(folder, 'driver'), join(sys, 'bus/pci/drivers', driver));
}

/** A card of 400 Gbit/s over RoCE, with its RDMA device, interface, temperature and PCIe link. */
function card(sys, i) {
  const pcie = { max_link_speed: '32.0 GT/s PCIe', max_link_width: 16 };
  const files = { vendor: '0x15b3', class: '0x020000', current_link_speed: '32.0 GT/s PCIe', current_link_width: 16 };
  const folder = device(sys, `0000:${(0x60 + 4 * i).toString(16)}:00.0`, { ...files, ...pcie });
  put(dirname(folder), pcie);
  bind(sys, folder, 'mlx5_core');
  const rdma = join(sys, `class/infiniband/mlx5_${i}`);
  put(join(rdma, 'ports/1'), {
    state: '4: ACTIVE',
    phys_state: '5: LinkUp',
    rate: '400 Gb/sec (4X NDR)',
    link_layer: 'Ethernet',
    ...zeros('counters', PORT_COUNTERS),
    ...zeros('hw_counters', HARDWARE_COUNTERS),
  });
  link(join(rdma, 'device'), folder);
  const face = join(sys, `class/net/eth${i}`);
  const state = { operstate: 'up', flags: '0x1003', speed: 400_000, dev_port: 0, carrier: 1, mtu: 9000, type: 1 };
  put(face, { ...state, carrier_changes: 2, carrier_up_count: 1, carrier_down_count: 1, address: '02:00:00:00:00:00' });
  put(face, zeros('statistics', STATISTICS));
  link(join(face, 'device'), folder);
  const chip = join(folder, `hwmon/hwmon${10 + i}`);
  put(chip, { name: 'mlx5', temp1_input: 61_000, temp1_crit: 105_000, temp1_label: 'asic' });
  put(chip, { temp2_input: 52_000, temp2_crit: 90_000, temp2_label: 'Module0' });
  link(join(sys, `class/hwmon/hwmon${10 + i}`), chip);
}

function chips(sys, i) {
  const cores = join(sys, `devices/platform/coretemp.${i}/hwmon/hwmon${i}`);
  put(cores, { name: 'coretemp' });
  for (let n = 1; n <= CORES / PACKAGES + 1; n += 1) {
    const label = n === 1 ? `Package id ${i}` : `Core ${n - 2}`;
    put(cores, { [`temp${n}_input`]: 55_000, [`temp${n}_crit`]: 100_000, [`temp${n}_label`]: label });
  }
  link(join(sys, `class/hwmon/hwmon${i}`), cores);
  if (i > 0) return;
  const meter = join(sys, 'devices/platform/ACPI000D:00/hwmon/hwmon8');
  put(meter, { name: 'power_meter', power1_average: 6_400_000_000 });
  link(join(sys, 'class/hwmon/hwmon8'), meter);
}

function processors(sys) {
  const root = join(sys, 'devices/system/cpu');
  put(root, { online: `0-${CORES - 1}`, possible: `0-${CORES - 1}`, present: `0-${CORES - 1}` });
  const each = CORES / PACKAGES;
  for (let n = 0; n < CORES; n += 1) {
    const owner = Math.floor(n / each);
    put(join(root, `cpu${n}`), {
      'topology/physical_package_id': owner,
      'topology/core_id': n % each,
      'topology/package_cpus_list': `${owner * each}-${owner * each + each - 1}`,
      'thermal_throttle/package_throttle_total_time_ms': 0,
      'thermal_throttle/package_throttle_count': 0,
      'thermal_throttle/core_throttle_count': 0,
    });
  }
}
