// Who failed, said in the line before a traceback or in pairs before a message: the rank is that of the exception below.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evidenceText } from '../../../src/detection/text/evidence.ts';
import { saidRank } from '../../../src/detection/text/job/fault/said-rank.ts';
import { JobHosts } from '../../../src/detection/text/job/job-hosts.ts';
import { JobLineDecoder } from '../../../src/detection/text/job.ts';
import { jobRecord, START_MS } from './lines.ts';

const TRACE = [
  'Traceback (most recent call last):',
  '  File "ft.py", line 88, in train_step',
  '    out = model(**batch)',
  'RuntimeError: CUDA error: uncorrectable ECC error encountered',
];

function found(lines: readonly string[]): readonly unknown[] {
  const decoder = new JobLineDecoder('llama');
  const faults = lines.flatMap((line, index) => decoder.decode(jobRecord(line, index, START_MS)).faults);
  return faults.map(({ kind, attributes: { rank, local_rank: local } = {} }) => [kind, rank ?? null, local ?? null]);
}

const HEADS: readonly (readonly [line: string, rank: number | null, local: number | null])[] = [
  ['ERROR:__main__:2026-11-30 07:40:44 rank 3 on gx-12 failed', 3, null],
  ['2026-11-30 07:40:44 ERROR [gx-12] [rank 3] training step failed', 3, null],
  ['2026-11-30 07:40:44 ERROR host=gx-12 rank=3 local_rank=1 step failed', 3, null],
  ['2026-11-30 07:40:44,112 - trainer - ERROR - Rank 3 (gx-12): exception during training', 3, null],
  ['2026-11-30 07:40:44 ERROR on node gx-12 (global rank 3, local rank 1): train step raised', 3, null],
  ['2026-11-30 07:40:44 ERROR local_rank 1 on host gx-12 crashed', null, 1],
];

for (const [head, rank, local] of HEADS) {
  test(`the line before a traceback says who failed: ${head.slice(20, 70)}`, () => {
    assert.deepEqual(found([head, ...TRACE]), [['gpu.memory.uncorrectable', rank, local]]);
    const hosts = new JobHosts();
    hosts.take(head);
    assert.deepEqual(hosts.hosts, ['gx-12']);
  });
}

test('what speaks of no failure, of several ranks, or is further above says nothing', () => {
  const none = [['gpu.memory.uncorrectable', null, null]];
  assert.deepEqual(found(['INFO rank 3 on gx-12 ended step 110', ...TRACE]), none);
  assert.deepEqual(found(['ERROR rank 3 lost rank 5', ...TRACE]), none);
  assert.deepEqual(found(['ERROR rank 3 failed', 'INFO flushing metrics', ...TRACE]), none);
  assert.equal(saidRank('ERROR low-rank 16 adapter failed to load'), null);
});

test('a rank in pairs before a message is that of the message', () => {
  const line = 'time="2026-11-30T07:40:44Z" level=error host=gx-12 rank=3 msg="RuntimeError: CUDA error: uncorrectable ECC error encountered"'; // biome-ignore format: one line
  assert.deepEqual(found([line]), [['gpu.memory.uncorrectable', 3, null]]);
});

test('the host of a peer that a rank failed to reach is not its own', () => {
  const hosts = new JobHosts();
  hosts.take('ERROR rank 3 failed to connect to host gx-20');
  hosts.take('ERROR step-100 rank 3 failed');
  assert.deepEqual(hosts.hosts, []);
});

test('a message of several lines in one value of JSON is quoted as one line, without escapes', () => {
  const line = JSON.stringify({ level: 'error', rank: 5, msg: ['step failed', ...TRACE].join('\n') });
  const [fault] = new JobLineDecoder('llama').decode(jobRecord(line, 0, START_MS)).faults;
  assert.equal(fault?.attributes?.rank, 5);
  assert.equal(evidenceText('step failed\r\n  at x\n\tat y\u001b'), 'step failed at x at y\\x1b');
});
