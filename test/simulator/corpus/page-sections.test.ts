// Tests of the sections of the accuracy page that count scenarios: shares, rows that one scenario carries, finished events.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byScenario, shareText } from '../../../src/simulator/corpus/by-scenario.ts';
import { finishedSection } from '../../../src/simulator/corpus/finished-section.ts';
import { carriedRows } from '../../../src/simulator/corpus/graph-rows-section.ts';
import type { Answer, Run } from '../../../src/simulator/corpus/measure.ts';

const ANSWER: Answer = { kind: 'gpu.lost', found: true, rootRight: true, chainRight: true, actionRight: true, undecided: false, undecidable: false, detectionMs: 0, finished: false }; // biome-ignore format: one answer

function run(name: string, more: Partial<Run> = {}): Run {
  const base = { family: 'f', seed: 0, right: true, problems: [], answers: [ANSWER], falseIncidents: [], claims: [] };
  return { ...base, name, withdrawn: 0, links: [], unsummed: [], simulatedMs: 1, ...more };
}

test('a scenario is right where every seed of it is, and seeds do not make an interval narrower', () => {
  const seeds = (name: string, right: readonly boolean[]): Run[] => right.map((one) => run(name, { right: one }));
  const runs = [...seeds('a', [true, true, true]), ...seeds('b', [true, false, true]), ...seeds('c', [true])];
  const share = byScenario(runs, ({ right }) => right);
  assert.deepEqual(share, { right: 2, of: 3 });
  assert.equal(shareText(share), '2 of 3, 67 % (21 to 94)');
  assert.equal(shareText({ right: 127, of: 207 }), '127 of 207, 61 % (55 to 68)');
  assert.equal(shareText({ right: 0, of: 0 }), '–');
});

test('a row is carried by each scenario whose right answer goes through it, once however many seeds', () => {
  const link = ['gpu.lost>job.rank_crashed'];
  const rows = carriedRows([run('a', { links: link }), run('a', { links: link, seed: 1 }), run('b')]);
  const carried = rows.filter(({ scenarios }) => scenarios.length > 0);
  assert.ok(carried.length >= 1);
  for (const { text, scenarios } of carried) {
    assert.match(text, /job\.rank_crashed|group:/);
    assert.deepEqual(scenarios, ['f/a']);
  }
});

test('answers are counted apart by where their root came from', () => {
  const finished = { ...ANSWER, finished: true };
  const runs = [
    run('read'),
    run('injected', { answers: [finished] }),
    run('never', { answers: [{ ...finished, kind: 'cooling.leak', rootRight: false }] }),
  ];
  const section = finishedSection(runs, new Set(['gpu.lost']));
  assert.match(section, /through a decoder or detector \| 1 of 1, .* \| 1 of 1 \|/);
  assert.match(section, /of a kind that a source gives \| 1 of 1, .* \| 1 of 1 \|/);
  assert.match(section, /nothing in the product gives \| 0 of 1, .* \| 0 of 1 \|/);
  assert.match(section, /gives yet: `cooling\.leak`\./);
});
