// Coincidences: a harmless event before a failure of its own kind is not blamed for it; the whole table is on the accuracy page.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  answerOf,
  blame,
  type Coincidence,
  type CoincidenceAnswer,
  coincidences,
  nameOf,
  planOf,
} from '../../../src/simulator/corpus/coincidences.ts';
import { runs } from '../../runs.ts';

/** Every n-th, so that each first event, failure and lag is among them. */
function sample(of: readonly Coincidence[], count: number): Coincidence[] {
  const step = Math.max(1, Math.floor(of.length / count));
  return of.filter((_, i) => i % step === 0);
}

test('there are pairs of every kind at every lag, from experience and from the rows of causes', () => {
  const written = coincidences('written');
  assert.equal(written.length, 14 * 3 * 4);
  assert.ok(coincidences('drawn').length > 300);
  assert.equal(new Set(written.map(nameOf)).size, written.length);
});

test('the harmless event comes the lag before the failure, and the same pair is the same plan', () => {
  const [one] = coincidences('written');
  assert.ok(one);
  const { steps } = planOf(one);
  const [flap, fails] = [steps.find(({ change }) => change.type === 'event'), steps.find(({ change }) => change.type === 'job_line')]; // biome-ignore format: one line
  assert.equal((fails?.atMs ?? 0) - (flap?.atMs ?? 0), one.lagMs);
  assert.deepEqual(planOf(one), planOf(one));
});

test('hardly any coincidence is blamed, and none as surely as 90 %', async () => {
  const answers: CoincidenceAnswer[] = [];
  for (const one of sample(coincidences('written'), runs(8, 168))) answers.push(await answerOf(one));
  assert.deepEqual(answers.filter(({ found }) => !found), []); // biome-ignore format: one line
  const sure = answers.filter((answer) => (blame(answer) ?? 0) >= 0.75);
  assert.ok(sure.length <= Math.max(1, 0.02 * answers.length), JSON.stringify(sure));
});
