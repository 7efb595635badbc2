// A line that names no rank, in a log that only one rank writes: what it reports is of that rank.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JobLineDecoder } from '../../../src/detection/text/job.ts';
import { jobRecord, START_MS } from './lines.ts';

const OOM =
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.10 GiB';
const faultsOf = (text: string, writer: number | null) => {
  const decoder = new JobLineDecoder('llama');
  const record = jobRecord(text, 1, START_MS);
  const { faults } = decoder.decode(writer === null ? record : { ...record, attributes: { ...record.attributes, writer_rank: writer } }); // biome-ignore format: one line
  return faults.map(({ component }) => `${component?.type}/${component?.id}`);
};

test('the writer counts where the line names no rank', () => {
  assert.deepEqual(faultsOf(OOM, null), ['job/llama']);
  assert.deepEqual(faultsOf(OOM, 3), ['rank/llama/3']);
});

test('what the line says goes before its writer', () => {
  assert.deepEqual(faultsOf(`[rank5]: ${OOM}`, 3), ['rank/llama/5']);
});
