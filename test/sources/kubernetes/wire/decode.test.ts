// Messages as Kubernetes' own types write them are read right, and no bytes whatever end in anything but a WireError.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { bytesField, varintField, WireError } from '../../../../src/helpers/proto-fields.ts';
import { givenDevices } from '../../../../src/sources/kubernetes/kubelet/given-devices.ts';
import { readPod } from '../../../../src/sources/kubernetes/pod/read-pod.ts';
import { decode } from '../../../../src/sources/kubernetes/wire/decode.ts';
import { POD, POD_RESOURCES, WATCH_EVENT } from '../../../../src/sources/kubernetes/wire/shapes.ts';
import { runs } from '../../../runs.ts';

interface Recorded {
  readonly pod: string;
  readonly json: unknown;
  readonly added: string;
  readonly synced: string;
  readonly pod_resources: string;
  readonly get_request: string;
}

const recorded = JSON.parse(readFileSync(join(import.meta.dirname, 'kubernetes-types.json'), 'utf8')) as Recorded; // written with the test
const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');

test('a pod is the same from protobuf and from JSON', () => {
  const pod = readPod(decode(bytes(recorded.pod), POD));
  assert.deepEqual(pod, readPod(recorded.json));
  assert.equal(pod?.uid, '5b1f6c6e-6c2e-4f0e-9a0e-1c2d3e4f5a6b');
  assert.deepEqual(pod?.controller, { kind: 'PyTorchJob', name: 'llama-70b' });
  assert.equal(pod?.phase, 'Running');
  assert.equal(pod?.priorityClass, 'high');
  assert.equal(pod?.startedMs, Date.parse('2026-11-28T10:00:05Z'));
  const [fetch, pytorch] = pod?.containers ?? [];
  assert.deepEqual([fetch?.name, fetch?.init, fetch?.id], ['fetch', true, 'aa']);
  assert.equal(pytorch?.id, '1'.repeat(64));
  assert.equal(pytorch?.restarts, 2);
  assert.deepEqual(pytorch?.ended, [
    { reason: 'OOMKilled', exitCode: 137, signal: 9, atMs: Date.parse('2026-11-28T10:29:50Z') },
  ]);
  assert.deepEqual(pytorch?.devices, [
    { resource: 'nvidia.com/gpu', id: 'GPU-11111111-2222-3333-4444-555555555555', health: 'Unhealthy', message: null },
  ]);
});

test('of labels and variables only those of the list are kept, and only fixed texts', () => {
  const pod = readPod(decode(bytes(recorded.pod), POD));
  assert.deepEqual(pod?.containers[1]?.variables, {
    PET_NNODES: '8',
    PET_NODE_RANK: '3',
    PET_NPROC_PER_NODE: '8',
  });
  const kept = JSON.stringify(pod);
  for (const secret of ['secret', 'never', 'WANDB', 'other']) assert.ok(!kept.includes(secret), secret);
});

test('the stream of the Pods API: an event with its pod, and the end of the first list', () => {
  const added = decode(bytes(recorded.added), WATCH_EVENT);
  assert.equal(added.type, 1);
  assert.deepEqual(added.pod, bytes(recorded.pod));
  assert.deepEqual({ ...decode(bytes(recorded.synced), WATCH_EVENT) }, { type: 4 });
  assert.deepEqual(bytesField(1, '-'), bytes(recorded.get_request));
});

test('the list of devices: NUMA parts together, shares, MIG, RDMA and a claim', () => {
  const given = givenDevices(bytes(recorded.pod_resources));
  assert.deepEqual(given.get('train/llama-70b-worker-3')?.get('pytorch'), [
    { resource: 'nvidia.com/gpu', id: 'GPU-11111111-2222-3333-4444-555555555555' },
    { resource: 'nvidia.com/gpu', id: 'GPU-22222222-2222-3333-4444-555555555555::3' },
    { resource: 'nvidia.com/mig-1g.10gb', id: 'MIG-33333333-2222-3333-4444-555555555555' },
    { resource: 'rdma/hca', id: '17' },
    {
      resource: 'gpu.nvidia.com',
      id: 'gpu-4',
      claim: { driver: 'gpu.nvidia.com', pool: 'node-3', device: 'gpu-4', cdi: ['k8s.gpu.nvidia.com/claim=u-gpu-4'] },
    },
  ]);
  assert.deepEqual(given.get('default/web')?.get('web'), []);
});

function survives(message: Buffer): void {
  try {
    readPod(decode(message, POD));
    givenDevices(message);
    decode(message, WATCH_EVENT);
  } catch (error) {
    assert.ok(error instanceof WireError, String(error));
  }
}

test('bytes of any kind end in a pod, in nothing or in a WireError', () => {
  const whole = [bytes(recorded.pod), bytes(recorded.pod_resources), bytes(recorded.added)];
  const damaged = fc
    .tuple(fc.constantFrom(...whole), fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 8 }), fc.nat())
    .map(([message, changes, end]) => {
      const copy = Buffer.from(message.subarray(0, 1 + (end % message.length)));
      for (const [at, value] of changes) copy[at % copy.length] = value;
      return copy;
    }); // biome-ignore format: one chain
  const any = fc.uint8Array({ maxLength: 64 }).map((array) => Buffer.from(array));
  fc.assert(fc.property(fc.oneof(damaged, any), survives), { seed: 20261129, numRuns: runs(1500, 100_000) });
});

test('what claims more than there is, nests in groups or never ends is refused', () => {
  for (const message of [
    Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f]),
    Buffer.from([0x0b]),
    Buffer.from([0x08, ...Array<number>(10).fill(0xff)]),
    Buffer.from([0x00, 0x01]),
    Buffer.from([0x08]),
  ])
    assert.throws(() => decode(message, POD), WireError);
});

test('more values than any kubelet has are refused before they take memory', () => {
  const many = Buffer.concat(Array<Buffer>(400_001).fill(bytesField(1, '')));
  assert.throws(() => decode(many, POD_RESOURCES), /more than 400000 values/);
});

test('a label called __proto__ is a label', () => {
  const entry = bytesField(11, Buffer.concat([bytesField(1, '__proto__'), bytesField(2, 'x')]));
  const raw = decode(bytesField(1, Buffer.concat([bytesField(1, 'p'), bytesField(3, 'n'), bytesField(5, 'u'), entry])), POD); // biome-ignore format: one message
  assert.equal(readPod(raw)?.name, 'p');
  assert.equal(Object.getPrototypeOf({}), Object.prototype);
});

test('a number of another wire type than the shape has is passed over', () => {
  assert.deepEqual({ ...decode(Buffer.concat([varintField(2, 7), varintField(1, 3)]), WATCH_EVENT) }, { type: 3 });
});
