// Tests of the verdict line.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { besidesLine, verdictLine } from '../../../src/simulator/demo/verdict-line.ts';
import { loadScenario } from '../../../src/simulator/scenario/load.ts';
import { score } from '../../../src/simulator/score.ts';
import { incident } from '../../incidents/sample.ts';

test('a wrong answer is reported with what is wrong', () => {
  const plan = loadScenario('gpu-lost', 0);
  assert.equal(verdictLine(score(plan.truth, []), plan), 'not as expected: not found: gpu.lost on gpu/0000:c3:00.0');
});

test('a right answer names the device as people do, and who was not blamed', () => {
  const plan = loadScenario('gpu-lost', 0);
  const [expected] = plan.truth.incidents;
  assert.ok(expected);
  const right = {
    expected,
    incident: null,
    rootRight: true,
    missing: [],
    misordered: [],
    impactRight: true,
    actionRight: true,
    outOfBounds: [],
    detectionMs: 1234,
    tooSoon: false,
    inTime: true,
  };
  const line = verdictLine({ right: true, expected: [right], falseIncidents: [], blamed: [], problems: [] }, plan);
  assert.equal(
    line,
    'as expected: root gpu.lost on node-3 gpu 5, found after 1.2 s · not blamed: pdu-c-rack-15, pdu-b-rack-14, power · in truth pdu-c-rack-15 phase 2 121.4 → 104.9 V',
  );
});

test('no incident is the right answer where nothing is wrong', () => {
  const plan = loadScenario('quiet', 0);
  assert.match(verdictLine(score(plan.truth, []), plan), /^as expected: no incident/);
});

test('an incident that the story showed is named at the end, with what became of it', () => {
  assert.equal(besidesLine([]), null);
  const [one, two] = [incident('bb2c51aaaaaa'), incident('ccccccaaaaaa', { mergedInto: 'bb2c51aaaaaa' })];
  assert.match(
    besidesLine([one]) ?? '',
    /^besides: bb2c51 \(voltage sag on pdu-b-rack-14 phase 1.*, not joined to it\)$/,
  );
  assert.match(besidesLine([one, two]) ?? '', / · cccccc \(.*, merged into bb2c51\)$/);
});
