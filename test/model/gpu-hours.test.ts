// GPU-hours: counted up to a time, each GPU once, priced where a rate is known.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lostText } from '../../src/incidents/report/lost.ts';
import { incidentFromDocument, incidentToDocument } from '../../src/model/documents/incident.ts';
import { gpuHoursOf, lostOf } from '../../src/model/gpu-hours.ts';
import type { Impact, Loss } from '../../src/model/incident.ts';
import { gpu, incident, T0 } from '../incidents/sample.ts';

const HOUR = 3_600_000;
const SLOW: Loss = { gpus: 8, share: 0.5, fromMs: T0, toMs: null, rate: null };

function impact(component: Impact['component'], loss: Loss): Impact {
  return { component, quantity: 'step_time', before: 1, after: 2, unit: 's', text: 'slow', loss };
}
const JOB = { type: 'job', id: 'llama' } as const;

test('hours are GPUs × time × share, never negative, and stop at the end', () => {
  assert.equal(gpuHoursOf(SLOW, T0 + HOUR), 4);
  assert.equal(gpuHoursOf({ ...SLOW, toMs: T0 + HOUR / 2 }, T0 + HOUR), 2);
  assert.equal(gpuHoursOf(SLOW, T0 - HOUR), 0);
});

test('a job that is slow, then hangs, counts each moment once, with the worse', () => {
  const hang: Loss = { ...SLOW, share: 1, fromMs: T0 + HOUR, toMs: T0 + 2 * HOUR };
  const rank = { type: 'rank', id: 'llama/3' } as const;
  const lost = lostOf(incident('a', { impact: [impact(JOB, SLOW), impact(rank, hang)] }), T0 + 3 * HOUR);
  assert.equal(lost?.gpuHours, 4 + 8 + 4);
});

test('two jobs add up; a lost GPU under a job that does nothing does not', () => {
  const other = { type: 'job', id: 'qwen' } as const;
  const both = [impact(JOB, SLOW), impact(other, { ...SLOW, gpus: 2 })];
  assert.equal(lostOf(incident('a', { impact: both }), T0 + HOUR)?.gpuHours, 5);
  const lost = [impact(JOB, SLOW), impact(gpu(0), { ...SLOW, gpus: 1, share: 1 })];
  assert.equal(lostOf(incident('a', { impact: lost }), T0 + HOUR)?.gpuHours, 4);
  assert.equal(lostOf(incident('a', { impact: lost.slice(1) }), T0 + HOUR)?.gpuHours, 1);
});

test('what an incident that opened earlier counts of the same job is taken off, moment by moment', () => {
  const elsewhere = [
    { incidentId: 'a', gpus: 2, fromMs: T0 - HOUR, toMs: T0 + HOUR },
    { incidentId: 'c', gpus: 8, fromMs: T0 + 2 * HOUR, toMs: null },
  ];
  const loss = { ...SLOW, elsewhere };
  // 4 GPUs' worth each hour: less 2 in the first, all in the second, none from the third on.
  assert.equal(gpuHoursOf(loss, T0 + 4 * HOUR), 2 + 4);
  const lost = lostOf(incident('b', { impact: [impact(JOB, loss)] }), T0 + 4 * HOUR);
  assert.deepEqual([lost?.gpuHours, lost?.elsewhere], [6, { gpuHours: 10, incidentIds: ['a', 'c'] }]);
  const document = incidentToDocument(incident('b', { impact: [impact(JOB, loss)] }), { nowMs: T0 + 4 * HOUR });
  assert.equal(document.impact[0]?.gpu_hours, 6);
  assert.deepEqual(incidentFromDocument(JSON.parse(JSON.stringify(document)))?.impact[0]?.loss, loss);
});

test('a lost GPU of a job whose halt another incident counts is not counted besides', () => {
  const hang = { ...SLOW, share: 1, elsewhere: [{ incidentId: 'a', gpus: 8, fromMs: T0, toMs: null }] };
  const impacts = [impact(JOB, hang), impact(gpu(0), { ...SLOW, gpus: 1, share: 1 })];
  assert.equal(lostOf(incident('b', { impact: impacts }), T0 + HOUR)?.gpuHours, 0);
});

test('a resolved incident does not grow any more', () => {
  const resolved = incident('a', { state: 'resolved', resolvedMs: T0 + HOUR, impact: [impact(JOB, SLOW)] });
  assert.equal(lostOf(resolved, T0 + 10 * HOUR)?.gpuHours, 4);
  assert.equal(incidentToDocument(resolved, { nowMs: T0 + 10 * HOUR }).impact[0]?.gpu_hours, 4);
});

test('the document counts to its revision, or to now where it is printed, and reads back', () => {
  const rate = { amount: 2.5, currency: 'EUR' };
  const open = incident('a', { updatedMs: T0 + HOUR, impact: [impact(JOB, { ...SLOW, rate })] });
  const [reported] = incidentToDocument(open).impact;
  assert.equal(reported?.gpu_hours, 4);
  assert.deepEqual(reported?.cost, { amount: 10, currency: 'EUR', per_gpu_hour: 2.5 });
  assert.equal(incidentToDocument(open, { nowMs: T0 + 2 * HOUR }).impact[0]?.gpu_hours, 8);
  const read = incidentFromDocument(JSON.parse(JSON.stringify(incidentToDocument(open))));
  assert.deepEqual(read?.impact, open.impact);
  const [unknown] = incidentToDocument(incident('b')).impact;
  assert.deepEqual([unknown?.loss, unknown?.gpu_hours, unknown?.cost], [null, null, null]);
});

test('in words: whose the hours are, where another incident counts them', () => {
  const at = T0 + HOUR;
  const under = (gpus: number) => ({
    ...SLOW,
    elsewhere: [{ incidentId: '44fa12c0ffee', gpus, fromMs: T0, toMs: null }],
  });
  const plainly = (text: string | null) => text?.replaceAll('\u00a0', ' ');
  assert.equal(
    plainly(lostText(incident('b', { impact: [impact(JOB, under(1))] }), at)),
    '≈ 3 GPU-hours so far, and 1 counted under 44fa12c0ffee',
  );
  assert.equal(
    plainly(lostText(incident('b', { impact: [impact(JOB, under(8))] }), at)),
    'no GPU-hours of its own so far, and 4 counted under 44fa12c0ffee',
  );
});

test('in words: so far while it is open, with money where a rate is known, nothing for a moment', () => {
  const rate = { amount: 2.5, currency: 'EUR' };
  const open = incident('a', { updatedMs: T0, impact: [impact(JOB, { ...SLOW, rate })] });
  const words = (of: typeof open, nowMs: number) => lostText(of, nowMs)?.replaceAll('\u00a0', ' ') ?? null;
  assert.equal(words(open, T0 + 0.85 * HOUR), '≈ 3.4 GPU-hours so far, 8.50 EUR');
  assert.equal(words(open, T0 + 1000), null);
  const free = incident('a', { state: 'resolved', resolvedMs: T0 + HOUR, impact: [impact(JOB, SLOW)] });
  assert.equal(words(free, T0 + 9 * HOUR), '≈ 4 GPU-hours');
});
