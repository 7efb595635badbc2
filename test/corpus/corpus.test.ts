// The corpus: every scenario once, with hardship and without in turn; what holds is asserted, what each answered is pinned.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tally } from '../../src/simulator/corpus/accuracy.ts';
import { isHard, measure, type Run } from '../../src/simulator/corpus/measure.ts';
import { pinned, pinnedSeed } from '../../src/simulator/corpus/pinned.ts';
import { corpus } from '../../src/simulator/corpus/scenario-family.ts';
import pins from './pinned.json' with { type: 'json' };

const scenarios = corpus();
const runs: Run[] = [];
for (const [i, scenario] of scenarios.entries()) runs.push(await measure(scenario, pinnedSeed(i)));
const decidable = runs.filter(({ family }) => family !== 'unclear');

test('each scenario is answered as it was before; scripts/accuracy --pin takes an intended change up', () => {
  assert.deepEqual(pinned(runs), pins);
});

test('at least 95 of 100 roots are right where the host can know them', () => {
  const { answers, rootsRight } = tally(decidable);
  assert.ok(answers >= 100, `only ${answers} answers`);
  assert.ok(rootsRight >= 0.95 * answers, `${rootsRight} of ${answers}`);
});

test('days with nothing wrong and planned work raise nothing', () => {
  const calm = runs.filter(
    ({ family, name }) => family === 'days' || (family === 'planned' && !name.startsWith('forged')),
  );
  assert.ok(tally(calm).nodeDays >= 4);
  assert.deepEqual(calm.flatMap(({ name, falseIncidents }) => falseIncidents.map((kind) => `${name}: ${kind}`)), []); // biome-ignore format: one call
});

test('the parts of every confidence add up to it', () => {
  assert.deepEqual(runs.flatMap(({ name, unsummed }) => unsummed.map((title) => `${name}: ${title}`)), []); // biome-ignore format: one call
});

test('the corpus is broad: sixty scenarios of distinct names, in ten families, half of them played with hardship', () => {
  assert.ok(scenarios.length >= 60);
  assert.equal(new Set(scenarios.map(({ name }) => name)).size, scenarios.length);
  assert.ok(new Set(scenarios.map(({ family }) => family)).size >= 10);
  assert.ok(runs.filter(({ seed }) => isHard(seed)).length >= scenarios.length / 3);
});

test('the same scenario and seed give the same answers', async () => {
  const [first] = scenarios.filter(({ name }) => name === 'sag-without-redundancy');
  assert.ok(first);
  assert.deepEqual(await measure(first, 3), await measure(first, 3));
});
