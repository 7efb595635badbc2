// Cut off: a log that ends inside a traceback, or with a launcher's exception, says that something ended where nothing else of it does.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JobLineDecoder } from '../../../src/detection/text/job.ts';
import { jobRecord, START_MS } from './lines.ts';

const HEAD = 'Traceback (most recent call last):';
const FRAMES = [
  '  File "/app/train.py", line 88, in <module>',
  '    main()',
  '  File "/app/train.py", line 60, in main',
];
const MEMORY = 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.';

function ends(...texts: string[]): string[] {
  const decoder = new JobLineDecoder('llama', 'auto');
  const faults = texts.flatMap((text, i) => decoder.decode(jobRecord(text, i, START_MS + i * 10)).faults);
  return [...faults, ...decoder.flush().faults, ...decoder.settle(START_MS + 3_600_000)].map(({ kind }) => kind);
}

test('a log that ends inside a traceback is of a program that ended, of what is cut off', () => {
  assert.deepEqual(ends('2026-11-28 12:00:00 - INFO - Saving checkpoint at 14 epochs', HEAD, ...FRAMES), ['job.rank_crashed']); // biome-ignore format: one line
  assert.deepEqual(ends(...FRAMES), ['job.rank_crashed']);
  assert.deepEqual(ends(HEAD, ...FRAMES, ''), ['job.rank_crashed']);
});

test('a traceback that is cut off adds nothing to what its log says itself', () => {
  assert.deepEqual(ends(MEMORY, HEAD, ...FRAMES), ['job.gpu_oom']);
  assert.deepEqual(ends(HEAD, ...FRAMES, 'ValueError: the batch has no rows', HEAD, ...FRAMES), ['job.rank_crashed']);
});

test('what was caught, is of a part of the program, or has lines behind it ended nothing that this log shows', () => {
  assert.deepEqual(ends('WARNING:loader:shard 7 is bad, skipping it', HEAD, ...FRAMES), []);
  assert.deepEqual(ends('--- Logging error ---', HEAD, ...FRAMES), []);
  assert.deepEqual(ends('Call stack:', ...FRAMES), []);
  assert.deepEqual(ends('Exception in thread Thread-3:', HEAD, ...FRAMES), []);
  assert.deepEqual(ends(`2026-11-28 12:00:00 WARNING ${HEAD}`, ...FRAMES), []);
  assert.deepEqual(ends(HEAD, ...FRAMES, 'step 8 | loss 2.1'), []);
});

test('classes that the C library gave their names end a traceback, too', () => {
  for (const end of ['socket.timeout: timed out', 'socket.gaierror: [Errno -3] Temporary failure in name resolution', 'zlib.error: Error -3 while decompressing data: incorrect header check']) // biome-ignore format: one line
    assert.deepEqual(ends(HEAD, ...FRAMES, end), ['job.rank_crashed'], end);
});

test("a launcher's exception counts where nothing else says that its worker failed", () => {
  const failed = "subprocess.CalledProcessError: Command '['python3', 'train.py']' returned non-zero exit status 1.";
  const child = 'torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ';
  for (const end of [failed, child]) {
    assert.deepEqual(ends(HEAD, ...FRAMES, end), ['job.rank_crashed'], end);
    assert.deepEqual(ends(MEMORY, HEAD, ...FRAMES, end), ['job.gpu_oom'], end);
  }
});

test('lines of a page of a build are read behind its bar', () => {
  const lines = [HEAD, ...FRAMES, 'ValueError: No available memory for the cache blocks.'].map((line) => `  | (EngineCore_DP0 pid=6804) ${line}`); // biome-ignore format: one line
  assert.deepEqual(ends(...lines), ['job.gpu_oom']);
});
