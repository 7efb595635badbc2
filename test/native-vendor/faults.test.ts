// A library that crashes or does not return: only the device concerned stops.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADDRESSES, isAlive, Rack, series } from './rack.ts';

test('a crash names its signal and call, and the child comes back', async (context) => {
  const rack = new Rack(context);
  await rack.fresh(series(0, 'power'));
  rack.set({ 'call.nvmlDeviceGetClockInfo.crash': 1 });
  const exit = await rack.notice('child_exit');
  assert.equal(exit.how, 'SIGSEGV');
  assert.match(exit.text, /nvmlDeviceGetClockInfo on index 0/);
  assert.equal(exit.status, 11);
  rack.set({ 'call.nvmlDeviceGetClockInfo.crash': null });
  await rack.fresh(series(0, 'power'));
});

test('a child that is killed from outside is replaced', async (context) => {
  const rack = new Rack(context);
  await rack.fresh(series(0, 'power'));
  const pid = rack.vendor.pid();
  assert.ok(pid !== null);
  process.kill(pid, 'SIGKILL');
  await rack.notice('child_exit', 'SIGKILL');
  await rack.fresh(series(0, 'power'));
  assert.notEqual(rack.vendor.pid(), pid);
});

test('a hanging device is named, and the other seven continue without it', async (context) => {
  const rack = new Rack(context);
  await rack.fresh(series(7, 'power'));
  const stuck = rack.vendor.pid();
  rack.set({ 'gpu.3.hang': 1 });
  const stalled = await rack.notice('call_stalled');
  assert.equal(stalled.component, `gpu/${ADDRESSES[3]}`);
  assert.match(stalled.call, /^nvmlDevice/);
  assert.ok(stalled.stalledMs >= 300);
  const from = rack.core.now();
  for (const index of [0, 1, 2, 4, 5, 6, 7]) await rack.fresh(series(index, 'power'));
  for (const index of [0, 7]) await rack.fresh(series(index, 'power'));
  assert.equal(rack.core.history(series(3, 'power'), from, Number.MAX_SAFE_INTEGER).values.length, 0);
  assert.equal(rack.reported('call_stalled').length, 1);
  assert.equal(rack.reported('device').length, 8);
  await rack.until('the stuck child is gone', () => stuck !== null && !isAlive(stuck));
});

test('two devices that hang one after the other are both named', async (context) => {
  const rack = new Rack(context);
  await rack.fresh(series(7, 'power'));
  rack.set({ 'gpu.3.hang': 1, 'gpu.5.hang': 1 });
  await rack.until('both', () => rack.reported('call_stalled').length === 2);
  assert.deepEqual(
    rack.reported('call_stalled').map((notice) => notice.component),
    [`gpu/${ADDRESSES[3]}`, `gpu/${ADDRESSES[5]}`],
  );
  await rack.fresh(series(7, 'power'));
});

test('nvmlInit that hangs is named without a device and tried again', async (context) => {
  const rack = new Rack(context, { control: { 'call.nvmlInit_v2.hang': 1 }, callDeadlineMs: 50 });
  const stalled = await rack.notice('call_stalled');
  assert.equal(stalled.call, 'nvmlInit_v2');
  assert.equal(stalled.component, null);
  assert.match((await rack.notice('state', 'failed')).reason, /nvmlInit_v2 does not return/);
  rack.set({ 'call.nvmlInit_v2.hang': null });
  await rack.fresh(series(0, 'power'));
});

test('a hang in the event thread is found while samples still come', async (context) => {
  const rack = new Rack(context);
  await rack.fresh(series(0, 'power'));
  rack.set({ 'call.nvmlEventSetWait_v2.hang': 1 });
  const stalled = await rack.notice('call_stalled');
  assert.equal(stalled.call, 'nvmlEventSetWait_v2');
  rack.set({ 'call.nvmlEventSetWait_v2.hang': null });
  await rack.fresh(series(0, 'power'));
});

test('a device that hung is tried by a second child, and comes back when it answers', async (context) => {
  const rack = new Rack(context, { retryMs: 500 });
  await rack.fresh(series(7, 'power'));
  rack.set({ 'gpu.3.hang': 1 });
  await rack.notice('call_stalled');
  await rack.fresh(series(7, 'power'));
  const without = rack.vendor.pid();
  await rack.until('the retry hangs too', () => rack.reported('call_stalled').length === 2);
  // The child that works was not touched by the attempt.
  assert.equal(rack.vendor.pid(), without);
  await rack.fresh(series(7, 'power'));
  rack.set({ 'gpu.3.hang': null });
  await rack.fresh(series(3, 'power'));
  assert.notEqual(rack.vendor.pid(), without);
  assert.equal(rack.reported('child_exit').length, 0);
});

test('a lost device comes back after its reset, and its next loss is reported again', async (context) => {
  const rack = new Rack(context, { retryMs: 200 });
  await rack.fresh(series(2, 'power'));
  rack.set({ 'gpu.2.error': 15 });
  await rack.notice('device_lost');
  rack.set({ 'gpu.2.error': null });
  await rack.fresh(series(2, 'power'));
  assert.equal(rack.reported('device_lost').length, 1);
  rack.set({ 'gpu.2.error': 16 });
  const again = await rack.until('the second loss', () => rack.reported('device_lost')[1]);
  assert.equal(again.returnCode, 16);
});

test('a device whose calls crash is left out after the second time', async (context) => {
  const rack = new Rack(context, { control: { devices: 2 } });
  await rack.fresh(series(1, 'power'));
  rack.set({ 'gpu.1.crash': 1 });
  await rack.until('two crashes', () => rack.reported('child_exit', 'SIGSEGV').length === 2);
  await rack.fresh(series(0, 'power'));
  await rack.fresh(series(0, 'power'));
  assert.equal(rack.reported('child_exit').length, 2);
});
