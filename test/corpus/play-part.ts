// One part of the corpus: every so manieth scenario once, with hardship and without in turn; what holds is asserted, what each
// answered is pinned. Each part has its own file, so that they run next to each other and each has a file's time. At a desk
// one scenario of three is played, so that ./scripts/test takes minutes; CI sets FAULTLINE_CORPUS=whole and plays them all.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tally } from '../../src/simulator/corpus/accuracy.ts';
import { isHard, measure, type Run } from '../../src/simulator/corpus/measure.ts';
import { pinned, pinnedSeed } from '../../src/simulator/corpus/pinned.ts';
import { keptCorpus } from './kept-corpus.ts';
import pins from './pinned.json' with { type: 'json' };

/** How many files `part-N.test.ts` there are. */
export const PARTS = 4;
/** Of how many pairs of scenarios one is played here. */
const OF = process.env.FAULTLINE_CORPUS === 'whole' ? 1 : 3;

/** Plays part `part` of `PARTS`, from 1, and declares its tests. Scenarios lie in pairs, since every other one has hardship. */
export async function playPart(part: number): Promise<void> {
  const runs: Run[] = [];
  for (const [i, scenario] of keptCorpus(part - 1, PARTS).entries())
    if (isPlayed(Math.floor(i / 2), part)) runs.push(await measure(scenario, pinnedSeed(i)));
  const decidable = runs.filter(({ family }) => family !== 'unclear');

  test('each scenario is answered as it was before; scripts/accuracy --pin takes an intended change up', () => {
    const answers = pinned(runs);
    const before: Record<string, string> = pins;
    assert.deepEqual(answers, Object.fromEntries(Object.keys(answers).map((name) => [name, before[name]])));
  });

  test('at least 95 of 100 roots are right where the host can know them', () => {
    const { answers, rootsRight } = tally(decidable);
    assert.ok(answers >= 100 / OF, `only ${answers} answers`);
    assert.ok(rootsRight >= 0.95 * answers, `${rootsRight} of ${answers}`);
  });

  test('days with nothing wrong and planned work raise nothing', () => {
    const calm = runs.filter(
      ({ family, name }) => family === 'days' || (family === 'planned' && !name.startsWith('forged')),
    );
    assert.deepEqual(calm.flatMap(({ name, falseIncidents }) => falseIncidents.map((kind) => `${name}: ${kind}`)), []); // biome-ignore format: one call
  });

  test('the parts of every confidence add up to it', () => {
    assert.deepEqual(runs.flatMap(({ name, unsummed }) => unsummed.map((title) => `${name}: ${title}`)), []); // biome-ignore format: one call
  });

  test('a third or more is played with hardship', () => {
    assert.ok(runs.filter(({ seed }) => isHard(seed)).length >= runs.length / 3);
  });
}

function isPlayed(pair: number, part: number): boolean {
  return pair % PARTS === part - 1 && Math.floor(pair / PARTS) % OF === 0;
}
