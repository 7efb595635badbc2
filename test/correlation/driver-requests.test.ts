// What drivers ask for and report of one device in several lines is one incident; what is only on its way is none.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { correlator, event, GPUS, run } from './fixtures.ts';

const [GPU = ''] = GPUS;
const kernel = { trust: 'kernel', source: 'kernel-log' } as const;

test('what the driver asks for is published, without a root cause, where no line names the fault', () => {
  const asked = { ...kernel, attributes: { recovery_action: '0x4' } };
  const reported = run(correlator(), [event(0, 'gpu.recovery_action', GPU, asked)]).only();
  assert.deepEqual(
    [reported.severity, reported.rootKnown, reported.action.kind],
    ['critical', false, 'drain_reset_gpu'],
  );
  const none = run(correlator(), [event(0, 'gpu.recovery_action', GPU, { ...kernel, attributes: { to: '0x0' } })]);
  assert.deepEqual(none.last, []);
});

test('the driver’s request belongs to the fault before it, as grave as that one is', () => {
  const reported = run(correlator(), [
    event(0, 'gpu.memory.contained', GPU, kernel),
    event(0.1, 'gpu.recovery_action', GPU, { ...kernel, attributes: { recovery_action: '0x1' } }),
  ]).only();
  assert.deepEqual(
    [reported.root.kind, reported.severity, reported.action.kind],
    ['gpu.memory.contained', 'error', 'reset_gpu'],
  );
});

test('functions of one network card report one fault, those of another card of their own', () => {
  const fault = (s: number, id: string) => event(s, 'nic.firmware_fault', `nic/${id}`, kernel);
  assert.equal(run(correlator(), [fault(0, '0000:40:00.0'), fault(0.2, '0000:40:00.1')]).last.length, 1);
  assert.equal(run(correlator(), [fault(0, '0000:40:00.0'), fault(0.2, '0000:41:00.0')]).last.length, 2);
  const hot = [
    event(0, 'nic.overtemp', 'nic/0000:40:00.0', kernel),
    event(300, 'nic.lost', 'nic/0000:40:00.1', kernel),
  ];
  assert.equal(run(correlator(), hot).only().root.kind, 'nic.overtemp');
});

test('a GPU off the bus as its driver is loaded is a fault; one that is only not there yet is none', () => {
  const load = event(1, 'driver.reloaded', 'host/node-3', kernel);
  assert.equal(run(correlator(), [event(0.9, 'gpu.lost', GPU, kernel), load]).last.filter(({ severity }) => severity !== 'info').length, 1); // biome-ignore format: one call
  assert.deepEqual(run(correlator(), [load, event(3, 'gpu.missing', GPU, { ...kernel, state: 'onset' })]).last.filter(({ severity }) => severity !== 'info'), []); // biome-ignore format: one call
});
