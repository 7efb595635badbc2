// Events of a training log: start and restart, saved checkpoints with their duration, nan that comes and goes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JobLineDecoder } from '../../../src/detection/text/job.ts';
import { jobRecord, START_MS } from './lines.ts';

const step = (n: number, loss = '2.5', grad = '0.5', skipped = 0) =>
  ` iteration ${n}/ 100 | consumed samples: 8 | elapsed time per iteration (ms): 100.0 | lm loss: ${loss} | grad norm: ${grad} | number of skipped iterations: ${skipped} | number of nan iterations: 0 |`;

function events(lines: readonly string[], stream = 'a', decoder = new JobLineDecoder('llama')) {
  return lines.flatMap((text, i) => decoder.decode({ ...jobRecord(text, i, START_MS + i * 1000), stream }).events);
}

test('nan is reported once, at its first iteration, and ended by the first good one', () => {
  const found = events([step(1), step(2, 'nan', 'nan'), step(3, 'nan', 'nan'), step(4, '2.0', 'inf'), step(5)]);
  assert.deepEqual(
    found.map(({ kind, state, attributes }) => [kind, state, attributes?.iteration, attributes?.what]),
    [
      ['job.nan', 'onset', 2, 'loss'],
      ['job.nan', 'clear', 5, 'loss'],
    ],
  );
  assert.deepEqual(found[0]?.component, { type: 'job', id: 'llama' });
  assert.equal(found[0]?.trust, 'tenant');
});

test('a gradient that dynamic loss scaling skipped is not a nan', () => {
  assert.deepEqual(events([step(1), step(2, '2.5', 'inf', 1), step(3)]), []);
});

test('a saved checkpoint has the time from its first line, or the one that is printed', () => {
  const [byLines] = events([
    'saving checkpoint at iteration     100 to /ckpt in torch_dist format',
    'x',
    'successfully saved checkpoint from iteration     100 to /ckpt [ t 1/8, p 1/1 ]',
  ]);
  assert.equal(byLines?.kind, 'job.checkpoint_saved');
  assert.equal(byLines?.attributes?.iteration, 100);
  assert.equal(byLines?.attributes?.path, '/ckpt');
  assert.equal(byLines?.attributes?.duration_s, 2);
  assert.equal(byLines?.attributes?.duration_from, 'line_times');
  const [printed] = events(['successfully saved checkpoint at iteration 100 to /tmp/ckpt, took 5321 ms']);
  assert.equal(printed?.attributes?.duration_s, 5.321);
  const [titan] = events([
    'step: 7 loss: 1',
    'Saving the checkpoint (or staging if async is enabled).',
    'Finished saving the checkpoint (or staging) in 12.25 seconds.',
  ]);
  assert.equal(titan?.attributes?.duration_s, 12.25);
  assert.equal(titan?.attributes?.iteration, 7);
});

test('ranks that report the same checkpoint, or the same start, are one event', () => {
  const decoder = new JobLineDecoder('llama');
  const lines = ['training ...', step(1), 'successfully saved checkpoint from iteration 1 to /c'];
  assert.equal(events(lines.slice(0, 1), 'a', decoder).length, 1);
  assert.equal(events(lines.slice(0, 1), 'b', decoder).length, 0);
  assert.equal(events(lines.slice(1), 'a', decoder).length, 1);
  assert.equal(events(lines.slice(1), 'b', decoder).length, 0);
});

test('an iteration that falls back is a restart', () => {
  const [event] = events([step(10), step(11), step(8)]);
  assert.equal(event?.kind, 'job.started');
  assert.equal(event?.attributes?.restarted, true);
  assert.equal(event?.attributes?.iteration, 8);
  assert.equal(event?.attributes?.previous_iteration, 11);
});

test('after a restart the steps are samples again', () => {
  const decoder = new JobLineDecoder('llama');
  const fresh = [step(10), step(8), step(9)].map((text, i) => decoder.decode(jobRecord(text, i)).samples !== null);
  assert.deepEqual(fresh, [true, true, true]);
});

test('lines from before the start are history', () => {
  const { events: found } = new JobLineDecoder('llama').decode(
    jobRecord(step(1, 'nan'), 0, START_MS, { history: true }),
  );
  assert.equal(found[0]?.attributes?.history, true);
});

for (const line of ['checkpoint saved', 'training completed', 'starting model', 'Starting training']) {
  test(`no event: ${line}`, () => assert.deepEqual(events([line]), []));
}
