// Lines that a user wrote to confuse the readers of steps: nothing throws, nothing grows, numbers stay numbers.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { entriesOf } from '../../../src/detection/text/job/framework.ts';
import { JobLineDecoder } from '../../../src/detection/text/job.ts';
import { LineSplitter } from '../../../src/sources/job-log/line-splitter.ts';
import { loggedJob } from '../logged-job.ts';
import { jobRecord, START_MS } from './lines.ts';

const words = [
  ...entriesOf('lines').flatMap(({ markers, fields }) => [...markers, ...Object.values(fields).flat()]),
  ...['%|', '|', '━', '[batch=', ']:', ' Train ', 'Epoch ', '/', '[', ']', '<', 's/it', 'it/s', ',', '\r', '\t', '{', '}'],
  ...['nan', 'inf', '-inf', '1e999', '-7', '0', '3.5', '12', '99999999999999999999', '2e+3', '?', 'np.float64(', "'", '"', '½', '\u001b[31m'],
]; // biome-ignore format: lists

test('whatever is in a line: no throw, and every number that is read is one', () => {
  const line = fc.array(fc.constantFrom(...words), { maxLength: 40 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
      const decoder = new JobLineDecoder('llama');
      const decoded = lines.map((text, index) => decoder.decode(jobRecord(text, index, START_MS + index)));
      decoded.push(decoder.flush());
      for (const { progress } of decoded.flatMap(({ steps }) => steps)) {
        for (const [name, value] of Object.entries(progress)) {
          if (typeof value === 'number') assert.ok(Number.isFinite(value), `${name} ${value}`);
        }
        assert.ok(progress.iteration === null || (Number.isSafeInteger(progress.iteration) && progress.iteration >= 0));
      }
      for (const { samples } of decoded) assert.ok(samples?.values.every(Number.isFinite) ?? true);
    }),
    { numRuns: 500 },
  );
});

test('a step below zero, between two or beyond counting is none', () => {
  const decoder = new JobLineDecoder('llama');
  for (const text of [
    'completed step: -7, loss: 2',
    'step: -7  loss: 2',
    'step: 3.5  loss: 2',
    'step: 99999999999999999999  tps: 2',
  ]) {
    assert.deepEqual(decoder.decode(jobRecord(text)).steps, [], text);
  }
});

test('a block that never ends and a table of a thousand columns are let go of', () => {
  const decoder = new JobLineDecoder('llama');
  decoder.decode(jobRecord('[batch=1/10]:'));
  const steps = Array.from(
    { length: 600 },
    (_, i) => decoder.decode(jobRecord(`\t Train loss/train/total: ${i}`, i)).steps,
  );
  assert.deepEqual(
    steps.flat().map(({ progress }) => progress.loss),
    [0],
  );
  const columns = Array.from({ length: 1000 }, (_, i) => `c${i}`);
  assert.deepEqual(decoder.decode(jobRecord(['step', 'loss', ...columns].join(','))).steps, []);
  assert.deepEqual(decoder.decode(jobRecord(['1', '2.0', ...columns.map(() => '0')].join(','))).steps, []);
});

test('a terminal’s bytes: bars printed over each other, dictionaries between them, give the steps', () => {
  const splitter = new LineSplitter(0);
  const decoder = new JobLineDecoder('llama');
  const bar = (n: number): string => `\r  ${n}%|▏         | ${n}/100 [00:${10 + n}<03:18,  2.00s/it]`;
  const steps = [
    `\r  0%|          | 0/100 [00:00<?, ?it/s]${bar(1)}`,
    `${bar(2)}\r                                   \r{'loss': 2.5, 'grad_norm': 1.0, 'epoch': 0.02}\n${bar(2)}`,
    bar(3),
    bar(4),
  ].flatMap((bytes, chunk) =>
    splitter
      .push(Buffer.from(bytes))
      .flatMap(({ text, offset }) => decoder.decode(jobRecord(text, offset, START_MS + chunk * 2000)).steps),
  );
  assert.deepEqual(
    steps.map(({ progress }) => [progress.iteration, progress.loss, progress.step_time_ms]),
    [
      [2, 2.5, 2000],
      [2, null, 2000],
      [3, null, 2000],
      [4, null, 2000],
    ],
  );
});

test('a job of Transformers that becomes slow is reported as slow, by what its bar says', (t) => {
  const job = loggedJob(t);
  job.line("{'loss': 2.5, 'grad_norm': 1.0, 'learning_rate': 1e-05, 'epoch': 0.01}");
  const bar = (n: number, each: string): string => `  1%|▏         | ${n}/9000 [10:00<99:00,  ${each}]`;
  for (let n = 1; n <= 60; n += 1) job.wait(1000).line(bar(n, n % 2 === 0 ? '1.02s/it' : '1.01it/s'));
  const before = job.reported.length;
  for (let n = 61; n <= 70; n += 1) job.wait(3000).line(bar(n, '3.00s/it'));
  const kinds = job.reported.map((each) => each.split(' ')[0]);
  assert.deepEqual([before, kinds], [0, ['onset']]);
});
