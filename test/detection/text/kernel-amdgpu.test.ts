// Lines of AMD's GPU driver.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TextDetection } from '../../../src/detection/text/text-detection.ts';
import { decodeLines, kernelRecord, type Shape, START_MS, testShapes } from './lines.ts';

const GPU = 'gpu/0000:0a:00.0';
const shapes: readonly Shape[] = [
  ['amdgpu 0000:0a:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=7073226, emitted seq=7073228', 'gpu.fault', GPU, { ring: 'gfx_0.0.0' }],
  ['amdgpu 0000:0a:00.0: amdgpu: ring gfx_0.0.0 timeout, but soft recovered', 'gpu.fault', GPU, { recovered: true }],
  ['amdgpu 0000:0a:00.0: GPU reset begin!', 'gpu.fault', GPU, { driver_reset: true }],
  ['amdgpu 0000:0a:00.0: amdgpu: GPU reset begin!. Source:  4', 'gpu.fault', GPU, { driver_reset: true }],
  ['amdgpu 0000:0a:00.0: amdgpu: GPU reset begin!. Source:  5', 'gpu.reset', GPU, {}],
  ['amdgpu 0000:0a:00.0: amdgpu: GPU reset(1) failed with error -110', 'gpu.reset_failed', GPU, {}],
  ['amdgpu 0000:0a:00.0: amdgpu: GPU reset(3) failed', 'gpu.reset_failed', GPU, {}],
  ['[drm:amdgpu_device_gpu_recover [amdgpu]] *ERROR* GPU reset retry is beyond the retry limit', 'gpu.reset_failed', null, {}],
  ['amdgpu 0000:0a:00.0: amdgpu: GPU Recovery Failed: -19', 'gpu.reset_failed', GPU, {}],
  ['amdgpu 0000:0a:00.0: amdgpu: GPU reset end with ret = -110', 'gpu.reset_failed', GPU, {}],
  ['amdgpu: MES might be in unrecoverable state, issue a GPU reset', 'gpu.firmware_error', null, {}],
  ['amdgpu 0000:0a:00.0: amdgpu: MES failed to respond to msg=MISC (WAIT_REG_MEM)', 'gpu.firmware_error', GPU, {}],
  ['[drm:mes_v11_0_submit_pkt_and_poll_completion.constprop.0 [amdgpu]] *ERROR* MES failed to response msg=3', 'gpu.firmware_error', null, {}],
  ["amdgpu 0000:0a:00.0: amdgpu: HIQ MQD's queue_doorbell_id0 is not 0, Queue preemption time out", 'gpu.firmware_error', GPU, {}],
  ['amdgpu: qcm fence wait loop timeout expired', 'gpu.firmware_error', null, {}],
  ['amdgpu: cp queue preemption time out.', 'gpu.firmware_error', null, {}],
  ['amdgpu 0000:0a:00.0: amdgpu: Queue preemption failed for queue with doorbell_id: 80004008', 'gpu.firmware_error', GPU, {}],
  ['amdgpu: The cp might be in an unrecoverable state due to an unsuccessful queues preemption', 'gpu.firmware_error', null, {}],
  ['amdgpu 0000:0a:00.0: amdgpu: socket: 0, die: 1, 2 new uncorrectable hardware errors detected in umc block', 'gpu.memory.dbe', GPU, { errors: 2 }],
  ['amdgpu 0000:0a:00.0: amdgpu: {12} socket: 0, die: 1, 1 new uncorrectable hardware errors detected in gfx block', 'gpu.memory.sram_uncorrectable', GPU, { block: 'gfx' }],
  ['amdgpu 0000:0a:00.0: amdgpu: uncorrectable hardware error(ERREVENT_ATHUB_INTERRUPT) detected!', 'gpu.memory.unrecovered_ecc', GPU, {}],
  ['amdgpu 0000:0a:00.0: amdgpu: [gfxhub0] no-retry page fault (src_id:0 ring:24 vmid:3 pasid:32770, for process python3 pid 1234 thread python3 pid 1234)', 'gpu.app_fault', GPU, { page_fault: true }],
  ['amdgpu 0000:0a:00.0: [drm:amdgpu_ring_test_helper [amdgpu]] *ERROR* ring mes_kiq_3.1.0 test failed (-110)', 'gpu.init_failure', GPU, { queues: false }],
  ['[drm:gfx_v9_0_ring_test_ring [amdgpu]] *ERROR* amdgpu: ring 1 test failed (scratch(0xC040)=0xCAFEDEAD)', 'gpu.init_failure', null, { queues: false }],
  ['[drm:amdgpu_device_gpu_recover [amdgpu]] *ERROR* VRAM is lost!', 'gpu.fault', null, { memory_lost: true }],
  ['amdgpu 0000:0a:00.0: VRAM is lost due to GPU reset!', 'gpu.fault', GPU, { memory_lost: true }],
]; // biome-ignore format: one shape a line

testShapes(shapes);

for (const line of [
  'amdgpu 0000:0a:00.0: amdgpu: GPU reset succeeded, trying to resume',
  'amdgpu 0000:0a:00.0: amdgpu: 0 uncorrectable hardware errors detected in total in umc block',
  'amdgpu 0000:0a:00.0: amdgpu: socket: 0, die: 1, 9 correctable hardware errors detected in total in umc block',
  '[drm:amdgpu_job_timedout [amdgpu]] *ERROR* Process information: process ring gfx timeout, signaled seq=1, emitted seq=2 pid 0 thread  pid 0',
  'amdgpu 0000:0a:00.0: amdgpu: Process information: process GPU reset begin! pid 4711 thread x pid 4711',
  'amdgpu 0000:0a:00.0: amdgpu: SMU is initialized successfully!',
]) test(`nothing from: ${line.slice(0, 80)}`, () => assert.deepEqual(decodeLines([line]), [])); // biome-ignore format: a list

test('the queue that hung and the GPU that is reset for it are one fault of that GPU', () => {
  const [event, ...others] = decodeLines([
    '[drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring sdma0 timeout, signaled seq=16060, emitted seq=16062',
    '[drm:amdgpu_job_timedout [amdgpu]] *ERROR* Process information: process  pid 0 thread  pid 0',
    'amdgpu 0000:0a:00.0: amdgpu: GPU reset begin!',
  ]);
  assert.deepEqual(others, []);
  assert.deepEqual([event?.kind, event?.severity, event?.component?.id], ['gpu.fault', 'error', '0000:0a:00.0']);
  assert.equal(event?.attributes?.ring, 'sdma0');
  assert.equal(event?.timeMs, START_MS);
});

test('a scheduler that does not answer is of the GPU that the driver resets for it, however many lines say so', () => {
  const [event, ...others] = decodeLines([
    'amdgpu: Failed to evict process queues',
    'amdgpu: Failed to quiesce KFD',
    'amdgpu 0000:0a:00.0: amdgpu: GPU reset begin!. Source:  3',
  ]);
  assert.deepEqual(others, []);
  assert.deepEqual([event?.kind, event?.component?.id], ['gpu.firmware_error', '0000:0a:00.0']);
  assert.deepEqual([event?.timeMs, event?.evidence?.length], [START_MS, 3]);
});

test('a queue that hung where the driver resets nothing is reported all the same, of a GPU that it does not name', () => {
  const detection = new TextDetection('node-1');
  const line = '[drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring gfx timeout, signaled seq=1, emitted seq=3';
  assert.deepEqual(detection.decode(kernelRecord(line)).events, []);
  const [event] = detection.settle(START_MS + 2000);
  assert.deepEqual([event?.kind, event?.component], ['gpu.fault', null]);
});

const QUEUE = 'amdgpu 0000:0a:00.0: [drm:amdgpu_ring_test_helper [amdgpu]] *ERROR* ring kiq_2.1.0 test failed (-110)';
const NAMELESS = '[drm:amdgpu_device_init [amdgpu]] *ERROR* hw_init of IP block <gfx_v11_0> failed -110';

test('lines without a device are of the GPU that the driver named, where it is one', () => {
  assert.deepEqual(
    decodeLines([QUEUE, NAMELESS]).map(({ component }) => component?.id),
    ['0000:0a:00.0', '0000:0a:00.0'],
  );
  const two = decodeLines([QUEUE, QUEUE.replace('0a:', '0b:'), NAMELESS]);
  assert.deepEqual(two.at(-1)?.component, null);
});

test('a queue that is dead within a reset is the fault that the GPU was reset for, at the start it is one of the start', () => {
  const kinds = (...lines: string[]): (string | undefined)[] => decodeLines(lines).map(({ kind }) => kind);
  assert.deepEqual(kinds('amdgpu 0000:0a:00.0: amdgpu: GPU reset begin!', QUEUE), ['gpu.fault', 'gpu.fault']);
  assert.deepEqual(kinds('amdgpu 0000:0b:00.0: amdgpu: GPU reset begin!', QUEUE), ['gpu.fault', 'gpu.init_failure']);
});

test('a reset that succeeded ends the fault that the GPU was reset for', () => {
  const events = decodeLines([
    'amdgpu 0000:0a:00.0: amdgpu: GPU reset begin!',
    'amdgpu 0000:0a:00.0: amdgpu: GPU reset(1) succeeded!',
  ]);
  assert.deepEqual(
    events.map(({ kind, state = 'point', component }) => [kind, state, component?.id]),
    [
      ['gpu.fault', 'point', '0000:0a:00.0'],
      ['gpu.fault', 'clear', '0000:0a:00.0'],
    ],
  );
});
