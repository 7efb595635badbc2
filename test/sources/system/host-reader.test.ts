// A round of readings: gauges and rates in SI, what is absent left out, what is virtual not counted twice.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostReader } from '../../../src/sources/system/host-reader.ts';
import { disk, FakeHost, MEMINFO, NET_HEAD, network, pressure, stat } from './fake-host.ts';

async function readings(reader: HostReader, timeMs: number): Promise<Record<string, number>> {
  const samples = await reader.read(timeMs);
  assert.ok(samples !== null, 'the last round is over');
  const { keys, values } = samples;
  assert.equal(keys.length, values.length);
  assert.equal(new Set(keys).size, keys.length, 'a key comes once a round');
  return Object.fromEntries(keys.map((key, i) => [key, values[i] ?? Number.NaN]));
}

test('reads a whole host: shares of time, bytes, rates per second', async (t) => {
  const host = new FakeHost();
  t.after(() => host.close());
  host.device('block/nvme0n1', 'pci0000:00/0000:3b:00.0/nvme/nvme0');
  host.device('class/net/eth0', 'pci0000:00/0000:00:01.0/0000:9B:00.1');
  host.virtual('block/loop0');
  host.virtual('class/net/docker0');
  host.proc('stat', stat([100, 0, 100, 700, 50, 0, 0, 50]));
  host.proc('meminfo', MEMINFO);
  host.proc('loadavg', '3.25 1.00 0.50 2/345 6789\n');
  for (const one of ['cpu', 'memory', 'io']) host.proc(`pressure/${one}`, pressure(1_000_000, 0));
  host.proc('diskstats', disk('nvme0n1', 100, 200, 10) + disk('loop0', 1, 1, 1) + disk('nvme0n1p1', 1, 1, 1));
  host.proc('net/dev', NET_HEAD + network('lo', 5, 5) + network('eth0', 1000, 2000) + network('docker0', 9, 9));
  const reader = new HostReader(host.roots, 'node-3');
  const first = await readings(reader, 1_000_000);
  assert.deepEqual(first, {
    'host/node-3#tasks_blocked': 3,
    'host/node-3#load_1m': 3.25,
    'host/node-3#memory_used': 600 * 1024,
    'host/node-3#memory_available': 400 * 1024,
    'host/node-3#memory_shared': 8 * 1024,
    'host/node-3#swap_used': 30 * 1024,
  });

  host.proc('stat', stat([180, 0, 120, 760, 70, 0, 0, 70]));
  for (const one of ['cpu', 'memory', 'io']) host.proc(`pressure/${one}`, pressure(3_500_000, 1_000_000));
  host.proc('diskstats', disk('nvme0n1', 1100, 2200, 5010) + disk('loop0', 900, 900, 900));
  host.proc('net/dev', NET_HEAD + network('eth0', 21_000, 42_000, 10, 20) + network('docker0', 999, 999));
  const second = await readings(reader, 1_010_000);
  const near = (key: string, value: number) =>
    assert.ok(Math.abs((second[key] ?? Number.NaN) - value) < 1e-9, `${key} ${second[key]} is not ${value}`);
  near('host/node-3#cpu_utilization', 0.6); // 120 of 200 ticks were neither idle nor waiting
  near('host/node-3#cpu_iowait', 0.1);
  near('host/node-3#cpu_steal', 0.1);
  near('host/node-3#pressure_cpu_some', 0.25);
  near('host/node-3#pressure_memory_full', 0.1);
  near('host/node-3#pressure_io_full', 0.1);
  assert.equal(second['host/node-3#pressure_cpu_full'], undefined, 'not defined for a whole host');
  near('host/node-3#disk_read_rate', 51_200);
  near('host/node-3#disk_write_rate', 102_400);
  near('host/node-3#disk_read_rate.nvme0n1', 51_200);
  near('host/node-3#disk_utilization.nvme0n1', 0.5);
  near('host/node-3#disk_utilization', 0.5);
  near('host/node-3#network_receive_rate', 2000);
  near('host/node-3#network_transmit_rate', 4000);
  near('host/node-3#network_receive_error_rate', 1);
  near('host/node-3#network_receive_drop_rate', 2);
  near('nic/0000:9b:00.1#receive_rate', 2000);
  assert.equal(Object.keys(second).filter((key) => key.includes('loop0') || key.includes('docker0')).length, 0);
});

test('two ports of one PCI function share its rate; a virtual function is counted by its card', async (t) => {
  const host = new FakeHost();
  t.after(() => host.close());
  host.device('class/net/a', 'pci0000:00/0000:9b:00.0');
  host.device('class/net/b', 'pci0000:00/0000:9b:00.0');
  host.device('class/net/vf', 'pci0000:00/0000:9b:00.2');
  host.virtual('class/net/vf/device/physfn');
  const write = (n: number) => host.proc('net/dev', network('a', n, 0) + network('b', 2 * n, 0) + network('vf', n, 0));
  const reader = new HostReader(host.roots, 'h');
  write(0);
  await readings(reader, 0);
  write(1000);
  const found = await readings(reader, 1000);
  assert.equal(found['nic/0000:9b:00.0#receive_rate'], 3000);
  assert.equal(found['host/h#network_receive_rate'], 3000);
  assert.equal(found['nic/0000:9b:00.2#receive_rate'], undefined);
});

test('a counter that goes back, and a device that comes, give no rate; never a negative one, never a burst', async (t) => {
  const host = new FakeHost();
  t.after(() => host.close());
  host.device('block/sda', 'a');
  host.device('block/sdb', 'b');
  const reader = new HostReader(host.roots, 'h');
  host.proc('diskstats', disk('sda', 5000, 0, 0));
  await readings(reader, 0);
  host.proc('diskstats', disk('sda', 10, 0, 0) + disk('sdb', 1e9, 0, 0));
  assert.equal((await readings(reader, 1000))['host/h#disk_read_rate'], undefined);
  host.proc('diskstats', disk('sda', 12, 0, 0) + disk('sdb', 1e9 + 2, 0, 0));
  assert.equal((await readings(reader, 2000))['host/h#disk_read_rate'], 2048);
});

test('what the kernel does not show is absent, not 0', async (t) => {
  const host = new FakeHost();
  t.after(() => host.close());
  const reader = new HostReader(host.roots, 'h');
  assert.deepEqual(await readings(reader, 0), {});
  host.proc('meminfo', 'MemTotal: 1000 kB\nMemFree: 100 kB\n');
  assert.deepEqual(await readings(reader, 1000), {});
  assert.deepEqual(reader.seen, { cpu: false, memory: false, pressure: false, disks: null, interfaces: null });
});

test('reads the interfaces of process 1 where they can be read: ours may be those of a container', async (t) => {
  const host = new FakeHost();
  t.after(() => host.close());
  host.device('class/net/eth0', 'x');
  const reader = new HostReader(host.roots, 'h');
  for (const [timeMs, bytes] of [
    [0, 0],
    [1000, 500],
  ] as const) {
    host.proc('net/dev', network('eth0', 7 * bytes, 0));
    host.proc('1/net/dev', network('eth0', bytes, 0));
    const found = await readings(reader, timeMs);
    if (timeMs > 0) assert.equal(found['host/h#network_receive_rate'], 500);
  }
});

test("this machine's own /proc gives sane readings", async () => {
  const reader = new HostReader({ proc: '/proc', sys: '/sys' }, 'h');
  await readings(reader, 0);
  const found = await readings(reader, 10_000);
  const used = found['host/h#memory_used'] ?? Number.NaN;
  const available = found['host/h#memory_available'] ?? Number.NaN;
  assert.ok(used > 0 && available > 0 && used + available < 1e15);
  assert.ok((found['host/h#load_1m'] ?? -1) >= 0);
  for (const [key, value] of Object.entries(found)) assert.ok(Number.isFinite(value) && value >= 0, `${key} ${value}`);
  assert.ok((reader.bootTimeMs ?? 0) > 1e12);
});
