// The model of an inference server is in the headline: of Triton the one that its line names, of others the one that they said when they started.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServedModel } from '../../../src/commands/scan/served-model.ts';
import { scannedLogs } from './scanned.ts';

const VLLM = `INFO 11-28 12:00:01 [core.py:58] Initializing a V1 LLM engine (v0.8.5) with config: model='meta-llama/Llama-3.3-70B-Instruct', speculative_config=None, tokenizer='meta-llama/Llama-3.3-70B-Instruct', served_model_name=meta-llama/Llama-3.3-70B-Instruct`;
const ENDED =
  'ERROR 11-28 12:02:26 [multiproc_executor.py:135] Worker proc VllmWorker-1 died unexpectedly, shutting down executor.';

test('the model of a log of Triton, vLLM or a log without one', async (t) => {
  const triton = await scannedLogs(t, {
    'triton.log': [
      'I1129 05:10:01.100001 1 server.cc:604] started',
      `E1129 05:14:20.010012 1 pb_stub.cc:821] "Failed to process the request(s) for model 'caption_0_1', message: TritonModelException: CUDA error: device-side assert triggered"`,
    ],
  });
  assert.match(triton, /Root cause .* on triton: model caption_0_1: TritonModelException: CUDA error/);
  const vllm = await scannedLogs(t, { 'vllm.log': [VLLM, ENDED] });
  assert.match(vllm, /on vllm.*: model meta-llama\/Llama-3\.3-70B-Instruct\b/);
  assert.doesNotMatch(await scannedLogs(t, { 'vllm.log': [ENDED] }), /model meta-llama/);
});

test('each server says it in words of its own; of several none is chosen', () => {
  const event = { source: 'job-log', kind: 'job.rank_crashed', attributes: {} } as unknown as Parameters<ServedModel['of']>[0]; // biome-ignore format: one event
  const said = (...lines: string[]): unknown => {
    const served = new ServedModel();
    for (const line of lines) served.take(line);
    return served.of(event).attributes?.served_model;
  };
  assert.equal(said(VLLM), 'meta-llama/Llama-3.3-70B-Instruct');
  assert.equal(
    said(
      `[2026-11-28 12:00:01] server_args=ServerArgs(model_path='Qwen/Qwen2.5-7B', tokenizer_path='Qwen/Qwen2.5-7B')`,
    ),
    'Qwen/Qwen2.5-7B',
  );
  assert.equal(
    said(
      '2026-11-28T12:00:00Z  INFO text_generation_launcher: Args { model_id: "bigcode/starcoder2-7b", revision: None',
    ),
    'bigcode/starcoder2-7b',
  );
  assert.equal(said('+ trtllm-serve nvidia/Llama-3.1-8B-FP8 --tp_size 8'), 'nvidia/Llama-3.1-8B-FP8');
  assert.equal(said(VLLM, VLLM.replaceAll('Llama-3.3-70B-Instruct', 'Llama-3.1-8B')), undefined);
  assert.equal(said("the config: model='x' is read by server_args"), undefined);
});
