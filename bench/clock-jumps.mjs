// The wall clock set forward and back under the daemon, by libfaketime (apt-get install faketime): CLOCK_REALTIME jumps, the
// monotonic clock does not, as after a wrong NTP answer or by `date -s`.
// usage: node bench/clock-jumps.mjs [SECONDS...]      (default 3600 -3600 86400 -172800 315360000 -315360000)

import { existsSync, globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

process.env.FAULTLINE_PROGRAM ??= join(import.meta.dirname, '../dist/faultline.js');
const { DaemonUnderTest, exitOf } = await import('../test/e2e/daemon-under-test.ts');
const [library] = globSync('/usr/lib/*-linux-gnu/faketime/libfaketimeMT.so.1');
if (library === undefined || !existsSync(library)) throw new Error('needs libfaketime: apt-get install faketime');
const given = process.argv.slice(2).map(Number);
const jumps = given.length > 0 ? given : [3600, -3600, 86_400, -172_800, 315_360_000, -315_360_000];
const row = (name, value) => console.log(`${name.padEnd(66)} ${value}`);
const daemon = new DaemonUnderTest({ extra: '  system: {interval: 1s}\n' });
const clock = join(daemon.folder, 'clock');
const set = (seconds) => writeFileSync(clock, `${seconds < 0 ? '' : '+'}${seconds}`);
set(0);
Object.assign(process.env, {
  LD_PRELOAD: library,
  FAKETIME_TIMESTAMP_FILE: clock,
  FAKETIME_CACHE_DURATION: '1',
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
  DONT_FAKE_MONOTONIC: '1',
});

try {
  const child = await daemon.start();
  delete process.env.LD_PRELOAD;
  let offset = 0;
  let late = 0;
  await sleep(2000);
  let reported = 0;
  for (const [round, seconds] of jumps.entries()) {
    offset += seconds;
    set(offset);
    await sleep(3000);
    const bus = (0x10 + round).toString(16);
    const began = performance.now();
    daemon.kernel(`NVRM: Xid (PCI:0000:${bus}:00): 79, pid=7, name=python, GPU has fallen off the bus.`);
    const about = (document) => document.kind === 'gpu.lost' && JSON.stringify(document.component).includes(`:${bus}:`);
    await daemon.until(`the event of ${bus} is on disk`, () => daemon.logged('event').find(about), 20_000);
    late = Math.max(late, performance.now() - began);
    reported += 1;
  }
  const status = await daemon.status();
  const { events } = await daemon.get('/v1/events');
  const times = events.filter(({ kind }) => kind === 'gpu.lost').map(({ time }) => time);
  const kinds = (kind) => events.filter((each) => each.kind === kind).length;
  row('jumps of the wall clock, seconds', jumps.join(', '));
  row(
    'GPUs lost after each, reported',
    `${jumps.length}, ${reported}; the slowest ${late.toFixed(0)} ms after its line`,
  );
  row('reported as a jump (host.clock_jump)', kinds('host.clock_jump'));
  row('times of the events in the order of what happened', times.join() === times.toSorted().join());
  row(
    'events of anything else than the jumps and the GPUs',
    events.length - kinds('gpu.lost') - kinds('host.clock_jump'),
  );
  row('the wall clock ahead of the daemon, as status says it, seconds', status.wall_clock_ahead_s);
  child.kill('SIGTERM');
  row('status of its stop', (await exitOf(child)).code);
} finally {
  await daemon.close();
}
