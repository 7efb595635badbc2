// Words that count only when they are said often enough: a norm that is NaN for one step, a connection that is tried again.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JobLineDecoder } from '../../../src/detection/text/job.ts';
import { WallTimes } from '../../../src/model/wall-times.ts';
import { jobRecord, START_MS } from './lines.ts';

const places = { host: 'node-1', rankOf: (_job: string, { number }: { number: number }) => number };

function reported(...lines: string[]): string[] {
  const decoder = new JobLineDecoder('llama', 'auto', new WallTimes(), places);
  return lines.flatMap((text, i) => {
    const { faults, events } = decoder.decode(jobRecord(text, i, START_MS + i * 10));
    return [...faults, ...events].map(({ kind, state }) => `${kind} ${state ?? '-'}`);
  });
}

const step = (loss: string, norm: string) =>
  `10/30 22:19:57 - mmengine - INFO - Epoch(train) [1][240/735]  lr: 1.9813e-04  time: 2.8874  loss: ${loss}  grad_norm: ${norm}`;

test('MMEngine: a NaN norm counts from the second line in a row on, a loss at once', () => {
  assert.deepEqual(reported(step('2.5', 'nan'), step('2.4', '3.1'), step('2.4', 'nan'), step('2.4', '3.0')), []);
  assert.deepEqual(reported(step('2.5', 'nan'), step('2.4', 'nan'), step('2.4', 'nan')), ['job.nan onset']);
  assert.deepEqual(reported(step('2.5', '3.1'), step('nan', 'nan'), step('2.4', '3.1')), ['job.nan onset', 'job.nan clear']); // biome-ignore format: one line
});

test('NCCL: the last try to connect is a fault, one before it is none', () => {
  const tried = (count: string) =>
    `node-1:1:2 [0] NCCL INFO socketPollConnect: connect returned No route to host, retrying (${count}) after sleep for 100 msec`;
  assert.deepEqual(reported(tried('1/34'), tried('33/34')), []);
  assert.deepEqual(reported(tried('34/34')), ['job.bootstrap_timeout -']);
});
