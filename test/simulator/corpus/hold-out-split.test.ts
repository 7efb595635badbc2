// Halves of the corpus: what is reported must not be what was calibrated on.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wilson } from '../../../src/simulator/corpus/accuracy.ts';
import { fixedFor } from '../../../src/simulator/corpus/first-contact.ts';
import { heldOut } from '../../../src/simulator/corpus/hold-out-split.ts';
import { corpus } from '../../../src/simulator/corpus/scenario-family.ts';

const scenarios = corpus();

test('every family is in both halves, with the same number or one more; of first contact all that nothing was fixed for is kept apart', () => {
  const held = heldOut(scenarios);
  for (const [family, members] of Map.groupBy(scenarios, (scenario) => scenario.family)) {
    const kept = members.filter(({ name }) => held.has(name)).length;
    const fixed = members.filter(({ name }) => fixedFor().has(name)).length;
    if (family === 'first-contact') assert.equal(kept, members.length - fixed);
    else assert.ok(Math.abs(members.length - 2 * kept) <= 1, `${family}: ${kept} of ${members.length}`);
  }
});

test('the order in which scenarios are read moves none to the other half', () => {
  assert.deepEqual([...heldOut([...scenarios].reverse())].sort(), [...heldOut(scenarios)].sort());
});

test('the interval of a share is that of Wilson, and says nothing where nothing was counted', () => {
  const [low, high] = wilson(8, 10);
  assert.ok(Math.abs(low - 0.4902) < 1e-4, `${low}`);
  assert.ok(Math.abs(high - 0.9433) < 1e-4, `${high}`);
  assert.deepEqual(wilson(0, 0), [0, 1]);
});
