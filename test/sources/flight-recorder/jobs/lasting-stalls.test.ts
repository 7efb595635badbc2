// A stall lasts while the processes stand there: which events begin, which end, and why.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventInput } from '../../../../src/model/record.ts';
import { LastingStalls } from '../../../../src/sources/flight-recorder/jobs/lasting-stalls.ts';

const stall = (kind: EventInput['kind'], rank: number): EventInput => ({
  kind,
  component: { type: 'rank', id: `llama/${rank}` },
  timeMs: 1000,
  observedMs: 2000,
  trust: 'tenant',
  source: 'flight-recorder',
});
const said = (events: readonly EventInput[]): unknown[] =>
  events.map(({ kind, component, state, timeMs }) => [kind, component?.id, state, timeMs]);

test('where no process of the job is known, a stall is what a dump saw at one time', () => {
  const stalls = new LastingStalls();
  assert.deepEqual(stalls.begun(stall('job.collective_desync', 3), 'llama', []), stall('job.collective_desync', 3));
  assert.deepEqual(stalls.gone(new Set(), 9000), []);
});

test('a straggler is not a stall', () => {
  const stalls = new LastingStalls();
  assert.equal(stalls.begun(stall('job.straggler', 3), 'llama', [1]).state, undefined);
  assert.deepEqual(
    stalls.continues((name) => name === 'llama', 9000),
    [],
  );
});

test('stalls end once, when the last of the processes is gone', () => {
  const stalls = new LastingStalls();
  assert.equal(stalls.begun(stall('job.collective_desync', 3), 'llama', [11, 12]).state, 'onset');
  assert.equal(stalls.begun(stall('job.collective_timeout', 2), 'llama', [11, 12]).state, 'onset');
  stalls.begun(stall('job.collective_timeout', 0), 'other', [20]);
  assert.deepEqual(stalls.gone(new Set([12, 20]), 8000), []);
  assert.deepEqual(said(stalls.gone(new Set([20, 30]), 9000)), [
    ['job.collective_desync', 'llama/3', 'clear', 9000],
    ['job.collective_timeout', 'llama/2', 'clear', 9000],
  ]);
  assert.deepEqual(stalls.gone(new Set([20]), 9500), []);
});

test('a job that makes steps again ends its own stalls alone', () => {
  const stalls = new LastingStalls();
  stalls.begun(stall('job.collective_mismatch', 3), 'llama', [11]);
  stalls.begun(stall('job.collective_timeout', 0), 'other', [20]);
  const ends = stalls.continues((name) => name === 'llama', 7000);
  assert.deepEqual(said(ends), [['job.collective_mismatch', 'llama/3', 'clear', 7000]]);
  assert.deepEqual(ends[0]?.evidence?.[0], {
    source: 'flight-recorder',
    timeMs: 7000,
    text: 'llama: the job makes steps again',
  });
});
