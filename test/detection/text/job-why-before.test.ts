// Why before: a server's side only tells that its engine is gone; the exception of the worker, some lines above, says why.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JobFaults } from '../../../src/detection/text/job/fault/job-faults.ts';

const WORKER = '(VllmWorker rank=5 pid=77) ERROR 12-04 07:41:12 [multiproc_executor.py:540]';
const RAISED = [
  `${WORKER} WorkerProc hit an exception.`,
  `${WORKER} Traceback (most recent call last):`,
  `${WORKER}   File "worker.py", line 52, in run`,
  `${WORKER} RuntimeError: CUDA error: unspecified launch failure`,
];
const HEARD = [
  'ERROR 12-04 07:41:12 [core.py:580] EngineCore encountered a fatal error.',
  'ERROR 12-04 07:41:12 [async_llm.py:420] vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue. See stack trace (above) for the root cause.',
];

function found(lines: readonly string[], stepMs = 1): readonly unknown[] {
  const faults = new JobFaults();
  return lines
    .flatMap((line, index) => (faults.concerns(line) ? faults.line(line, 'a', null, index * stepMs) : []))
    .map(({ rank, attributes }) => [rank?.number ?? null, attributes?.exception, attributes?.message]);
}

test('the worker that raised is named with its exception, not what the server heard of it', () => {
  const why = [5, 'RuntimeError', 'CUDA error: unspecified launch failure'];
  assert.deepEqual(found([...RAISED, ...HEARD]), [why]);
  assert.deepEqual(found([...RAISED, ...HEARD.slice(1)]), [why]);
});

test('without it, or long after it, what the server says counts', () => {
  assert.deepEqual(found(HEARD).map((each) => (each as unknown[])[1]), ['EngineDeadError']); // biome-ignore format: one line
  assert.deepEqual(found([...RAISED, ...HEARD], 90_000).map((each) => (each as unknown[])[1]), ['EngineDeadError']); // biome-ignore format: one line
});
