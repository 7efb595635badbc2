// A library that is missing, refuses, is damaged or loses its devices.

import assert from 'node:assert/strict';
import { renameSync, truncateSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ADDRESSES, Rack, series } from './rack.ts';

test('a missing library is reported once and taken up when it appears', async (context) => {
  const rack = new Rack(context, { withLibrary: false });
  const absent = await rack.notice('state', 'absent');
  assert.match(absent.reason, /library not found/);
  // The child says so before it has ended.
  for (const end = Date.now() + 10_000; rack.vendor.pid() !== null && Date.now() < end; ) await sleep(10);
  assert.equal(rack.vendor.pid(), null);
  rack.install();
  await rack.fresh(series(0, 'power'));
  assert.equal(rack.reported('state', 'absent').length, 1);
  assert.equal(rack.reported('child_exit').length, 0);
});

for (const [bytes, what] of [
  [100, 'cut inside its header'],
  [20_000, 'cut in its middle'],
] as const) {
  test(`a library that is ${what} is reported as damaged, and its repair is taken up`, async (context) => {
    const rack = new Rack(context, { withLibrary: false });
    await rack.notice('state', 'absent');
    rack.install();
    truncateSync(rack.library, bytes);
    const failed = await rack.notice('state', 'failed');
    assert.match(failed.reason, /truncated|too short|invalid|cannot read/i);
    rack.install();
    await rack.fresh(series(0, 'power'));
  });
}

test('a file that is not a library is reported as such', async (context) => {
  const rack = new Rack(context, { withLibrary: false });
  // In one step: half a file is another failure.
  writeFileSync(`${rack.library}.new`, 'not a library\n'.repeat(100));
  renameSync(`${rack.library}.new`, rack.library);
  const failed = await rack.notice('state', 'failed');
  assert.match(failed.reason, /invalid ELF header/);
});

test('a driver that is not loaded is absent, a version mismatch is a state of its own, and both heal', async (context) => {
  const rack = new Rack(context, { control: { 'call.nvmlInit_v2.error': 9 } });
  const absent = await rack.notice('state', 'absent');
  assert.match(absent.reason, /driver not loaded/);
  assert.equal(absent.value, 9);
  rack.set({ 'call.nvmlInit_v2.error': 18 });
  const mismatch = await rack.notice('state', 'mismatch');
  assert.match(mismatch.reason, /different versions/);
  assert.equal(mismatch.value, 18);
  rack.set({ 'call.nvmlInit_v2.error': null });
  await rack.notice('state', 'running');
});

test('an executable that is not there is a failure with its path', async (context) => {
  const rack = new Rack(context, { executable: '/nonexistent/faultline-vendor' });
  const failed = await rack.notice('state', 'failed');
  assert.match(failed.reason, /\/nonexistent\/faultline-vendor/);
});

test('a lost device is reported once, is called no more, and the others continue', async (context) => {
  const rack = new Rack(context);
  await rack.fresh(series(4, 'power'));
  rack.set({ 'gpu.4.error': 15 });
  const lost = await rack.notice('device_lost');
  assert.equal(lost.component, `gpu/${ADDRESSES[4]}`);
  assert.equal(lost.returnCode, 15);
  rack.set({ 'gpu.4.error': null });
  const from = rack.core.now();
  for (const index of [0, 3, 5, 7]) await rack.fresh(series(index, 'power'));
  await rack.fresh(series(0, 'power'));
  assert.equal(rack.reported('device_lost').length, 1);
  assert.equal(rack.core.history(series(4, 'power'), from, Number.MAX_SAFE_INTEGER).values.length, 0);
});

test('a device that cannot be opened is lost from the start and the others run', async (context) => {
  const rack = new Rack(context, { control: { 'gpu.0.error': 15 } });
  const lost = await rack.notice('device_lost');
  assert.equal(lost.call, 'nvmlDeviceGetHandleByIndex_v2');
  assert.equal((await rack.notice('state', 'running')).value, 7);
  await rack.fresh(series(1, 'power'));
});

test('"unknown" from every device at once is lost access, not lost devices', async (context) => {
  const rack = new Rack(context);
  await rack.fresh(series(7, 'power'));
  const errors = (code: number | null): Record<string, number | null> =>
    Object.fromEntries(ADDRESSES.map((_, index) => [`gpu.${index}.error`, code]));
  rack.set({ 'gpu.0.error': 999 });
  await rack.fresh(series(1, 'power'));
  rack.set(errors(999));
  await rack.notice('state', 'access_lost');
  rack.set(errors(null));
  await rack.fresh(series(0, 'power'));
  assert.equal(rack.reported('device_lost').length, 0);
  await rack.until('running again', () => rack.reported('state').at(-1)?.state === 'running');
});

test('a driver that goes away ends the child and its return is taken up', async (context) => {
  const rack = new Rack(context);
  await rack.fresh(series(0, 'power'));
  rack.set({ 'call.nvmlDeviceGetFieldValues.error': 9 });
  const failed = await rack.notice('state', 'failed');
  assert.match(failed.reason, /driver went away/);
  rack.set({ 'call.nvmlDeviceGetFieldValues.error': null });
  await rack.fresh(series(0, 'power'));
  assert.equal(rack.reported('child_exit').length, 0);
});
