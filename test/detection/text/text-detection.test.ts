// The entry for text: each stream to its decoder, state kept apart by stream and job, bounded.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TextDetection } from '../../../src/detection/text/text-detection.ts';
import { jobRecord, kernelRecord, START_MS } from './lines.ts';

test('a kernel line becomes events, its repeat waits and is reported when time has passed', () => {
  const detection = new TextDetection('node-1');
  const line = 'NVRM: Xid (PCI:0000:61:00): 45, pid=9, name=train, Ch 0000000a';
  assert.equal(detection.decode(kernelRecord(line, 1)).events.length, 1);
  assert.equal(detection.decode(kernelRecord(line, 2, START_MS + 10)).events.length, 0);
  assert.equal(detection.waiting, true);
  assert.deepEqual(
    detection.settle(START_MS + 1010).map(({ count }) => count),
    [2],
  );
  assert.equal(detection.waiting, false);
});

/** As a program that a user runs could have written it into the same log. */
const byUser = (text: string, position: number, timeMs = START_MS) => ({
  ...kernelRecord(text, position, timeMs),
  trust: 'tenant' as const,
  attributes: { priority: 4, facility: 1 },
});

test('a user’s line completes nothing that the kernel began, and names no GPU for it', () => {
  const detection = new TextDetection('node-1');
  detection.decode(kernelRecord('NVRM: x: Back to back GSP RPC timeout detected! GPU marked for reset', 1));
  const forged = 'NVRM: Xid (PCI:0000:9b:00): 119, pid=1, name=x, Timeout after 6s of waiting for RPC response from GPU4 GSP!';
  const events = [...detection.decode(byUser(forged, 2)).events, ...detection.settle(START_MS + 60_000)];
  for (const { trust, component } of events) if (trust === 'kernel') assert.notEqual(component?.type, 'gpu');
}); // biome-ignore format: one line

test('a user’s line neither adds to what the kernel reported nor stands for it', () => {
  const line = 'NVRM: Xid (PCI:0000:61:00): 79, GPU has fallen off the bus.';
  for (const order of [[byUser, kernelRecord], [kernelRecord, byUser]] as const) {
    const detection = new TextDetection('node-1');
    const events = order.flatMap((make, at) => detection.decode(make(line, at, START_MS + at * 100)).events);
    const all = [...events, ...detection.settle(START_MS + 60_000)];
    assert.deepEqual(all.map(({ kind, trust, count }) => `${kind} ${trust} ${count ?? 1}`).sort(), ['gpu.lost kernel 1', 'gpu.lost tenant 1']); // biome-ignore format: one line
  }
}); // biome-ignore format: one list

test('a job line becomes samples of its own job', () => {
  const detection = new TextDetection('node-1');
  const line = ' iteration 1/ 9 | consumed samples: 8 | elapsed time per iteration (ms): 250.0 |';
  const of = (job: string) => detection.decode(jobRecord(line, 0, START_MS, { job })).samples;
  assert.deepEqual(of('a')?.keys, [
    'job/a#step_time',
    'job/a#iteration',
    'job/a#target_iteration',
    'job/a#consumed_samples',
  ]);
  assert.deepEqual(of('b')?.values, [0.25, 1, 9, 8]);
  assert.equal(of('a'), null, 'the same iteration of the same job is not a second sample');
});

test('the configured framework keeps the other one’s lines out', () => {
  const detection = new TextDetection('node-1');
  const record = jobRecord('step: 3  loss: 2.5  tps: 100', 0, START_MS, { framework: 'megatron' });
  assert.equal(detection.decode(record).samples, null);
});

test('text of a source that is not decoded is nothing', () => {
  const record = { ...kernelRecord('NVRM: Xid (PCI:0000:61:00): 79, x'), source: 'else' };
  assert.deepEqual(new TextDetection('node-1').decode(record), {
    events: [],
    samples: null,
    job: null,
    steps: [],
    pauses: [],
    ranks: null,
    workChanged: null,
  });
});

test('the same records give the same events, samples and counts', () => {
  const run = () => {
    const detection = new TextDetection('node-1');
    const decoded = Array.from({ length: 300 }, (_, i) =>
      i % 3 === 0
        ? detection.decode(
            jobRecord(`step: ${i}  loss: ${i % 7 === 0 ? 'nan' : '2.5'}  tps: ${i}`, i, START_MS + i * 100),
          )
        : detection.decode(
            kernelRecord(`NVRM: Xid (PCI:0000:0${i % 5}:00): 45, pid=${i % 2}, Ch ${i}`, i, START_MS + i * 100),
          ),
    );
    return [decoded, detection.settle(Number.POSITIVE_INFINITY)];
  };
  assert.deepEqual(run(), run());
});
