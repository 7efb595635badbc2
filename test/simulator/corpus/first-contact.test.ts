// First contact: what is written down about it belongs to scenarios that exist, and adds up.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import record from '#catalog/scenarios/first-contact.json' with { type: 'json' };
import {
  firstContactLead,
  firstContactRounds,
  firstContactShare,
} from '../../../src/simulator/corpus/first-contact.ts';
import { keptCorpus } from '../../corpus/kept-corpus.ts';

const names = new Set(keptCorpus().flatMap(({ family, name }) => (family === 'first-contact' ? [name] : [])));

test('each answer that was wrong is of a scenario that is still played, and none is missing', () => {
  for (const { scenarios, runs, roots, seeds, wrong } of record.rounds) {
    assert.equal(wrong.length, scenarios.of - scenarios.right);
    assert.equal(runs.of, scenarios.of * seeds);
    assert.ok(runs.right >= scenarios.right * seeds && runs.right <= runs.of);
    assert.ok(roots.right <= roots.of);
    for (const { name, then } of wrong) {
      assert.ok(names.has(name), name);
      assert.ok(['truth', 'fixed', 'left'].includes(then), `${name}: ${then}`);
    }
  }
});

test('the page begins with the share of all rounds, by scenario and with its interval', () => {
  const { right, of } = firstContactShare();
  assert.equal(
    of,
    record.rounds.reduce((sum, { scenarios }) => sum + scenarios.of, 0),
  );
  assert.match(firstContactLead(), new RegExp(`Right at first contact: ${right} of ${of}, \\d+ % \\(\\d+ to \\d+\\)`));
});

test('the rounds have the figure before anything was changed, and each scenario that was wrong', () => {
  const section = firstContactRounds();
  for (const { scenarios, wrong } of record.rounds) {
    assert.ok(section.includes(`right ${scenarios.right} of ${scenarios.of} scenarios`));
    for (const { name } of wrong) assert.ok(section.includes(`| ${name} | `));
  }
});
