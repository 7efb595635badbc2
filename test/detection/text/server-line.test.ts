// Lines of inference servers: vLLM of several years, SGLang, and what is none of theirs.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isServerStart, parseServerLine } from '../../../src/detection/text/service/server-line.ts';

test('vLLM: one engine, one of several, and the older words', () => {
  const rest = 'Avg prompt throughput: 310.2 tokens/s, Avg generation throughput: 812.5 tokens/s, Running: 21 reqs';
  assert.deepEqual(
    parseServerLine(
      `INFO 11-27 14:32:00 [loggers.py:127] Engine 003: ${rest}, Waiting: 2 reqs, GPU KV cache usage: 12.5%, Prefix cache hit rate: 40.1%`,
    ),
    {
      server: 'vllm',
      engine: 3,
      generation: 812.5,
      prompt: 310.2,
      running: 21,
      waiting: 2,
      cacheUsage: 0.125,
      prefixHits: 0.401,
    },
  );
  assert.deepEqual(
    parseServerLine(
      `INFO 01-27 14:32:00 metrics.py:345] ${rest}, Swapped: 1 reqs, Pending: 7 reqs, GPU KV cache usage: 3.0%, CPU KV cache usage: 0.0%.`,
    ),
    {
      server: 'vllm',
      engine: 0,
      generation: 812.5,
      prompt: 310.2,
      running: 21,
      waiting: 7,
      cacheUsage: 0.03,
      prefixHits: null,
    },
  );
});

test('SGLang: one engine, one of several, fields that come and go', () => {
  const line = (who: string, more: string) =>
    `[2026-11-27 14:32:00${who}] Decode batch${more} #running-req: 21, #token: 9310, token usage: 0.12, cuda graph: True, gen throughput (token/s): 812.50, #queue-req: 4, `;
  const reported = {
    server: 'sglang',
    engine: 0,
    generation: 812.5,
    prompt: null,
    running: 21,
    waiting: 4,
    cacheUsage: 0.12,
    prefixHits: null,
  };
  assert.deepEqual(parseServerLine(line('', '.')), reported);
  assert.deepEqual(parseServerLine(line(' DP1 TP0', ' [480],')), { ...reported, engine: 1 });
});

test('other lines, and numbers that are none, report nothing', () => {
  for (const text of [
    'INFO: 127.0.0.1 - "POST /v1/completions HTTP/1.1" 200 OK',
    'Prefill batch. #new-seq: 1, #new-token: 20, #cached-token: 0, token usage: 0.00, #running-req: 3, #queue-req: 0',
    'Avg prompt throughput: x tokens/s, Avg generation throughput: nan tokens/s, Running: 2 reqs',
    'Avg prompt throughput: 1.0 tokens/s, Avg generation throughput: 1e999 tokens/s, Running: 2 reqs',
    'Decode batch. #running-req: -4, gen throughput (token/s): 2.0',
    'Decode batch. #running-req: 4, #token: 12',
  ])
    assert.equal(parseServerLine(text), null, text);
});

test('a start is known of both', () => {
  assert.ok(isServerStart('INFO 11-27 14:30:00 [api_server.py:1968] vLLM API server version 0.11.0'));
  assert.ok(isServerStart('Initializing a V1 LLM engine (v0.11.0) with config: model=x'));
  assert.ok(isServerStart("[2026-11-27 14:30:00] server_args=ServerArgs(model_path='x')"));
  assert.ok(!isServerStart('Avg prompt throughput: 1.0 tokens/s'));
});

test('whatever is in a line, the numbers are finite or there are none', () => {
  const part = fc.constantFrom(
    'Avg prompt throughput:',
    'Running:',
    ' 7 reqs',
    ',',
    '#running-req:',
    'Decode batch',
    ' 1e9',
    '%',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(part, fc.string())), (parts) => {
      const line = parseServerLine(parts.join(''));
      const numbers = Object.values(line ?? {}).filter((value) => value !== null);
      assert.ok(numbers.every((value) => Number.isFinite(value)));
    }),
  );
});

test('lines of the releases since 2024, with what each adds between', () => {
  const vllm = 'Avg prompt throughput: 5.2 tokens/s, Avg generation throughput: 30.1 tokens/s, Running: 1 reqs';
  const sglang = '#running-req: 1, #token: 100, token usage: 0.03';
  const rate = 'cuda graph: True, gen throughput (token/s): 30.1, #queue-req: 2, ';
  for (const line of [
    `INFO 11-28 12:00:00 metrics.py:345] ${vllm}, Swapped: 0 reqs, Pending: 2 reqs, GPU KV cache usage: 3.0%, CPU KV cache usage: 0.0%.`,
    `(APIServer pid=1) INFO 11-28 12:00:00 [loggers.py:248] Engine 000: ${vllm}, Waiting: 2 reqs, GPU KV cache usage: 3.0%, Prefix cache hit rate: 0.0%, MM cache hit rate: 0.0%`,
    `(APIServer pid=1) INFO 11-28 12:00:00 [loggers.py:248] Engine 000: ${vllm}, Waiting: 2 reqs, Preemptions: 2, GPU KV cache usage: 3.0%, External prefix cache hit rate: 12.0%`,
    `[2026-11-27 14:32:00 DP0 TP0] Decode batch, ${sglang}, accept len: 2.35, accept rate: 0.59, ${rate}`,
    `[2026-11-27 14:32:00 TP0] Decode batch. ${sglang}, pre-allocated usage: 0.00, #transfer-req: 0, #retracted-req: 0, ${rate}`,
  ]) {
    const { generation, running, waiting, cacheUsage } = parseServerLine(line) ?? {};
    assert.deepEqual([generation, running, waiting, cacheUsage], [30.1, 1, 2, 0.03], line);
  }
});
