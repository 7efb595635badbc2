// What the driver tells beyond XIDs: events of the table, resets, instances, capabilities, parts of the child.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RawNotice } from '../../../src/model/native-notice.ts';
import type { EventInput } from '../../../src/model/record.ts';
import { capabilityLines } from '../../../src/sources/gpu/capabilities.ts';
import { deviceDetails, notice } from '../../model/raw-notice.ts';
import { GPU, started } from './started.ts';

function reported(...notices: readonly Partial<RawNotice>[]) {
  const { source, gpus, events, discoveries } = started();
  const device = {
    type: 'device',
    component: GPU,
    details: deviceDetails({ uuid: 'GPU-1', model: 'H100', driver: '580.1' }),
  };
  for (const fields of [device, ...notices]) source.handleNotice(notice(fields));
  return { source, gpus, events, discoveries };
}

function event(name: string, value = 0): EventInput | undefined {
  return reported({ type: 'gpu_event', component: GPU, name, value }).events[0];
}

test('memory events of the driver are what the XIDs of the same name are', () => {
  assert.equal(event('poison_non_fatal')?.kind, 'gpu.memory.contained');
  assert.equal(event('poison_fatal')?.kind, 'gpu.memory.uncontained');
  assert.equal(event('dram_retirement')?.kind, 'gpu.memory.row_remap_pending');
  assert.equal(event('dram_retirement_failure')?.kind, 'gpu.memory.row_remap_failed');
  assert.equal(event('ecc_single_bit_storm')?.kind, 'gpu.memory.sbe_storm');
  assert.deepEqual(
    [event('ecc_double_bit')?.kind, event('ecc_double_bit')?.severity],
    ['gpu.memory.uncorrectable', 'error'],
  );
});

test('a recovery action carries its number, a power source its own; a supply too small is graver', () => {
  assert.deepEqual(event('recovery_action', 4)?.attributes, { event: 'recovery_action', recovery_action: 4 });
  const mains = event('power_source_change', 0);
  assert.deepEqual([mains?.kind, mains?.severity], ['gpu.driver_notice', undefined]);
  const weak = event('power_source_change', 2);
  assert.deepEqual([weak?.severity, weak?.attributes?.action], ['warning', 'check_power_feed']);
});

test('clocks that follow the load are no news; an event without a row is kept as a notice', () => {
  assert.equal(event('clock_change'), undefined);
  assert.equal(event('something_new', 7)?.kind, 'gpu.driver_notice');
  assert.equal(event('something_new', 7)?.attributes?.value, 7);
});

test('a reset that was seen explains what follows, and a device that waits for one names the action', () => {
  const reset = reported({ type: 'gpu_reset', component: GPU, name: 'counter_restarted', text: 'energy began again' });
  assert.deepEqual([reset.events[0]?.kind, reset.events[0]?.attributes?.how], ['gpu.reset', 'counter_restarted']);
  const lost = reported({ type: 'device_lost', component: GPU, name: 'nvmlDeviceGetFieldValues', value: 16 });
  assert.equal(lost.events[0]?.attributes?.action, 'reset_gpu');
});

test('a MIG instance is a component under its GPU, and nothing is said of the GPU', () => {
  const { discoveries, events } = reported(
    { type: 'gpu_instance', component: 'gpu_instance/0000:1b:00.0/5', name: 'there', details: { gpuInstance: 5, computeInstance: 0, uuid: 'MIG-5', profile: '1g.10gb' }, value: 1 },
    { type: 'gpu_instance', component: 'gpu_instance/0000:1b:00.0/5', name: 'gone', details: { gpuInstance: 5, computeInstance: 0, uuid: 'MIG-5', profile: '1g.10gb' } },
    { type: 'gpu_instance', component: 'gpu_instance/0000:ff:00.0/1', name: 'there', details: { gpuInstance: 1, computeInstance: 0, uuid: '', profile: '' }, value: 1 },
  ); // biome-ignore format: one notice a line
  assert.equal(discoveries.length, 2);
  const { component, links } = discoveries[1] ?? assert.fail('no instance');
  assert.deepEqual(component, {
    type: 'gpu_instance',
    id: '0000:1b:00.0/5',
    host: 'node-3',
    parent: GPU,
    aliases: ['MIG-5'],
  });
  assert.deepEqual([links[0]?.from.id, links[0]?.relation], ['0000:1b:00.0', 'contains']);
  assert.deepEqual(events, []);
});

test('doctor gets one line for GPUs that can do the same, and what parts of the child say', () => {
  const { source } = reported(
    { type: 'capabilities', component: GPU, details: { power: 'works', nvlink: '18 links, 18 up', mig: 'off', fabric: 'unsupported (3)', gpm: 'unsupported (3)' } },
    { type: 'part_state', name: 'calibration', text: 'sensors refresh each: 100.0 ms' },
  ); // biome-ignore format: one notice a line
  assert.deepEqual(source.health()[0]?.notes, [
    '1 × H100: 3 of 5 groups; without fabric, gpm: unsupported (3)',
    'calibration: sensors refresh each: 100.0 ms',
  ]);
});

test('GPUs of a model that can do the same are counted together; one without a table is left out', () => {
  const able = { model: 'H100', capabilities: new Map([['power', 'works']]) };
  const other = { model: 'T4', capabilities: new Map([['power', 'no permission (4)']]) };
  const none = { model: 'x', capabilities: new Map() };
  assert.deepEqual(capabilityLines([able, other, able, none]), [
    '2 × H100: 1 of 1 groups',
    '1 × T4: 0 of 1 groups; without power: no permission (4)',
  ]);
});

test('an XID of one instance names it, and the GPU is not reset under the others', () => {
  const xid = (value: number, text: string): EventInput | undefined =>
    reported({ type: 'xid', component: GPU, value, text }).events[0];
  const instance = 'gpu_instance/0000:1b:00.0/1';
  assert.deepEqual(
    [xid(46, 'gi 1 ci 0')?.attributes?.action, xid(46, '')?.attributes?.action],
    ['drain_reset_gpu', 'reset_gpu'],
  );
  assert.equal(xid(46, 'gi 1 ci 0; 3 more since the last one reported')?.attributes?.gpu_instance, instance);
  assert.deepEqual(
    [xid(94, 'gi 1 ci 0')?.attributes?.gpu_instance, xid(94, 'gi 1 ci 0')?.attributes?.action],
    [instance, undefined],
  );
  assert.equal(xid(94, '3 more since the last one reported')?.attributes?.gpu_instance, undefined);
});

test('who computes on a GPU is kept, as the driver listed it last', () => {
  const list = (...pids: number[]) => ({ type: 'processes', component: GPU, details: { pids } });
  const { source, gpus, events } = reported(list(7, 31), list(31, 400), {
    ...list(1),
    component: 'gpu/0000:ff:00.0',
  });
  assert.deepEqual([...gpus.facts().users], [['0000:1b:00.0', [31, 400]]]);
  assert.deepEqual(events, []);
  source.handleNotice(notice(list()));
  assert.deepEqual([...gpus.facts().users], [['0000:1b:00.0', []]]);
});
