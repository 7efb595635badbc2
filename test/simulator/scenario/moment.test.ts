// Moments of a truth: times after the beginning or the end of a step, and what is wrong with one that cannot be.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planMoment } from '../../../src/simulator/scenario/moment.ts';
import type { Finding } from '../../../src/simulator/scenario/validate.ts';

const STEPS = [
  { id: 'work', atMs: 60_000, forMs: 120_000 },
  { id: 'fault', atMs: 90_000, forMs: null },
];

function planned(moment: Parameters<typeof planMoment>[0]): { readonly atMs: number; readonly findings: Finding[] } {
  const findings: Finding[] = [];
  return { atMs: planMoment(moment, STEPS, ['truth'], findings), findings };
}

test('it counts from the beginning of the timeline, of a step, or from the end of a step', () => {
  const moments = ['5m', { after: 'work' }, { after: 'fault', by: '10s' }, { after_end_of: 'work', by: '1m' }];
  assert.deepEqual(
    moments.map((moment) => planned(moment)),
    [300_000, 60_000, 100_000, 240_000].map((atMs) => ({ atMs, findings: [] })),
  );
});

test('of a step that comes again the last time counts', () => {
  const again = [...STEPS, { id: 'fault', atMs: 200_000, forMs: null }];
  assert.equal(planMoment({ after: 'fault' }, again, [], []), 200_000);
});

test('a step that is not there, and one without an end, are named at their key', () => {
  const texts = [{ after: 'nap' }, { after_end_of: 'fault' }].map((moment) => planned(moment).findings);
  assert.deepEqual(texts.flat(), [
    { code: 'FL5109', path: ['truth', 'after'], text: 'no step nap in timeline' },
    { code: 'FL5109', path: ['truth', 'after_end_of'], text: 'step fault has no end: it needs for' },
  ]);
});
