// Letting go of the devices, stopping, and what is left behind.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isAlive, Rack, series } from './rack.ts';

const VICTIM = fileURLToPath(new URL('./victim.ts', import.meta.url));

function childOf(rack: Rack): number {
  const pid = rack.vendor.pid();
  assert.ok(pid !== null);
  return pid;
}

test('release ends the child, says so when it is gone, and starts again', async (context) => {
  const rack = new Rack(context);
  await rack.fresh(series(0, 'power'));
  const pid = childOf(rack);
  rack.vendor.release(300);
  await rack.notice('state', 'released');
  assert.ok(!isAlive(pid));
  await rack.fresh(series(0, 'power'));
  assert.notEqual(childOf(rack), pid);
  assert.equal(rack.reported('child_exit').length, 0);
});

test('whoever releases with a trace context is answered with it, also when all is released already', async (context) => {
  const rack = new Rack(context);
  await rack.fresh(series(0, 'power'));
  const contexts = ['01', '00'].map((flags) => `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-${flags}`);
  for (const each of contexts) {
    rack.vendor.release(600_000, each);
    await rack.until('it is answered', () => rack.reported('state', 'released').some((n) => n.traceparent === each));
  }
  assert.equal(rack.reported('state', 'released').length, 2);
  assert.throws(() => rack.vendor.release(1000, 'not a context'), /Vendor\.release needs a traceparent/);
});

test('release goes through while nvmlShutdown hangs', async (context) => {
  const rack = new Rack(context, { control: { 'call.nvmlShutdown.hang': 1 } });
  await rack.fresh(series(0, 'power'));
  const pid = childOf(rack);
  rack.vendor.release(600_000);
  await rack.notice('state', 'released');
  assert.ok(!isAlive(pid));
  assert.equal(rack.vendor.pid(), null);
});

test('stop is reported at once and takes the child with it, hanging or not', async (context) => {
  const rack = new Rack(context, { callDeadlineMs: 60_000 });
  await rack.fresh(series(0, 'power'));
  const pid = childOf(rack);
  rack.set({ 'gpu.0.hang': 1 });
  rack.vendor.stop();
  rack.vendor.stop();
  await rack.notice('state', 'stopped');
  await rack.until('the child is gone', () => !isAlive(pid));
  assert.equal(rack.reported('state', 'stopped').length, 1);
});

test('the child has no descriptor of the daemon and only the allowed environment', async (context) => {
  process.env.FAULTLINE_TEST_SECRET = 'do not pass on';
  context.after(() => delete process.env.FAULTLINE_TEST_SECRET);
  const rack = new Rack(context);
  await rack.fresh(series(0, 'power'));
  const pid = childOf(rack);
  if (process.geteuid?.() !== 0) {
    // Not even to its own user does it show what it has.
    assert.throws(() => readdirSync(`/proc/${pid}/fd`), /EACCES/);
    assert.throws(() => readFileSync(`/proc/${pid}/environ`), /EACCES/);
    return;
  }
  const open = readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
  // The inotify ones are the stand-in library's own: it waits on its control file.
  const expected = /memfd:faultline-ring|anon_inode:(?:\[eventfd\]|inotify)/;
  assert.deepEqual(
    open.filter((path) => path !== '/dev/null' && !expected.test(path)),
    [],
  );
  const names = readFileSync(`/proc/${pid}/environ`, 'utf8')
    .split('\0')
    .map((line) => line.split('=')[0]);
  const allowed = ['PATH', 'LD_LIBRARY_PATH', 'FAULTLINE_FAKE_NVML', ''];
  assert.deepEqual(
    names.filter((name) => !allowed.includes(name ?? '')),
    [],
  );
});

for (const how of ['exit', 'kill'] as const) {
  test(`a process that ends by ${how} while a call hangs ends at once and leaves no child`, async (context) => {
    const rack = new Rack(context, { control: { devices: 1 } });
    const victim = spawn(process.execPath, [VICTIM, rack.library, how], { stdio: ['pipe', 'pipe', 'inherit'] });
    context.after(() => victim.kill('SIGKILL'));
    const lines: string[] = [];
    victim.stdout.setEncoding('utf8').on('data', (text: string) => lines.push(...text.split('\n')));
    const pid = await rack.until(
      'the victim has a child',
      () => Number(lines.find((line) => line.startsWith('child '))?.slice('child '.length) ?? 0) || undefined,
    );
    assert.ok(isAlive(pid));
    rack.set({ 'gpu.0.hang': 1 });
    if (how === 'kill') victim.kill('SIGKILL');
    else victim.stdin.write('exit\n');
    await rack.until('the victim is gone', () => victim.exitCode !== null || victim.signalCode !== null);
    await rack.until('its child is gone', () => !isAlive(pid));
  });
}

test('options that cannot be are refused with the field', (context) => {
  const rack = new Rack(context);
  const Vendor = rack.vendor.constructor as new (core: unknown, options: unknown) => unknown; // refusal is what is tested
  const good = { executable: 'x', library: 'y', intervalMs: 100, burstIntervalMs: 20, callDeadlineMs: 100 };
  assert.throws(() => new Vendor({}, good), TypeError);
  assert.throws(() => new Vendor(rack.core, { ...good, intervalMs: 1 }), /intervalMs/);
  assert.throws(() => new Vendor(rack.core, { ...good, library: 'a\0b' }), /library/);
  assert.throws(() => rack.vendor.burst(Number.NaN), TypeError);
  assert.throws(() => rack.vendor.release(-1), TypeError);
});
