// A sysfs and procfs made of files, in the kernel's layout: PCI devices with RDMA ports, interfaces and hwmon chips.

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Discovery, Emit, EventInput, SampleBatch } from '../../src/model/record.ts';
import { until as wait } from '../until.ts';

export class FakeSys {
  readonly folder = mkdtempSync(join(tmpdir(), 'fl sys '));
  readonly sys = join(this.folder, 'sys');
  readonly proc = join(this.folder, 'proc');

  constructor(t: TestContext) {
    for (const path of [this.sys, this.proc]) mkdirSync(path);
    t.after(() => rmSync(this.folder, { recursive: true, force: true }));
  }

  /** Writes files below `base`, each a name with its text; a newline is added. */
  write(base: string, files: Readonly<Record<string, string | number>>): void {
    for (const [name, text] of Object.entries(files)) {
      const path = join(this.folder, base, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, `${text}\n`);
    }
  }

  link(path: string, target: string): void {
    const at = join(this.folder, path);
    mkdirSync(dirname(at), { recursive: true });
    symlinkSync(join(this.folder, target), at);
  }

  remove(path: string): void {
    rmSync(join(this.folder, path), { recursive: true, force: true });
  }

  /** A PCI function behind a port of its own, listed on the bus; gives its folder. */
  pci(address: string, files: Readonly<Record<string, string | number>> = {}, driver: string | null = null): string {
    const slot = `sys/devices/pci0000:00/0000:00:${address.slice(5, 7)}.0`;
    const folder = `${slot}/${address}`;
    mkdirSync(join(this.folder, folder), { recursive: true });
    this.write(folder, files);
    this.link(`sys/bus/pci/devices/${address}`, folder);
    if (driver !== null) this.bind(address, driver);
    return folder;
  }

  bind(address: string, driver: string): void {
    mkdirSync(join(this.folder, `sys/bus/pci/drivers/${driver}`), { recursive: true });
    this.link(
      `sys/devices/pci0000:00/0000:00:${address.slice(5, 7)}.0/${address}/driver`,
      `sys/bus/pci/drivers/${driver}`,
    );
  }

  slotOf(address: string): string {
    return `sys/devices/pci0000:00/0000:00:${address.slice(5, 7)}.0`;
  }

  /** An mlx5 card of one port: its RDMA device and its interface. */
  mlx5(address: string, rdma: string, netdev: string, layer: 'InfiniBand' | 'Ethernet' = 'InfiniBand'): string {
    const pcie = { max_link_speed: '32.0 GT/s PCIe', max_link_width: 16 };
    const folder = this.pci(
      address,
      { vendor: '0x15b3', class: '0x020700', current_link_speed: '32.0 GT/s PCIe', current_link_width: 16, ...pcie },
      'mlx5_core',
    );
    this.write(this.slotOf(address), pcie);
    const port = `sys/class/infiniband/${rdma}/ports/1`;
    this.write(port, { state: '4: ACTIVE', phys_state: '5: LinkUp', rate: '400 Gb/sec (4X NDR)', link_layer: layer });
    for (const name of COUNTERS) this.write(`${port}/counters`, { [name]: 0 });
    for (const name of HW_COUNTERS) this.write(`${port}/hw_counters`, { [name]: 0 });
    this.link(`sys/class/infiniband/${rdma}/device`, folder);
    this.interface(netdev, folder, 400_000);
    return folder;
  }

  interface(name: string, device: string, speed: number): void {
    this.write(`sys/class/net/${name}`, {
      operstate: 'up',
      flags: '0x1003',
      speed,
      dev_port: 0,
      carrier_changes: 2,
      carrier_down_count: 1,
      'statistics/rx_bytes': 0,
      'statistics/tx_bytes': 0,
      'statistics/rx_crc_errors': 0,
    });
    this.link(`sys/class/net/${name}/device`, device);
  }
}

const COUNTERS = [
  'link_downed', 'symbol_error', 'link_error_recovery', 'local_link_integrity_errors', 'port_rcv_data', 'port_xmit_data',
  'excessive_buffer_overrun_errors', 'port_rcv_errors', 'port_xmit_discards', 'port_xmit_wait',
]; // biome-ignore format: as ls prints them
const HW_COUNTERS = [
  'out_of_sequence', 'packet_seq_err', 'local_ack_timeout_err', 'rnr_nak_retry_err', 'roce_slow_restart',
  'np_ecn_marked_roce_packets', 'np_cnp_sent', 'rp_cnp_handled', 'out_of_buffer', 'req_transport_retries_exceeded',
]; // biome-ignore format: as ls prints them

/** Keeps what a source emits. */
export class Seen implements Emit {
  readonly batches: SampleBatch[] = [];
  readonly events: EventInput[] = [];
  readonly discoveries: Discovery[] = [];
  samples(batch: SampleBatch): void {
    this.batches.push(batch);
  }
  text(): void {}
  event(event: EventInput): void {
    this.events.push(event);
  }
  discovery(discovery: Discovery): void {
    this.discoveries.push(discovery);
  }
  /** "nic.port_down onset nic/0000:1b:00.0", oldest first. */
  get reported(): string[] {
    return this.events.map(
      ({ kind, state, component }) => `${kind} ${state ?? 'point'} ${component?.type}/${component?.id}`,
    );
  }
  /** The last value of a series. */
  last(key: string): number | undefined {
    for (const { keys, values } of this.batches.toReversed()) {
      const at = keys.indexOf(key);
      if (at >= 0) return values[at];
    }
    return undefined;
  }
}

export function until<T>(
  what: string,
  look: () => T | undefined | false,
): Promise<Exclude<T, false | null | undefined>> {
  return wait(look, { what });
}
