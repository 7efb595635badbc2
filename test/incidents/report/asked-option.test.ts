// What an error asks to be changed: the option and the way, of what several servers print, and of none where nothing is asked.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askedOptions } from '../../../src/incidents/report/asked-option.ts';

for (const [line, asked] of [
  ['RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.', 'a higher --mem-fraction-static'],
  ['ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing the engine.', 'a higher gpu_memory_utilization'],
  ['Server error: Not enough memory to handle 4096 prefill tokens. You need to decrease `--max-batch-prefill-tokens`', 'a lower --max-batch-prefill-tokens'],
  ['Try increasing `gpu_memory_utilization` or decreasing `max_model_len` when initializing the engine.', 'a higher gpu_memory_utilization or a lower max_model_len'],
  ['torch.OutOfMemoryError: CUDA out of memory. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True', null],
  ['lowering the --batch-size did not help', null],
] as const) // biome-ignore format: a line each
  test(line, () => assert.equal(askedOptions([line]), asked));
