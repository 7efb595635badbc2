// An inference server that is gone: by its engine's own word, by a worker's end, and of what.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ServiceLineDecoder } from '../../../src/detection/text/service.ts';
import { jobRecord } from './lines.ts';

function reported(...lines: string[]): (readonly [string, string])[] {
  const decoder = new ServiceLineDecoder('chat');
  return lines.flatMap((text, i) => {
    const fault = decoder.fault(jobRecord(text, i), 'node-1');
    return fault === null ? [] : [[fault.kind, `${fault.component?.type}/${fault.component?.id}`] as const];
  });
}

const CORE = '(EngineCore_0 pid=1907951) ERROR 11-28 12:02:25 [core.py:710] ';

test('the exception that ended the engine says of what it ended', () => {
  const found = reported(
    `${CORE}EngineCore encountered a fatal error.`,
    `${CORE}Traceback (most recent call last):`,
    `${CORE}  File "/usr/lib/python3/vllm/v1/engine/core.py", line 701, in run_engine_core`,
    `${CORE}torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.50 GiB.`,
  );
  assert.deepEqual(found, [['job.gpu_oom', 'service/chat']]);
});

test("SGLang's scheduler that raises ends the server, and its parent says so as well", () => {
  const found = reported(
    '[2026-11-28 12:02:25 TP0] Scheduler hit an exception: Traceback (most recent call last):',
    '  File "/usr/lib/python3/sglang/srt/managers/scheduler.py", line 2611, in run_scheduler_process',
    "KeyError: 'req_pool_indices'",
    '[2026-11-28 12:02:25] Received sigquit from a child process. It usually means the child failed.',
  );
  assert.deepEqual(found, [
    ['job.rank_crashed', 'service/chat'],
    ['job.rank_crashed', 'service/chat'],
  ]);
});

test('a worker that died unexpectedly is reported without a word of its own', () => {
  const line =
    'ERROR 11-28 12:02:26 [multiproc_executor.py:135] Worker proc VllmWorker-1 died unexpectedly, shutting down executor.';
  assert.deepEqual(reported(line), [['job.rank_crashed', 'service/chat']]);
});

test('a request that failed, a preempted sequence and a shutdown end nothing', () => {
  const lines = [
    'ERROR 11-28 12:02:25 [serving_chat.py:200] Traceback (most recent call last):',
    'ERROR 11-28 12:02:25 [serving_chat.py:200] ValueError: This model supports at most 8192 tokens.',
    'WARNING 11-28 12:02:25 [scheduler.py:1493] Sequence group 1 is preempted by PreemptionMode.RECOMPUTE mode because there is not enough KV cache space.',
    'INFO:     Shutting down',
  ];
  assert.deepEqual(reported(...lines), []);
});

test('what a child process of the server, or its main program, did not catch ended it', () => {
  const frame = '  File "/opt/vllm/v1/engine/core.py", line 701, in run_engine_core';
  const child = ['(EngineCore_DP0 pid=7) Process EngineCore_DP0:', 'Traceback (most recent call last):', frame];
  assert.deepEqual(reported(...child, 'KeyError: 7'), [['job.rank_crashed', 'service/chat']]);
  const main = ['Traceback (most recent call last):', '  File "/usr/bin/vllm", line 10, in <module>', frame];
  assert.deepEqual(reported(...main, 'OSError: [Errno 98] Address already in use'), [
    ['job.rank_crashed', 'service/chat'],
  ]);
  assert.deepEqual(reported(...main, 'KeyboardInterrupt'), []);
});

test('memory of a GPU that ran out is reported by whichever worker says it, in whatever form', () => {
  const oom = [['job.gpu_oom', 'service/chat']];
  for (const line of [
    '(VllmWorker TP2 pid=4411) ERROR 11-28 12:02:25 [multiproc_executor.py:596] torch.cuda.OutOfMemoryError: CUDA out of memory.',
    "(EngineCore pid=4388) ERROR [core.py:710] RuntimeError: Worker failed with error 'CUDA out of memory.', please check the stack trace above",
    '[2026-11-28 12:02:25 TP3] torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB.',
  ])
    assert.deepEqual(reported(line), oom, line);
});

test('the end of the server has the exception that was raised before it', () => {
  const decoder = new ServiceLineDecoder('chat');
  const lines = [
    `${CORE}Traceback (most recent call last):`,
    `${CORE}  File "/opt/vllm/a.py", line 1, in forward`,
    `${CORE}AssertionError: block table`,
    'ERROR 11-28 12:02:26 [core_client.py:564] Engine core proc EngineCore_DP0 died unexpectedly, shutting down client.',
  ];
  const found = lines.flatMap((text, i) => decoder.fault(jobRecord(text, i), 'node-1') ?? []);
  assert.deepEqual(found.map(({ kind, attributes }) => [kind, attributes?.exception]), [['job.rank_crashed', 'AssertionError']]); // biome-ignore format: one call
});

test('users that hang up end nothing', () => {
  const lines = [
    'asyncio: ERROR: Exception in callback _SelectorSocketTransport._read_ready()',
    'Traceback (most recent call last):',
    '  File "/usr/lib/python3.12/asyncio/selector_events.py", line 1013, in _read_ready__data_received',
    'ConnectionResetError: [Errno 104] Connection reset by peer',
  ];
  assert.deepEqual(reported(...lines), []);
});

test('no text breaks it', () => {
  const words = [
    'EngineCore encountered a fatal error',
    'Scheduler hit an exception',
    'RuntimeError: ',
    '(x) ERROR ',
    '[',
    '\u0000',
  ];
  const piece = fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 30 }));
  fc.assert(
    fc.property(
      fc.array(fc.array(piece, { maxLength: 6 }), { maxLength: 12 }),
      (lines) => void reported(...lines.map((pieces) => pieces.join(''))),
    ),
  );
});
