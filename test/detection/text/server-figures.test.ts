// What servers print of their load becomes series: throughput of all engines, requests, caches, and latencies of benchmarks.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FRAMEWORKS } from '../../../src/detection/text/job/framework.ts';
import { parseServerFigures } from '../../../src/detection/text/service/server-figures.ts';
import { parsePromptLine } from '../../../src/detection/text/service/server-line.ts';
import { ServiceLineDecoder } from '../../../src/detection/text/service.ts';
import { seriesMetric } from '../../../src/sinks/metric-table.ts';
import { jobRecord, START_MS } from './lines.ts';

const SERVERS = FRAMEWORKS.flatMap(([name, { server }]) => (server === undefined ? [] : [{ name, ...server }]));

for (const { name, figures = [], prompts } of SERVERS) {
  for (const { examples, quantity } of figures) {
    for (const [line, value] of Object.entries(examples))
      test(`${name}: ${line.trim()}`, () => {
        const [figure, ...others] = parseServerFigures(line);
        assert.deepEqual([figure?.quantity, others], [quantity, []]);
        assert.ok(Math.abs((figure?.value ?? Number.NaN) - value) < 1e-9);
        assert.equal(seriesMetric(`service/x#${quantity}`)?.metric.name.startsWith('faultline.service.'), true);
      });
  }
  if (prompts !== undefined)
    test(`${name} reads in: ${prompts.example.slice(0, 60)}`, () => assert.ok(parsePromptLine(prompts.example)));
}

test('an average in another unit, or of nothing, is none', () => {
  for (const line of ['Throughput: 12.5 GB/s', 'Avg latency: none', 'Avg latency: 3 hours', 'Mean TTFT (ms): -'])
    assert.deepEqual(parseServerFigures(line), [], line);
});

function seriesOf(lines: readonly (readonly [atMs: number, text: string])[]): Map<string, number> {
  const decoder = new ServiceLineDecoder('chat');
  const read = new Map<string, number>();
  for (const [at, text] of lines) {
    const batch = decoder.decode(jobRecord(text, at, START_MS + at, { job: null, service: 'chat' }));
    for (const [i, key] of (batch?.keys ?? []).entries()) read.set(key, batch?.values[i] ?? Number.NaN);
  }
  return read;
}

test('vLLM: the throughput of its engines together, each counted once, one that fell silent no more', () => {
  const line = (engine: number, prompt: number, generation: number) =>
    `INFO 11-27 14:32:00 [loggers.py:127] Engine 00${engine}: Avg prompt throughput: ${prompt} tokens/s, Avg generation throughput: ${generation} tokens/s, Running: 4 reqs, Waiting: 1 reqs, GPU KV cache usage: 12.5%, Prefix cache hit rate: 40.0%`;
  const both = seriesOf([[0, line(0, 100, 500)], [1000, line(1, 200, 700)]]); // biome-ignore format: one line
  assert.equal(both.get('service/chat#generation_tokens_per_second'), 1200);
  assert.equal(both.get('service/chat#prompt_tokens_per_second'), 300);
  assert.equal(both.get('service/chat#running_requests'), 4);
  assert.equal(both.get('service/chat#waiting_requests'), 1);
  assert.equal(both.get('service/chat#kv_cache_usage'), 0.125);
  assert.equal(both.get('service/chat#prefix_cache_hit_ratio'), 0.4);
  const one = seriesOf([[0, line(0, 100, 500)], [60_000, line(1, 200, 700)]]); // biome-ignore format: one line
  assert.equal(one.get('service/chat#generation_tokens_per_second'), 700);
});

test('SGLang: what it reads in is in lines of its own', () => {
  const read = seriesOf([
    [0, '[2026-11-27 14:32:00 TP0] Prefill batch, #new-seq: 3, #new-token: 256, #cached-token: 576, full token usage: 0.20, #running-req: 1, #queue-req: 2, #pending-token: 64, cuda graph: False, input throughput (token/s): 2410.5'],
    [100, '[2026-11-27 14:32:00 TP0] Decode batch, #running-req: 21, #full token: 9310, full token usage: 0.12, cuda graph: True, gen throughput (token/s): 812.50, #queue-req: 4, '],
  ]); // biome-ignore format: as they are printed
  assert.equal(read.get('service/chat#prompt_tokens_per_second'), 2410.5);
  assert.equal(read.get('service/chat#generation_tokens_per_second'), 812.5);
  assert.equal(read.get('service/chat#kv_cache_usage'), 0.12);
});

test('every series of a step or a server has a metric with a unit and words of its own', () => {
  for (const key of ['job/x#loss', 'job/x#learning_rate', 'rank/x/1#memory_used', 'service/x#waiting_requests']) {
    const metric = seriesMetric(key)?.metric;
    assert.ok(metric?.unit !== '' && metric?.description !== '', key);
  }
});
