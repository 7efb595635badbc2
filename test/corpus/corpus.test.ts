// The corpus as a whole: its breadth, its pins and that it is the same each time; its answers are held in parts (play-part.ts).

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { measure } from '../../src/simulator/corpus/measure.ts';
import { type CorpusScenario, corpus } from '../../src/simulator/corpus/scenario-family.ts';
import { keptCorpus } from './kept-corpus.ts';
import pins from './pinned.json' with { type: 'json' };
import { PARTS } from './play-part.ts';

const scenarios = corpus();

test('every scenario has a pin and every pin a scenario', () => {
  const names = scenarios.map(({ family, name }) => `${family}/${name}`);
  assert.deepEqual([...names].sort(), Object.keys(pins).sort());
});

test('what is kept of the files for the other tests is what they say', () => {
  const plans = (all: readonly CorpusScenario[]) =>
    all.map(({ family, name, plan }) => ({ family, name, plan: plan(3) }));
  assert.deepEqual(plans(keptCorpus()), plans(scenarios));
});

test('every part has its file', () => {
  const files = Array.from({ length: PARTS + 1 }, (_, i) => new URL(`part-${i + 1}.test.ts`, import.meta.url));
  assert.deepEqual(files.map(existsSync), [...Array<boolean>(PARTS).fill(true), false]);
});

test('the corpus is broad: sixty scenarios of distinct names, in ten families', () => {
  assert.ok(scenarios.length >= 60);
  assert.equal(new Set(scenarios.map(({ name }) => name)).size, scenarios.length);
  assert.ok(new Set(scenarios.map(({ family }) => family)).size >= 10);
  assert.ok(scenarios.filter(({ family }) => family === 'days').length >= 4);
});

test('the same scenario and seed give the same answers', async () => {
  const [first] = scenarios.filter(({ name }) => name === 'sag-without-redundancy');
  assert.ok(first);
  assert.deepEqual(await measure(first, 3), await measure(first, 3));
});
