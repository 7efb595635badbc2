// What the vendor child reads when the library works.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADDRESSES, Rack, series } from './rack.ts';

test('eight devices are reported with their identity, by canonical PCI address', async (context) => {
  const rack = new Rack(context, {
    control: {
      driver: '580.95.05',
      'gpu.2.pci': '00000000:AB:1F.0',
      'gpu.2.uuid': 'GPU-two',
      'gpu.2.name': 'NVIDIA "quoted" \\ name',
      'gpu.2.serial': '1652',
      'gpu.2.minor': 5,
    },
  });
  const devices = await rack.until('eight devices', () => {
    const reported = rack.reported('device');
    return reported.length >= 8 ? reported : undefined;
  });
  const expected = ADDRESSES.map((address) => `gpu/${address}`);
  expected[2] = 'gpu/0000:ab:1f.0';
  assert.deepEqual(
    devices.map((device) => device.component),
    expected,
  );
  const { timeMs: _, ...third } = devices[2] ?? assert.fail('no third device');
  assert.deepEqual(third, {
    name: 'device',
    component: 'gpu/0000:ab:1f.0',
    index: 2,
    uuid: 'GPU-two',
    model: 'NVIDIA "quoted" \\ name',
    serial: '1652',
    minor: 5,
    driver: '580.95.05',
    module: 3,
    numaNode: 0,
    architecture: 9,
  });
  assert.equal((await rack.notice('state', 'running')).value, 8);
});

test('every quantity arrives in SI units', async (context) => {
  const rack = new Rack(context, {
    control: {
      driver: '580.95.05',
      devices: 1,
      'gpu.0.power_mw': 512_500,
      'gpu.0.energy_mj': 123_456_789_000,
      'gpu.0.temperature': 61,
      'gpu.0.sm_clock_mhz': 1410,
      'gpu.0.memory_clock_mhz': 2619,
      'gpu.0.power_limit_mw': 700_000,
      'gpu.0.reasons': '0x44',
      'gpu.0.slowdown_c': 87,
      'gpu.0.utilization': 75,
    },
  });
  await rack.until('the slow lane came by', () => rack.last(series(0, 'temperature_limit')) !== undefined);
  await rack.fresh(series(0, 'utilization'));
  const expected = {
    power: 512.5,
    energy: 123_456_789,
    temperature: 61,
    sm_clock: 1.41e9,
    memory_clock: 2.619e9,
    power_limit: 700,
    clock_event_reasons: 0x44,
    temperature_limit: 87,
    utilization: 0.75,
  };
  for (const [quantity, value] of Object.entries(expected))
    assert.equal(rack.last(series(0, quantity)), value, quantity);
  await rack.fresh(series(0, 'hw_thermal_time'), (seconds) => seconds > 0);
  assert.equal(rack.last(series(0, 'power_brake_time')), 0);
});

test('the time that our reads spend in the library is counted per device', async (context) => {
  const rack = new Rack(context, { control: { devices: 2 } });
  await rack.fresh(series(1, 'library_time'), (seconds) => seconds > 0);
  const spent = rack.last(series(1, 'library_time')) ?? Number.NaN;
  await rack.fresh(series(1, 'library_time'), (seconds) => seconds > spent);
  rack.set({ 'gpu.1.error': 15 });
  await rack.until('the device is lost', () => rack.reported('device_lost').length > 0);
  const atTheEnd = rack.last(series(1, 'library_time'));
  await rack.fresh(series(0, 'library_time'));
  assert.equal(rack.last(series(1, 'library_time')), atTheEnd, 'what gives no value gives no sign of life either');
});

test('slowdown times are left out where the driver numbers those fields otherwise', async (context) => {
  const rack = new Rack(context, { control: { driver: '575.57.08', devices: 1 } });
  await rack.fresh(series(0, 'power_cap_time'));
  assert.equal(rack.last(series(0, 'power_brake_time')), undefined);
});

test('values change live', async (context) => {
  const rack = new Rack(context);
  await rack.fresh(series(7, 'power_limit'), (watts) => watts === 700);
  rack.set({ 'gpu.7.power_limit_mw': 250_000, 'gpu.7.reasons': '0x4' });
  await rack.fresh(series(7, 'power_limit'), (watts) => watts === 250);
  await rack.fresh(series(7, 'clock_event_reasons'), (mask) => mask === 4);
  assert.equal(rack.last(series(0, 'power_limit')), 700);
});

test('power and energy come from the single calls where the batched read does not exist', async (context) => {
  const rack = new Rack(context, {
    control: {
      devices: 1,
      'call.nvmlDeviceGetFieldValues.error': 13,
      'call.nvmlDeviceGetTemperatureV.error': 13,
      'gpu.0.power_mw': 300_000,
      'gpu.0.energy_mj': 5000,
      'gpu.0.temperature': 44,
    },
  });
  await rack.fresh(series(0, 'utilization'));
  assert.equal(rack.last(series(0, 'power')), 300);
  assert.equal(rack.last(series(0, 'energy')), 5);
  assert.equal(rack.last(series(0, 'temperature')), 44);
});

test('a missing capability costs its own series only', async (context) => {
  const rack = new Rack(context, { control: { devices: 1, 'call.nvmlDeviceGetUtilizationRates.error': 3 } });
  await rack.fresh(series(0, 'power'));
  await rack.fresh(series(0, 'power'));
  assert.equal(rack.last(series(0, 'utilization')), undefined);
  assert.equal(rack.reported('device_lost').length, 0);
});

test('an XID arrives with its device and number, and a repeat arrives again', async (context) => {
  const rack = new Rack(context, { control: { 'gpu.3.xid': '1 13' } });
  await rack.fresh(series(3, 'power'));
  rack.set({ 'gpu.3.xid': '2 79' });
  const first = await rack.notice('xid');
  assert.equal(first.component, `gpu/${ADDRESSES[3]}`);
  assert.equal(first.xid, 79);
  rack.set({ 'gpu.3.xid': '3 79' });
  const again = await rack.until('the repeat', () => rack.reported('xid')[1]);
  assert.equal(again.xid, 79);
});

test('a burst samples closer and ends by itself', async (context) => {
  const rack = new Rack(context, { intervalMs: 10_000, control: { devices: 1 } });
  const count = (): number => rack.core.history(series(0, 'power'), 0, Number.MAX_SAFE_INTEGER).values.length;
  await rack.until('the first round', () => count() === 1);
  rack.vendor.burst(600_000);
  await rack.until('a dozen rounds', () => count() >= 12);
});

test('slow calls stretch the interval, and this is reported', async (context) => {
  const rack = new Rack(context, { control: { devices: 1, 'call.nvmlDeviceGetPciInfo_v3.delay_ms': 0 } });
  await rack.fresh(series(0, 'power'));
  rack.set({ 'call.nvmlDeviceGetFieldValues.delay_ms': 20 });
  const reported = await rack.notice('state', 'throttled');
  assert.ok(reported.value > 50, `the interval is ${reported.value} ms`);
});
