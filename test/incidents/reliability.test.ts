// Reliability: bins of confidence against verdicts, per root, and what counts for nothing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reliabilityOf } from '../../src/incidents/reliability.ts';
import { reliabilityToDocument, renderReliability } from '../../src/incidents/report/reliability.ts';
import { NOTHING_SAID } from '../../src/model/note.ts';
import { incident, T0, verdict } from './sample.ts';

const SAID = new Map([
  ['a', verdict('a', T0)],
  ['b', verdict('b', T0, { verdict: 'wrong', rootKind: 'psu.failure' })],
  ['d', verdict('d', T0, { verdict: 'wrong' })],
  ['e', verdict('e', T0)],
]);
const said = (id: string) => ({ ...NOTHING_SAID, verdict: SAID.get(id) ?? null });
const INCIDENTS = [
  incident('a', { confidence: 0.93 }),
  incident('b', { confidence: 0.9 }),
  incident('c', { confidence: 0.29 }),
  incident('d', { confidence: 0.4, rootKnown: false }),
  incident('e', { confidence: 0.99, mergedInto: 'a', state: 'resolved' }),
  incident('f', { confidence: 1 }),
];

test('each incident counts once, in the bin of its confidence and under its root', () => {
  const { incidents, bins, kinds, undecided, calibrationError } = reliabilityOf(INCIDENTS, said);
  assert.equal(incidents, 5);
  assert.equal(bins.length, 10);
  const [second, last] = [bins[2], bins[9]];
  assert.deepEqual([second?.right, second?.wrong, second?.none, second?.shareRight], [0, 0, 1, null]);
  assert.deepEqual([last?.right, last?.wrong, last?.none, last?.shareRight], [1, 1, 1, 0.5]);
  assert.deepEqual(kinds, [{ kind: 'power.voltage_sag', right: 1, wrong: 1, none: 2, really: { 'psu.failure': 1 } }]);
  assert.deepEqual(undecided, { right: 0, wrong: 1, none: 0 });
  assert.ok(Math.abs((calibrationError ?? 0) - (0.915 - 0.5)) < 1e-9);
});

test('without verdicts nothing is claimed', () => {
  const reliability = reliabilityOf(INCIDENTS, () => NOTHING_SAID);
  assert.equal(reliability.calibrationError, null);
  assert.match(renderReliability(reliability), /none is judged yet/);
});

test('no incidents are one line, without empty tables', () => {
  const text = renderReliability(reliabilityOf([], () => NOTHING_SAID));
  assert.equal(text, '0 incidents, 0 judged; none is judged yet: faultline verdict ID right|wrong');
});

test('the table and the document say the same', () => {
  const reliability = reliabilityOf(INCIDENTS, said);
  const text = renderReliability(reliability);
  assert.match(text, /^5 incidents, 2 judged; 42 % /);
  assert.match(text, /^90–100 %\s+1\s+1\s+1\s+50 %$/m);
  assert.match(text, /^power\.voltage_sag\s+1\s+1\s+2\s+psu\.failure$/m);
  assert.match(text, /^no root cause yet\s+0\s+1\s+0$/m);
  const document = JSON.parse(JSON.stringify(reliabilityToDocument(reliability)));
  assert.equal(document.schema, 'faultline/reliability/1');
  assert.equal(document.bins[9].share_right, 0.5);
  assert.equal(document.bins[0].mean_confidence, null);
});
