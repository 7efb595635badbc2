// Whatever stands in procfs, the parsers answer in bounded time with numbers that can be, or with nothing.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { HostReader } from '../../../../src/sources/system/host-reader.ts';
import { parseDisks, parseInterfaces } from '../../../../src/sources/system/proc/devices.ts';
import {
  cpuShares,
  parseLoad,
  parseMemory,
  parsePressure,
  parseStat,
} from '../../../../src/sources/system/proc/host-state.ts';
import { PhysicalDevices } from '../../../../src/sources/system/proc/physical-devices.ts';
import { ProcReader } from '../../../../src/sources/system/proc/proc-reader.ts';
import { disk, FakeHost, MEMINFO, network, pressure, stat } from '../fake-host.ts';

const REAL = [
  stat([1, 2, 3, 4, 5, 6, 7, 8]),
  MEMINFO,
  pressure(5, 6),
  disk('sda', 1, 2, 3),
  network('eth0', 1, 2),
  '0.1 0 0 1/2 3\n',
];

/** Real files with pieces cut out, doubled or replaced. */
const mangled = fc
  .tuple(fc.constantFrom(...REAL), fc.nat(400), fc.nat(40), fc.string({ unit: 'binary', maxLength: 30 }))
  .map(([text, at, cut, put]) => text.slice(0, at % text.length) + put + text.slice((at % text.length) + cut));

function everyNumber(value: unknown, check: (n: number) => void): void {
  if (typeof value === 'number') check(value);
  else if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) everyNumber(one, check);
}

describe('the parsers', () => {
  test('give finite numbers that are not negative, for any text', () => {
    fc.assert(
      fc.property(fc.oneof(mangled, fc.string({ unit: 'binary', maxLength: 300 })), (text) => {
        const all = [parseStat(text), parseMemory(text), parsePressure(text), parseLoad(text)];
        const devices = [parseDisks(text, () => true), parseInterfaces(text, () => true)];
        everyNumber([...all, ...devices], (n) => assert.ok(Number.isFinite(n) && n >= 0, `${n}`));
      }),
      { numRuns: 2000 },
    );
  });

  test('shares of CPU time stay within 0 and 1, whatever two readings say', () => {
    const ticks = fc.array(fc.double({ min: 0, max: 1e19, noNaN: true }), { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(ticks, ticks, (a, b) => {
        const time = ([total = 0, idle = 0, iowait = 0, steal = 0]: number[]) => ({ total, idle, iowait, steal });
        everyNumber(cpuShares(time(a), time(b)), (n) => assert.ok(n >= 0 && n <= 1, `${n}`));
      }),
    );
  });

  test('refuse words that only begin like numbers, and numbers that no counter holds', () => {
    assert.equal(parseStat('cpu  1 2 3 4x 5 6 7 8\n').cpu, null);
    assert.equal(parseStat('cpu  1 2 3 -4 5 6 7 8\n').cpu, null);
    assert.equal(parseStat(`btime ${'9'.repeat(21)}\n`).bootTimeS, null);
    assert.equal(parseMemory('MemTotal: 5 kB\nMemAvailable: 1.5 kB\n').available, null);
    assert.equal(parseMemory('MemTotal: 5 kB\nMemAvailable: 6 kB\n').used, null);
    assert.equal(parsePressure('some avg10=1.00\nfull avg10=1 total=7\n').some, null);
    for (const text of ['', 'nan 0 0', '-1 0 0', '1e999 0', 'Infinity 0 0', '99999999999999 0']) {
      assert.equal(parseLoad(text), null, text);
    }
  });

  test('look at 4096 lines at most', () => {
    let asked = 0;
    const text = network('eth0', 1, 1).repeat(10_000);
    parseInterfaces(text, () => {
      asked += 1;
      return false;
    });
    assert.equal(asked, 4096);
  });
});

test('a name in procfs does not lead out of its folder in sysfs', (t) => {
  const host = new FakeHost();
  t.after(() => host.close());
  host.device('outside', 'x');
  mkdirSync(join(host.roots.sys, 'block'));
  mkdirSync(join(host.roots.sys, 'class/net'), { recursive: true });
  host.device('block/cciss!c0d0', 'pci0000:00/0000:01:00.0');
  const devices = new PhysicalDevices(host.roots.sys);
  for (const name of ['..', '.', '../outside', '../../outside', 'a\0b', 'x'.repeat(65)]) {
    assert.equal(devices.isDisk(name), false, name);
    assert.equal(devices.interface(name), null, name);
  }
  assert.equal(devices.isDisk('cciss/c0d0'), true);
});

test('of more devices than any host has, the first 64 are read', (t) => {
  const host = new FakeHost();
  t.after(() => host.close());
  for (let i = 0; i < 80; i += 1) host.device(`block/sd${i}`, `d${i}`);
  const devices = new PhysicalDevices(host.roots.sys);
  const real = Array.from({ length: 80 }, (_, i) => devices.isDisk(`sd${i}`)).filter(Boolean);
  assert.equal(real.length, 64);
});

test('a fifo, a folder, an endless file in the place of a file are absent or cut, and nothing waits', (t) => {
  const host = new FakeHost();
  t.after(() => host.close());
  const reader = new ProcReader(host.roots.proc);
  mkdirSync(join(host.roots.proc, 'stat'));
  execFileSync('mkfifo', [join(host.roots.proc, 'meminfo')]);
  host.proc('net/dev', `${'x'.repeat(1000)}\n`.repeat(1000));
  assert.equal(reader.read('stat'), null);
  assert.equal(reader.failures.get('stat'), 'EISDIR');
  assert.equal(reader.read('meminfo'), null);
  assert.equal(reader.read('loadavg'), null);
  assert.equal(reader.failures.get('loadavg'), 'ENOENT');
  const text = reader.read('net/dev') ?? '';
  assert.ok(text.length > 250_000 && text.length <= 262_144 && text.endsWith('\n'));
  assert.doesNotThrow(() => new HostReader(host.roots, 'h').read(0));
});
