// An expected pause takes back what was reported for a slow or silent job, and nothing that has a cause of its own.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FaultEvent } from '../../src/model/event.ts';
import { correlator, event, type Given, GPUS, link, run } from './fixtures.ts';

const JOB = 'job/train';
const [GPU = ''] = GPUS;
const log: Given = { trust: 'tenant', source: 'job-log' };
const LINKS = [link(GPU, 'rank/train/0', 'runs')];

const slow = (s: number) => event(s, 'job.throughput_drop', JOB, { ...log, state: 'onset', wide: [s - 1, s] });
const usual = (s: number) => event(s, 'job.throughput_drop', JOB, { ...log, state: 'clear', wide: [s - 1, s] });
const pause = (from: number, to: number, job = JOB) => event(to, 'job.pause', job, { ...log, wide: [from, to] });

function reported(events: readonly FaultEvent[]): string[] {
  return run(correlator(LINKS), events).last.map(({ root, severity }) => `${root.kind} ${severity}`);
}

test('slow steps are reported at once, and are not an incident any more when they turn out to have been an evaluation', () => {
  assert.deepEqual(reported([slow(10)]), ['job.throughput_drop warning']);
  assert.deepEqual(reported([slow(10), usual(50), pause(9, 50)]), ['job.pause info']);
  assert.deepEqual(reported([slow(10), usual(310), pause(9, 310)]), ['job.pause info'], 'five minutes of it');
});

test('a silence that was reported as a hang is taken back by the result of the evaluation', () => {
  const hang = event(130, 'job.hang', JOB, { ...log, state: 'onset', wide: [10, 130] });
  const over = event(240, 'job.hang', JOB, { ...log, state: 'clear' });
  assert.deepEqual(reported([hang]), ['job.hang error'], 'a job log alone makes nothing critical');
  assert.deepEqual(reported([hang, over, pause(10, 240)]), ['job.pause info']);
});

test('a pause explains neither another job, nor what begins after it, nor what began before it', () => {
  assert.deepEqual(reported([slow(10), usual(50), pause(9, 50, 'job/other')]).filter((one) => !one.endsWith('info')), ['job.throughput_drop warning']); // biome-ignore format: one call
  const later = reported([slow(10), usual(50), pause(9, 50), slow(200)]);
  assert.deepEqual(later.toSorted(), ['job.pause info', 'job.throughput_drop warning']);
  assert.ok(reported([slow(10), pause(80, 120)]).includes('job.throughput_drop warning'));
});

test('a hot GPU that slows the job stays the root during a pause', () => {
  const hot = event(5, 'gpu.thermal_throttle', GPU, { state: 'onset' });
  assert.deepEqual(reported([hot, slow(10), usual(50), pause(9, 50)]).filter((one) => !one.endsWith('info')), ['gpu.thermal_throttle error']); // biome-ignore format: one call
});
