// Thermal throttling: one file per package, time where the kernel counts it, and another processor when one goes offline.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cpuList, ThrottleReader } from '../../../src/sources/cpu/throttle-reader.ts';
import { SmallFiles } from '../../../src/sources/files/small-files.ts';
import { FakeSys } from '../fake-sys.ts';

const CPUS = 'sys/devices/system/cpu';

/** Two packages of four processors, as Linux numbers them: the second threads come last. */
function twoPackages(host: FakeSys, files: Readonly<Record<string, number>>): void {
  host.write(CPUS, { online: '0-7' });
  for (const [id, list] of ['0-1,4-5', '2-3,6-7'].entries()) {
    for (const cpu of cpuList(list)) {
      host.write(`${CPUS}/cpu${cpu}`, { 'topology/package_cpus_list': list, 'topology/physical_package_id': id });
      for (const [name, value] of Object.entries(files))
        host.write(`${CPUS}/cpu${cpu}/thermal_throttle`, { [name]: value + id });
    }
  }
}

test('two packages: their time in seconds, with one read for each', async (t) => {
  const host = new FakeSys(t);
  twoPackages(host, { package_throttle_total_time_ms: 1500, package_throttle_count: 7 });
  const files = new SmallFiles();
  t.after(() => files.close());
  const reader = new ThrottleReader(files, host.sys, 'node-3');
  const first = await reader.read();
  assert.deepEqual(first.keys, ['cpu/node-3/0#throttle_time', 'cpu/node-3/1#throttle_time']);
  assert.deepEqual(first.values, [1.5, 1.501]);
  const before = files.reads;
  await reader.read();
  assert.equal(files.reads - before, 2);
});

test('an older kernel counts events only', async (t) => {
  const host = new FakeSys(t);
  twoPackages(host, { package_throttle_count: 7 });
  const { keys, values } = await new ThrottleReader(new SmallFiles(), host.sys, 'node-3').read();
  assert.deepEqual(
    [keys, values],
    [
      ['cpu/node-3/0#throttle_count', 'cpu/node-3/1#throttle_count'],
      [7, 8],
    ],
  );
});

test('a processor that goes offline leaves its package to another one', async (t) => {
  const host = new FakeSys(t);
  twoPackages(host, { package_throttle_total_time_ms: 1500 });
  const files = new SmallFiles();
  t.after(() => files.close());
  const reader = new ThrottleReader(files, host.sys, 'node-3');
  await reader.read();
  host.write(CPUS, { online: '1-7' });
  host.write(`${CPUS}/cpu0/thermal_throttle`, { package_throttle_total_time_ms: '' });
  assert.deepEqual((await reader.read()).keys, ['cpu/node-3/1#throttle_time']);
  assert.deepEqual((await reader.read()).keys, ['cpu/node-3/0#throttle_time', 'cpu/node-3/1#throttle_time']);
});

test('no such files (AMD, virtual machines): nothing', async (t) => {
  const host = new FakeSys(t);
  twoPackages(host, {});
  assert.deepEqual(await new ThrottleReader(new SmallFiles(), host.sys, 'node-3').read(), { keys: [], values: [] });
});

test('lists of processors, and text that is none', () => {
  assert.deepEqual(cpuList('0-3,8,10-11'), [0, 1, 2, 3, 8, 10, 11]);
  for (const text of ['', '0-', 'a', '1,,2', null]) assert.deepEqual(cpuList(text), []);
  fc.assert(fc.property(fc.string(), (text) => cpuList(text).length <= 16_384));
  assert.ok(cpuList('0-99999,0-99999').length <= 16_385);
});
