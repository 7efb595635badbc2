// The hwmon source: GPUs of other vendors, AMD sockets, Grace rails, the whole machine; sentinels and kernel errors.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SmallFiles } from '../../../src/sources/files/small-files.ts';
import { railKey } from '../../../src/sources/hwmon/chips.ts';
import { HwmonSource } from '../../../src/sources/hwmon/hwmon-source.ts';
import { FakeSys, Seen, until } from '../fake-sys.ts';

function start(t: TestContext, host: FakeSys, now = () => 1000, files = new SmallFiles()) {
  const seen = new Seen();
  const source = new HwmonSource({ enabled: 'auto', intervalMs: 2 }, { host: 'node-3', sys: host.sys, now, files });
  t.after(() => source.stop());
  source.start(seen, new AbortController().signal);
  return { seen, source };
}

function chip(host: FakeSys, n: number, device: string, files: Readonly<Record<string, string | number>>): void {
  host.write(`sys/class/hwmon/hwmon${n}`, files);
  host.link(`sys/class/hwmon/hwmon${n}/device`, device);
}

test('an amdgpu chip becomes its GPU: power of either name, cap, temperatures', async (t) => {
  const host = new FakeSys(t);
  const values = {
    name: 'amdgpu',
    power1_input: 612_000_000,
    power1_cap: 750_000_000,
    temp1_input: 51_000,
    temp3_input: 63_000,
  };
  chip(host, 2, host.pci('0000:05:00.0'), values);
  const { seen } = start(t, host);
  await until('it is read', () => seen.batches.length > 0);
  const gpu = 'gpu/0000:05:00.0';
  const got = ['power', 'power_limit', 'temperature', 'memory_temperature'].map((one) => seen.last(`${gpu}#${one}`));
  assert.deepEqual(got, [612, 750, 51, 63]);
  assert.deepEqual(
    seen.discoveries.map(({ component }) => component.id),
    ['0000:05:00.0'],
  );
});

test('a reading that is none is dropped and counted, the others stay', async (t) => {
  const host = new FakeSys(t);
  chip(host, 0, host.pci('0000:05:00.0'), {
    name: 'xe',
    power1_input: '4294967295000000',
    power1_cap: '65535000000',
    temp1_input: 44_000,
  });
  const { seen, source } = start(t, host);
  await until('it is read', () => seen.batches.length > 0);
  assert.deepEqual(seen.batches[0]?.keys, ['gpu/0000:05:00.0#temperature']);
  assert.match(source.health()[0]?.detail ?? '', /^3 sensors of xe; \d+ readings dropped/);
});

test('sockets and rails are left to RAPL where it is there, limits are not', async (t) => {
  const socket = { name: 'amd_hsmp_hwmon', power1_input: 300_000_000, power1_cap: 400_000_000 };
  const rail = { name: 'power_meter', power1_average: 250_000_000, power1_oem_info: 'Grace Power Socket 1' };
  const machine = { name: 'power_meter', power1_average: 2_100_000_000, power1_oem_info: '' };
  const keysOf = async (rapl: boolean) => {
    const host = new FakeSys(t);
    for (const [n, files] of [socket, rail, machine].entries()) {
      host.write(`sys/devices/LNXSYSTM:00/ACPI000D:0${n}`, { hid: 'ACPI000D' });
      chip(host, n, `sys/devices/LNXSYSTM:00/ACPI000D:0${n}`, files);
    }
    if (rapl) host.write('sys/class/powercap/intel-rapl:0', { name: 'package-0' });
    const { seen, source } = start(t, host);
    await until('it is read', () => seen.batches.length > 0);
    await source.stop();
    return seen.batches[0]?.keys;
  };
  const limit = 'cpu/node-3/0#power_limit';
  assert.deepEqual(await keysOf(false), ['cpu/node-3/0#power', limit, 'cpu/node-3/1#power', 'host/node-3#acpi_power']);
  assert.deepEqual(await keysOf(true), [limit, 'host/node-3#acpi_power']);
});

test('rails of Grace by what ACPI calls them', () => {
  assert.equal(railKey('Module Power Socket 0', 'h'), 'cpu/h/0#module_power');
  assert.equal(railKey('Grace Power Socket 1', 'h'), 'cpu/h/1#power');
  assert.equal(railKey('CPU Power Socket 1', 'h'), 'cpu/h/1#core_power');
  assert.equal(railKey('SysIO Power Socket 0', 'h'), 'cpu/h/0#uncore_power');
  assert.equal(railKey('Fan Power Socket 0', 'h'), null);
  assert.equal(railKey('', 'h'), 'host/h#acpi_power');
});

test('a power meter whose reads make the kernel log ACPI errors is given up, and reported', async (t) => {
  const host = new FakeSys(t);
  host.write('sys/devices/ACPI000D:00', { hid: 'ACPI000D' });
  chip(host, 0, 'sys/devices/ACPI000D:00', { name: 'power_meter', power1_average: 2_100_000_000 });
  let nowMs = 0;
  const files = new SmallFiles();
  const { seen, source } = start(t, host, () => nowMs, files);
  const text = 'ACPI Error: No handler for Region [POWR] (00000000b1b0f1ae) [IPMI] (20230628/evregion-130)';
  for (let i = 0; i < 3; i += 1) {
    nowMs += 10_000;
    const batches = seen.batches.length + 2;
    await until('it is read', () => seen.batches.length >= batches);
    source.handleRecords([{ sequence: i, timeMs: nowMs, observedMs: nowMs, priority: 3, facility: 0, text }]);
  }
  assert.deepEqual(seen.reported, ['agent.self_inflicted point host/node-3']);
  assert.equal(seen.events[0]?.evidence?.length, 2);
  const path = join(host.sys, 'class/hwmon/hwmon0/power1_average');
  assert.equal(files.refusal(path), 'kernel errors');
  assert.match(source.health()[0]?.detail ?? '', /FL2604/);
});

test('chips of no interest are left alone; none at all is absent', async (t) => {
  const host = new FakeSys(t);
  chip(host, 0, host.pci('0000:05:00.0'), { name: 'nvme', temp1_input: 40_000 });
  const { seen, source } = start(t, host);
  await until('it looked', () => source.health()[0]?.detail.startsWith('FL2605'));
  assert.deepEqual([seen.batches, source.health()[0]?.status], [[], 'absent']);
});
