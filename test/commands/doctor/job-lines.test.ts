// What the count of a job's lines makes of its log: understood, starting up, or lines that mean nothing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JobLines } from '../../../src/commands/doctor/job-lines.ts';
import { judgeJobLog } from '../../../src/sources/job-log/judge.ts';
import type { SourceHealth } from '../../../src/sources/source.ts';

const CONFIG = { job: 'llama', path: '/logs/llama.log', framework: 'auto', ranks: [], worldSize: null } as const;

function judge(lines: readonly string[], framework: 'auto' | 'megatron' = 'auto'): SourceHealth {
  const config = { ...CONFIG, framework };
  const count = new JobLines([config]);
  for (const [position, text] of lines.entries()) {
    count.take({
      source: 'job-log',
      trust: 'tenant',
      stream: 'job/llama:/logs/llama.log',
      position,
      timeMs: null,
      timeDigits: 0,
      observedMs: 1_700_000_000_000 + position,
      text,
      attributes: { job: 'llama' },
    });
  }
  const detail = `job llama: /logs/llama.log, ${lines.length} lines`;
  return judgeJobLog({ source: 'job-log', status: 'works', detail, remedy: null }, config, count.of('llama'));
}

test('progress lines are counted', () => {
  const health = judge(['hello', 'step: 10  loss: 4.2  tps: 7,282', 'step: 20  loss: 4.1  tps: 7,280']);
  assert.deepEqual(
    [health.status, health.detail],
    ['works', 'job llama: /logs/llama.log, 3 lines, 2 of them progress'],
  );
});

test('lines of which none is understood work in part, and the formats are named', () => {
  const health = judge(Array.from({ length: 50 }, (_, n) => `lorem ipsum ${n}`));
  assert.deepEqual(
    [health.status, health.detail],
    ['partial', 'job llama: /logs/llama.log, 50 lines, none recognised as progress'],
  );
  assert.match(health.remedy ?? '', /^formats it knows: Megatron-LM .* torchtitan /);
  const other = judge(['step: 10  loss: 4.2  tps: 7,282'], 'megatron');
  assert.equal(other.status, 'partial');
  assert.doesNotMatch(other.remedy ?? '', /torchtitan/);
});

test('a log without a line yet is waited for', () => {
  assert.equal(judge([]).status, 'works');
});
