// Whatever is in procfs, a round answers in bounded time with numbers that can be, or with nothing.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { HostReader } from '../../../src/sources/system/host-reader.ts';
import { cpuShares } from '../../../src/sources/system/host-round.ts';
import { disk, FakeHost, MEMINFO, network, pressure, stat } from './fake-host.ts';

const FILES: Readonly<Record<string, string>> = {
  stat: stat([1, 2, 3, 4, 5, 6, 7, 8]),
  meminfo: MEMINFO,
  'pressure/io': pressure(5, 6),
  diskstats: disk('sda', 1, 2, 3),
  'net/dev': network('eth0', 1, 2),
  loadavg: '0.1 0 0 1/2 3\n',
};

/** A real file with a piece cut out, doubled or replaced. The parsers have thousands of these in native/test/core_host.cc. */
const mangled = fc
  .tuple(fc.constantFrom(...Object.keys(FILES)), fc.nat(400), fc.nat(40), fc.string({ unit: 'binary', maxLength: 30 }))
  .map(([name, at, cut, put]) => {
    const text = FILES[name] ?? '';
    return [name, text.slice(0, at % text.length) + put + text.slice((at % text.length) + cut)] as const;
  });

test('whatever a file holds, every number is finite and not negative', async (t) => {
  const host = new FakeHost();
  t.after(() => host.close());
  host.device('block/sda', 'a');
  host.device('class/net/eth0', 'b');
  const reader = new HostReader(host.roots, 'h');
  let timeMs = 0;
  await fc.assert(
    fc.asyncProperty(mangled, async ([name, text]) => {
      for (const [path, whole] of Object.entries(FILES)) host.proc(path, path === name ? text : whole);
      timeMs += 1000;
      const samples = await reader.read(timeMs);
      for (const value of samples?.values ?? []) assert.ok(Number.isFinite(value) && value >= 0, `${value}`);
    }),
    { numRuns: 100 },
  );
});

test('shares of CPU time stay within 0 and 1, whatever two readings say', () => {
  const ticks = fc.array(fc.double({ min: 0, max: 1e19, noNaN: true }), { minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(ticks, ticks, (a, b) => {
      const time = ([total = 0, idle = 0, iowait = 0, steal = 0]: number[]) => ({ total, idle, iowait, steal });
      for (const share of Object.values(cpuShares(time(a), time(b)) ?? {})) assert.ok(share >= 0 && share <= 1);
    }),
  );
});

test('of more devices than any host has, the first 64 are read', async (t) => {
  const host = new FakeHost();
  t.after(() => host.close());
  for (let i = 0; i < 80; i += 1) host.device(`block/sd${i}`, `d${i}`);
  host.proc('diskstats', Array.from({ length: 80 }, (_, i) => disk(`sd${i}`, 1, 1, 1)).join(''));
  const reader = new HostReader(host.roots, 'h');
  await reader.read(0);
  assert.equal(reader.seen.disks, 64);
});

test('a FIFO, a folder, an endless file in the place of a file are absent or cut, and the others are read', async (t) => {
  const host = new FakeHost();
  t.after(() => host.close());
  mkdirSync(join(host.roots.proc, 'stat'));
  execFileSync('mkfifo', [join(host.roots.proc, 'meminfo')]);
  host.device('class/net/eth0', 'x');
  host.proc('net/dev', `${network('eth0', 1, 2)}${'x'.repeat(1000)}\n`.repeat(1000));
  host.proc('pressure/io', pressure(1, 1));
  const reader = new HostReader(host.roots, 'h');
  await reader.read(0);
  assert.deepEqual([reader.failures.get('stat'), reader.failures.get('loadavg')], ['EISDIR', 'ENOENT']);
  assert.deepEqual([reader.seen.pressure, reader.hanging], [true, []]);
  assert.ok((reader.seen.interfaces ?? 0) > 100);
});
