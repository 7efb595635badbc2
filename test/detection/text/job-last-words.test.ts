// An exception that no launcher and no hook reports: the end of the process where the log then falls silent.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TextDetection } from '../../../src/detection/text/text-detection.ts';
import type { EventInput } from '../../../src/model/record.ts';
import { jobRecord, START_MS } from './lines.ts';

const STEP = (n: number) => ` iteration ${n}/ 900 | consumed samples: 8 | elapsed time per iteration (ms): 2000.0 |`;
const THROWN = [
  'Traceback (most recent call last):',
  '  File "train.py", line 12, in <module>',
  '    main()',
  "KeyError: 'labels'",
];

/** Plays lines at seconds, then lets time pass up to `untilS`, asking each second. */
function play(lines: readonly (readonly [s: number, text: string])[], untilS: number): EventInput[] {
  const detection = new TextDetection('node-1');
  const found: EventInput[] = [];
  for (let s = 0, next = 0; s <= untilS; s += 1) {
    for (let line = lines[next]; line !== undefined && line[0] <= s; line = lines[next]) {
      found.push(...detection.decode(jobRecord(line[1], next, START_MS + 1000 * line[0], { job: 'train' })).events);
      next += 1;
    }
    found.push(...detection.settle(START_MS + 1000 * s));
  }

  return found.filter(({ kind }) => kind !== 'job.started');
}

const steps = Array.from({ length: 8 }, (_, i) => [2 * i, STEP(i + 1)] as const);
const thrownAt = (s: number, lines = THROWN) => lines.map((text) => [s, text] as const);

test('a log that falls silent after an exception ended with it, at the time of the exception', () => {
  const [end, ...others] = play([...steps, ...thrownAt(16), [17, 'wandb: Find logs at: ./wandb/run-1/logs']], 60);
  assert.deepEqual(others, []);
  assert.equal(end?.kind, 'job.rank_crashed');
  assert.equal(end.attributes?.exception, 'KeyError');
  assert.equal(end.timeMs, START_MS + 16_000);
});

test('what a program caught, or lost a thread by, ended nothing', () => {
  assert.deepEqual(play([...steps, ...thrownAt(16), [18, STEP(9)]], 60), []);
  assert.deepEqual(play([...thrownAt(5), [15, 'falling back to the slow tokenizer']], 120), []);
  const thread = ['Exception in thread Thread-3 (upload):', ...THROWN];
  assert.deepEqual(play([...steps, ...thrownAt(16, thread)], 120), []);
});

test('a launcher that reports the end says it once, with the exception', () => {
  const launcher =
    'E1128 21:00:00.123000 8 site-packages/torch/distributed/elastic/multiprocessing/api.py:874] failed (exitcode: 1) local_rank: 0 (pid: 77) of binary: /usr/bin/python';
  const found = play([...steps, ...thrownAt(16), [19, launcher]], 120);
  assert.deepEqual(found.map(({ kind, attributes }) => [kind, attributes?.exception]), [['job.rank_crashed', 'KeyError']]); // biome-ignore format: one call
});

test('an exception of the start is the end after a minute of silence, while nothing is known of the job’s pace', () => {
  assert.deepEqual(play(thrownAt(5), 63), []);
  assert.deepEqual(play(thrownAt(5), 70).map(({ kind }) => kind), ['job.rank_crashed']); // biome-ignore format: one call
});

/** vLLM's engine core, behind what its logger puts before each line. */
const engine = (...lines: string[]): string[] =>
  lines.map((line) => `(EngineCore_DP1 pid=7) ERROR 11-27 12:00:16 [core.py:710] ${line}`);
const CUT = engine(
  'EngineCore encountered a fatal error.',
  'Traceback (most recent call last):',
  '  File "/vllm/v1/executor/multiproc_executor.py", line 244, in get_response',
  '    status, result = w.worker_response_mq.dequeue(',
);

test('an engine that ended says so where its traceback is cut, and of what where it is whole', () => {
  const [cut, ...others] = play(thrownAt(16, CUT), 120);
  assert.deepEqual(others, []);
  assert.deepEqual([cut?.kind, cut?.timeMs], ['job.rank_crashed', START_MS + 16_000]);
  const whole = play(thrownAt(16, [...CUT, ...engine('torch.OutOfMemoryError: CUDA out of memory.')]), 120);
  assert.deepEqual(
    whole.map(({ kind }) => kind),
    ['job.gpu_oom'],
  );
  const [thrown, ...more] = play(thrownAt(16, [...CUT, ...engine('TimeoutError: RPC call timed out.')]), 120);
  assert.deepEqual([thrown?.attributes?.exception, more.length], ['TimeoutError', 0]);
});

test('a server that was not reached is said once, by the library that needed it; an error of the program itself is not its context', () => {
  const refused = [...THROWN.slice(0, 3), 'ConnectionRefusedError: [Errno 111] Connection refused'];
  const met =
    'torch.distributed.DistNetworkError: The client socket has timed out after 600000ms while trying to connect to (gx-21, 29500).';
  assert.deepEqual(play([...thrownAt(5, refused), [6, met]], 120).map(({ kind }) => kind), ['job.bootstrap_timeout']); // biome-ignore format: one call
  assert.deepEqual(play([...thrownAt(5), [6, met]], 120).map(({ kind }) => kind), ['job.bootstrap_timeout', 'job.rank_crashed']); // biome-ignore format: one call
});

test('an exception that a logger writes as an error, behind host and rank, is the last word; NCCL’s own switch in it says nothing of that', () => {
  const line =
    '[2026-11-28 04:40:16,221] [ERROR] gx-08 rank 5: RuntimeError: NCCL Error 1: unhandled cuda error (run with NCCL_DEBUG=INFO for details)';
  const [end, ...others] = play([...steps, [16, line]], 60);
  assert.deepEqual(others, []);
  assert.equal(end?.kind, 'job.rank_crashed');
  assert.equal(end.component?.id, 'train/5');
  const caught = line.replace('[ERROR]', '[WARNING]');
  assert.deepEqual(play([...steps, [16, caught]], 60), []);
});
