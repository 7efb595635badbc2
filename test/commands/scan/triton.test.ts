// Triton: a model that does not fit into its GPU, or whose Python met an error of CUDA, says so; nothing of it is a scheduler's record.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const scanned = (t: TestContext, lines: readonly string[]): Promise<string> =>
  scannedLogs(t, { 'triton.log': ['I1129 05:10:01.100001 1 server.cc:604] started', ...lines] });

test('a model that does not fit ran out of memory of its GPU', async (t) => {
  for (const line of [
    `E1129 05:10:31.373556 1 backend_model.cc:692] "ERROR: Failed to create instance: unable to load plan: [defaultAllocator.cpp::allocate::31] Error Code 1: Cuda Runtime (out of memory)"`,
    `E1129 05:10:31.402114 1 model_lifecycle.cc:642] "failed to load 'caption' version 2: Internal: unable to create TensorRT engine: Error Code 2: OutOfMemory (Requested size was 17179869184 bytes.)"`,
  ]) {
    const text = await scanned(t, [line, 'error: creating server: Internal - failed to load all models']);
    assert.match(text, /Root cause +Unconfirmed: GPU out of memory on triton/);
    assert.match(text, /Now +on its host, nvidia-smi says what else holds that GPU/);
    assert.doesNotMatch(text, /scheduler's record/);
  }
});

test('an error of CUDA in the Python of a model is named, though a signal ends the process', async (t) => {
  const text = await scanned(t, [
    `E1129 05:14:20.010012 1 pb_stub.cc:821] "Failed to process the request(s) for model 'caption_0_1', message: TritonModelException: CUDA error: device-side assert triggered"`,
    'Signal (11) received.',
  ]);
  assert.match(
    text,
    /rank crashed on triton: model caption_0_1: TritonModelException: CUDA error: device-side assert triggered/,
  );
});

test('a model that is not loaded for its settings is not looked for at a scheduler', async (t) => {
  const text = await scanned(t, [
    `E1129 05:10:31.402114 1 model_lifecycle.cc:654] "failed to load 'caption' version 1: Invalid argument: instance group caption_0 of model caption specifies invalid or unsupported gpu id 5."`,
  ]);
  assert.match(text, /triton model was not loaded/);
  assert.match(text, /Now +the lines below say why: mostly files or settings of that model/);
  assert.doesNotMatch(text, /scheduler's record|sacct|GPU out of memory/);
});
