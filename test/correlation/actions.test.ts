// Actions: the root is right, and what to do about it follows from the gravest of it, from how much fails, and from where it is.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { correlator, event, GPUS, link, run, T0 } from './fixtures.ts';

const [GPU_A = '', GPU_B = ''] = GPUS;
const kernel = { trust: 'kernel', source: 'kernel-log' } as const;
const tenant = { trust: 'tenant', source: 'job-log' } as const;
const nic = { trust: 'kernel', source: 'nic', state: 'onset' } as const;
const NICS = ['18', '2a', '3b', '4d', '9a', 'ab', 'ba', 'cd'].map((bus) => `nic/0000:${bus}:00.0`);
const NIC_LINKS = NICS.map((one) => link('host/node-3', one, 'contains'));

test('an uncontained error whose row could not be remapped: the GPU is replaced, a reset alone repairs nothing', () => {
  const { root, action, chain } = run(correlator(), [
    event(0, 'gpu.memory.uncontained', GPU_A, { ...kernel, attributes: { xid: 95, action: 'drain_reset_gpu' } }),
    event(0.06, 'gpu.memory.row_remap_failed', GPU_A, { ...kernel, attributes: { xid: 64 } }),
    event(0.1, 'gpu.recovery_action', GPU_A, { ...kernel, attributes: { xid: 154, recovery_action: '0x1' } }),
  ]).only();
  assert.equal(root.kind, 'gpu.memory.uncontained');
  assert.equal(chain.length, 3);
  assert.deepEqual([action.kind, action.target?.id], ['replace_part', GPU_A.slice(4)]);
  assert.match(action.why, /^it led to: /);
});

test('what happened in one moment with the root is not said to have followed it', () => {
  const { root, action } = run(correlator(), [
    event(0, 'gpu.memory.contained', GPU_A, { ...kernel, attributes: { xid: 94 } }),
    event(0, 'gpu.memory.dbe', GPU_A, { ...kernel, attributes: { xid: 48 } }),
  ]).only();
  assert.equal(root.kind, 'gpu.memory.contained');
  assert.equal(action.why, 'with uncorrectable GPU memory error');
});

test('what is less severe than the root, happened to another device or was only claimed by a user does not decide', () => {
  const contained = event(0, 'gpu.memory.contained', GPU_A, { ...kernel, attributes: { xid: 94 } });
  for (const other of [
    event(0.06, 'gpu.memory.row_remap_pending', GPU_A, { ...kernel, attributes: { xid: 63 } }),
    event(0.06, 'gpu.memory.row_remap_failed', GPU_B, { ...kernel, attributes: { xid: 64 } }),
    event(0.06, 'gpu.memory.row_remap_failed', GPU_A, { ...tenant }),
  ]) {
    const reported = run(correlator(), [contained, other]).last.find(
      ({ root }) => root.kind === 'gpu.memory.contained',
    );
    assert.equal(reported?.action.kind, 'restart_app', other.kind);
  }
});

test('an engine that does not come back after the fault of a program needs a reset, not a debugger', () => {
  const { root, action } = run(correlator(), [
    event(0, 'gpu.app_fault', GPU_A, { ...kernel, attributes: { xid: 13 } }),
    event(2, 'gpu.ctx_switch_timeout', GPU_A, { ...kernel, attributes: { xid: 109 } }),
  ]).only();
  assert.deepEqual([root.kind, action.kind], ['gpu.app_fault', 'reset_gpu']);
});

test('the driver decides between resets, as before', () => {
  const { action } = run(correlator(), [
    event(0, 'gpu.memory.dbe', GPU_A, { ...kernel, attributes: { xid: 48 } }),
    event(0.1, 'gpu.recovery_action', GPU_A, { ...kernel, attributes: { xid: 154, recovery_action: '0x2' } }),
  ]).only();
  assert.deepEqual([action.kind, action.target?.id], ['reboot_node', GPU_A.slice(4)]);
});

test('the driver’s own event of a request, which has no value, does not hide what the line before it asks for', () => {
  const { action } = run(correlator(), [
    event(0, 'gpu.memory.contained', GPU_A, { ...kernel, attributes: { xid: 94 } }),
    event(0.1, 'gpu.recovery_action', GPU_A, { ...kernel, attributes: { xid: 154, recovery_action: '0x4' } }),
    event(0.13, 'gpu.recovery_action', GPU_A, { trust: 'driver', source: 'gpu', attributes: { xid: 154 } }),
  ]).only();
  assert.equal(action.kind, 'drain_reset_gpu');
});

test('a file server that does not answer is named itself, and this host is left alone', () => {
  const { action } = run(correlator(), [
    event(0, 'storage.stall', 'host/node-3', { ...kernel, state: 'onset', attributes: { server: '192.0.2.36' } }),
  ]).only();
  assert.deepEqual([action.kind, action.target], ['inspect_hardware', { type: 'host', id: '192.0.2.36' }]);
  assert.match(action.why, /nothing on this host/);
  const local = run(correlator(), [
    event(0, 'storage.stall', 'host/node-3', { ...kernel, state: 'onset', attributes: { device: 'nvme3' } }),
  ]).only();
  assert.deepEqual([local.action.kind, local.action.target?.id], ['inspect_hardware', 'node-3']);
});

test('all ports of a host held up at once is the fabric behind them, one port its cable', () => {
  const paused = (s: number, at: string) =>
    event(s, 'nic.link_degraded', at, { ...nic, attributes: { quantity: 'pause_received_time' } });
  const all = run(
    correlator(NIC_LINKS),
    NICS.map((one, i) => paused(i, one)),
  ).only();
  assert.deepEqual([all.action.kind, all.action.target], ['check_config', null]);
  assert.match(all.action.why, /all 8 ports/);
  assert.deepEqual(all.root.component, { type: 'host', id: 'node-3' }, 'the root names no one port');
  assert.equal(all.title, 'NIC link degraded on node-3: the fabric pauses all 8 ports');
  const seven = run(
    correlator(NIC_LINKS),
    NICS.slice(1).map((one, i) => paused(i, one)),
  ).only();
  assert.equal(seven.root.component?.type, 'nic', 'where one is left out it is not every port');
  const bad = run(
    correlator(NIC_LINKS),
    NICS.map((one, i) => event(i, 'nic.link_degraded', one, nic)),
  ).only();
  assert.deepEqual([bad.action.kind, bad.action.target], ['check_link', null]);
  const one = run(correlator(NIC_LINKS), [paused(0, NICS[2] ?? '')]).only();
  assert.deepEqual([one.action.kind, one.action.target?.id], ['check_link', NICS[2]?.slice(4)]);
});

test('two ports of one card are not the fabric', () => {
  const ports = ['nic/0000:18:00.0', 'nic/0000:18:00.1'];
  const { action } = run(
    correlator(ports.map((one) => link('host/node-3', one, 'contains'))),
    ports.map((one) => event(0, 'nic.port_down', one, nic)),
  ).only();
  assert.equal(action.kind, 'check_link');
});

test('a rank that finishes late sends to the hardware of its GPU, not into the program', () => {
  const next = 'XID, ECC and NVLink of the GPUs of these ranks, then their network ports';
  const { root, action } = run(correlator(), [
    event(0, 'job.collective_desync', 'rank/llama/3', {
      trust: 'tenant',
      source: 'flight-recorder',
      attributes: { verdict: 'late_completer', action: 'inspect_hardware', next },
    }),
  ]).only();
  assert.equal(root.kind, 'job.collective_desync');
  assert.deepEqual([action.kind, action.why], ['none', `look at ${next}`]);
});

test('a GPU too warm for moments, once and without any consequence, asks for nothing', () => {
  const hot = (fromS: number, toS: number, severity: 'warning' | 'error' = 'warning') => [
    event(fromS, 'gpu.thermal_throttle', GPU_A, { state: 'onset', severity }),
    event(toS, 'gpu.thermal_throttle', GPU_A, { state: 'clear', severity }),
  ];
  const actionOf = (events: Parameters<typeof run>[1]) => {
    const made = correlator();
    const reported = run(made, events);
    return reported.take(made.advance(T0 + 400_000)).only().action;
  };
  const { kind, why } = actionOf(hot(0, 6));
  assert.equal(kind, 'none');
  assert.match(why, /over after 6 s/);
  assert.equal(actionOf(hot(0, 40)).kind, 'check_cooling', 'it lasted');
  assert.equal(actionOf(hot(0, 6, 'error')).kind, 'check_cooling', 'the detector saw more than this');
  assert.equal(actionOf([...hot(0, 6), ...hot(90, 96)]).kind, 'check_cooling', 'it came back');
  assert.equal(actionOf(hot(0, 6).slice(0, 1)).kind, 'check_cooling', 'it is not over');
  const snapshot = [event(0, 'gpu.thermal_throttle', GPU_A, { severity: 'warning' })];
  assert.equal(actionOf(snapshot).kind, 'check_cooling', 'a report of a state never says that it is over');
});
