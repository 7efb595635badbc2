// A disk that fills up under the daemon, and has room again: what is reported meanwhile, and what is on it afterwards.
// usage (as root, for its mount): node bench/disk-full.mjs [MIB]      (default 4; needs `npm run build`)

import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

if (process.env.FAULTLINE_BENCH_INSIDE === undefined) {
  const env = { ...process.env, FAULTLINE_BENCH_INSIDE: '1' };
  const run = spawnSync('unshare', ['--mount', process.execPath, ...process.argv.slice(1)], { env, stdio: 'inherit' });
  process.exit(run.status ?? 1);
}
process.env.FAULTLINE_PROGRAM ??= join(import.meta.dirname, '../dist/faultline.js');
const { DaemonUnderTest, exitOf } = await import('../test/e2e/daemon-under-test.ts');
const mib = Number(process.argv[2] ?? 4);
const row = (name, value) => console.log(`${name.padEnd(66)} ${value}`);
const disk = mkdtempSync(join(tmpdir(), 'fl-disk-full-'));
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${mib}m,mode=755`, 'tmpfs', disk], { encoding: 'utf8' });
if (mounted.status !== 0) throw new Error(`no tmpfs could be mounted: ${mounted.stderr}`);
process.env.TMPDIR = disk; // where the daemon's folder is made
const daemon = new DaemonUnderTest();
const xid = (bus) =>
  daemon.kernel(`NVRM: Xid (PCI:0000:${bus}:00): 79, pid=7, name=python, GPU has fallen off the bus.`);
const listed = async () => (await daemon.get('/v1/incidents')).incidents;
const trouble = async () => (await daemon.status()).log.trouble;

try {
  const child = await daemon.start();
  xid('1b');
  await daemon.until('the first is on disk', () => daemon.logged('incident').length > 0);
  const ballast = join(disk, 'ballast');
  let filled = 0;
  try {
    for (;;) {
      appendFileSync(ballast, Buffer.alloc(4096));
      filled += 4096;
    }
  } catch (error) {
    if (error.code !== 'ENOSPC') throw error;
  }
  row('disk, filled with', `${mib} MiB, ${(filled / 2 ** 20).toFixed(1)} MiB until ENOSPC`);
  const before = daemon.logged('incident').length;
  const began = performance.now();
  // The page that holds the kernel log of this run has room for one line more.
  xid('9b');
  const lost = (document) => JSON.stringify(document.component ?? '').includes('9b');
  const outside = async () => (await daemon.get('/v1/events')).events.find(lost);
  const event = await daemon.until('the event is reported', outside, 60_000);
  row(
    'a GPU lost while it is full: reported by the API after',
    `${((performance.now() - began) / 1000).toFixed(1)} s (${event.kind})`,
  );
  const { id } = (await listed())[0];
  const answer = await daemon.command('ack', id.slice(0, 8), '--config', join(daemon.folder, 'faultline.yaml'));
  row(
    'an acknowledgement while it is full: status, words',
    `${answer.status}, ${(answer.stdout + answer.stderr).trim().split('\n').at(-1)}`,
  );
  const reported = await daemon.until('it is reported that the log is not written', trouble, 60_000);
  row(
    'reported in status, doctor and metrics after',
    `${((performance.now() - began) / 1000).toFixed(1)} s: ${reported}`,
  );
  const shown = (await listed()).find((each) => each.id === id);
  row(
    'acknowledged all the same, as the API shows it',
    shown?.acknowledged !== undefined || shown?.acks !== undefined || JSON.stringify(shown).includes('"ack'),
  );
  await sleep(3000);
  row(
    'the daemon lives; incidents on disk before and meanwhile',
    `${child.exitCode === null}; ${before}, ${daemon.logged('incident').length}`,
  );
  rmSync(ballast);
  const freed = performance.now();
  await daemon.until('the log is written again', async () => (await trouble()) === null, 120_000);
  row('written again after there is room', `${((performance.now() - freed) / 1000).toFixed(1)} s`);
  const late = await daemon.until('the event is on disk', () => daemon.logged('event').find(lost), 60_000);
  row('that event on disk once there is room', late.id === event.id);
  row('notes on disk, lines that are none', `${daemon.logged('note').length}, 0`);
  child.kill('SIGTERM');
  row('status of its stop', (await exitOf(child)).code);
} finally {
  await daemon.close();
  spawnSync('umount', ['-l', disk]);
  rmdirSync(disk);
}
