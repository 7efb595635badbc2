// What the vendor child reports becomes health, discoveries and events that name the device, the call and the code.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RawNotice } from '../../../src/model/native-notice.ts';
import { deviceDetails, notice } from '../../model/raw-notice.ts';
import { GPU, started } from './started.ts';

const DEVICE = notice({
  type: 'device',
  component: GPU,
  details: deviceDetails({ uuid: 'GPU-1', model: 'H100', serial: '1', driver: '570.1' }),
});

test('a device is discovered under its address, with the names that people use, and its host holds it', () => {
  const { source, discoveries } = started();
  source.handleNotice(DEVICE);
  assert.equal(discoveries[0]?.component.id, '0000:1b:00.0');
  assert.deepEqual(discoveries[0]?.component.aliases, ['gpu 0', 'GPU-1', '1']);
  assert.equal(discoveries[0]?.links[0]?.relation, 'contains');
  assert.deepEqual(source.health()[0]?.status, 'works');
  assert.match(source.health()[0]?.detail ?? '', /^1 GPU, driver 570\.1$/);
});

const EVENTS: readonly [Partial<RawNotice>, string, RegExp][] = [
  [{ type: 'xid', value: 79 }, 'gpu.lost', /XID 79/],
  [{ type: 'xid', value: 48 }, 'gpu.memory.dbe', /XID 48/],
  [{ type: 'device_lost', name: 'nvmlDeviceGetFieldValues', value: 15 }, 'gpu.lost', /nvmlDeviceGetFieldValues returned 15/],
  [{ type: 'device_lost', name: 'nvmlDeviceGetFieldValues', value: 16 }, 'gpu.fault', /returned 16/],
  [{ type: 'call_stalled', name: 'nvmlDeviceGetUUID', value: 2_000 }, 'gpu.call_stalled', /nvmlDeviceGetUUID had not returned after 2000 ms/],
]; // biome-ignore format: one row a case
for (const [fields, kind, evidence] of EVENTS) {
  test(`${fields.type} ${fields.value} is ${kind}, with the device and what the library said`, () => {
    const { source, events } = started();
    source.handleNotice(DEVICE);
    source.handleNotice(notice({ component: GPU, ...fields }));
    const [event] = events;
    assert.equal(event?.kind, kind);
    assert.equal(event?.component?.id, '0000:1b:00.0');
    assert.equal(event?.trust, 'driver');
    const [first] = event?.evidence ?? [];
    assert.match(first !== undefined && 'text' in first ? first.text : '', evidence);
  });
}

test('all GPUs unknown at once is lost access of the host, not a fault of the GPUs', () => {
  const { source, events } = started();
  source.handleNotice(notice({ name: 'access_lost', text: 'every call answers 999' }));
  assert.equal(events[0]?.kind, 'gpu.access_lost');
  assert.equal(events[0]?.component?.type, 'host');
  assert.equal(source.health()[0]?.status, 'failed');
});

test('an absent library is absent, with the line that fixes it; released devices are off', () => {
  const { source } = started();
  source.handleNotice(notice({ name: 'absent', text: 'library not found: libnvidia-ml.so.1' }));
  assert.equal(source.health()[0]?.status, 'absent');
  assert.match(source.health()[0]?.remedy ?? '', /sources\.gpu\.library/);
  source.handleNotice(notice({ name: 'released' }));
  assert.equal(source.health()[0]?.status, 'off');
});

test('devices are let go where there are some or may be, not where the child found none', () => {
  const { source } = started();
  assert.equal(source.release(1000), true); // it has not looked yet
  source.handleNotice(notice({ name: 'absent', text: 'library not found: libnvidia-ml.so.1' }));
  assert.equal(source.release(1000), false);
  source.handleNotice(notice({ name: 'running' }));
  assert.equal(source.release(1000), true);
  source.handleNotice(notice({ name: 'released' }));
  assert.equal(source.release(1000), true);
});

test('a GPU that the driver lists no more is forgotten, so that the bus can say that it is missing', () => {
  const { source, gpus } = started();
  source.handleNotice(DEVICE);
  source.handleNotice(notice({ type: 'processes', component: GPU, details: { pids: [7] } }));
  assert.deepEqual(gpus.listed(), ['0000:1b:00.0']);
  source.handleNotice(notice({ type: 'device_gone', component: GPU }));
  assert.deepEqual(gpus.listed(), []);
  assert.deepEqual(gpus.facts(), {
    gpus: [],
    oneModel: false,
    users: new Map(),
    minors: new Map(),
    instances: [],
    kernel: [],
  });
  assert.match(source.health()[0]?.detail ?? '', /^FL2116 .* shows no GPU$/);
});

test('a child that breaks its protocol again is an error in health and takes readiness away, until it stops', () => {
  const { source, events, core } = started();
  source.handleNotice(DEVICE);
  const broke = {
    type: 'child_exit',
    name: 'corrupt',
    text: 'it wrote power of 1e30; all that came with it was thrown away',
  };
  source.handleNotice(notice({ ...broke, timeMs: core.now() }));
  assert.equal(source.health()[0]?.status, 'works');
  source.handleNotice(notice({ ...broke, timeMs: core.now() }));
  source.handleNotice(notice({ name: 'running' })); // what its successor says of itself changes nothing
  const [health] = source.health();
  assert.equal(health?.status, 'failed');
  assert.equal(health?.unready, true);
  assert.match(health?.detail ?? '', /^FL2002 .* 2 times within ten minutes, last: it wrote power of 1e30/);
  assert.match(health?.remedy ?? '', /dpkg --verify/);
  assert.equal(events[0]?.kind, 'agent.source_failed');
  const { source: later } = started();
  for (const agoMs of [700_000, 650_000]) later.handleNotice(notice({ ...broke, timeMs: core.now() - agoMs }));
  later.handleNotice(DEVICE);
  assert.equal(later.health()[0]?.status, 'works');
});

test('after stop nothing is emitted any more', async () => {
  const { source, events } = started();
  await source.stop();
  source.handleNotice(notice({ type: 'xid', component: GPU, value: 79 }));
  assert.deepEqual(events, []);
});
