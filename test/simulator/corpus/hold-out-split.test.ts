// Halves of the corpus: what is reported must not be what was calibrated on.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wilson } from '../../../src/simulator/corpus/accuracy.ts';
import { fixedFor } from '../../../src/simulator/corpus/first-contact.ts';
import { heldOut } from '../../../src/simulator/corpus/hold-out-split.ts';
import { corpus } from '../../../src/simulator/corpus/scenario-family.ts';

const scenarios = corpus();

test('what others wrote is kept apart, but for what the engine was fixed for; all that was written next to it is not', () => {
  const held = heldOut(scenarios);
  assert.ok(held.size >= 60, `${held.size} scenarios`);
  for (const { family, name } of scenarios)
    assert.equal(held.has(name), family === 'first-contact' && !fixedFor().has(name), `${family}/${name}`);
  assert.ok(scenarios.filter(({ name }) => !held.has(name)).length >= 60);
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
