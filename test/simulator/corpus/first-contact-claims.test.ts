// Claims of first contact: each round is stated by maps that have not seen it, and the record says what it is of.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import record from '#catalog/scenarios/first-contact-claims.json' with { type: 'json' };
import { isKind } from '../../../src/model/kind.ts';
import { calibrationError } from '../../../src/simulator/corpus/accuracy.ts';
import {
  type ClaimRound,
  claimRounds,
  crossValidated,
  forwardChained,
  restated,
  withRound,
} from '../../../src/simulator/corpus/first-contact-claims.ts';
import { fit } from '../../../src/simulator/corpus/fit-calibration.ts';
import type { Claim } from '../../../src/simulator/corpus/measure.ts';

const claims = claimRounds().flatMap((round) => round.claims);
const claim = (scenario: string, right: boolean, given: Partial<Claim> = {}): Claim => {
  const own = { kind: 'gpu.lost', confidence: 0.9, evidence: 0.9, capped: false, tenant: false } as const;
  return { scenario, ...own, followed: 'work', right, ...given };
};

test('the record is of kinds that there are, of rounds with right and wrong, and what a user wrote is at most 60 %', () => {
  for (const { kind, confidence, evidence, tenant } of claims) {
    assert.ok(isKind(kind), kind);
    assert.ok(confidence > 0 && confidence <= 0.99 && evidence > 0 && evidence < 1.3);
    if (tenant) assert.ok(confidence <= 0.6);
  }
  assert.ok(claims.some(({ right }) => !right) && claims.filter(({ right }) => right).length > claims.length / 2);
});

test('a round is stated by what was fitted on the others only', () => {
  const round = (right: boolean): ClaimRound => ({
    date: '2026-11-29',
    engine: `${right}`,
    claims: Array.from({ length: 100 }, (_, i) => claim(`${right}-${i}`, right)),
  });
  const [first, second] = [round(true), round(false)];
  const stated = crossValidated([], [first, second]);
  const [ofRight, ofWrong] = [stated.slice(0, 100), stated.slice(100)];
  // What was right is stated by the round that was wrong, and the other way round.
  assert.ok(ofRight.every(({ confidence }) => confidence < 0.4) && ofWrong.every(({ confidence }) => confidence > 0.9));
  assert.deepEqual(stated.map(({ right }) => right), [...first.claims, ...second.claims].map(({ right }) => right)); // biome-ignore format: one line
});

test('a round is stated by the rounds before it alone, and the first four not at all', () => {
  const round = (n: number, right: boolean): ClaimRound => ({
    date: '2026-11-29',
    engine: `${n}`,
    claims: Array.from({ length: 30 }, (_, i) => claim(`${n}-${i}`, right)),
  });
  const rounds = [1, 2, 3, 4, 5, 6].map((n) => round(n, n < 5));
  const [fifth, sixth] = [forwardChained([], rounds).slice(0, 30), forwardChained([], rounds).slice(30)];
  assert.equal(forwardChained([], rounds.slice(0, 4)).length, 0);
  assert.ok(
    fifth.every(({ confidence }) => confidence > 0.85),
    'it knew of nothing wrong',
  );
  assert.ok(sixth.length === 30 && sixth.every(({ confidence }) => confidence < 0.85), 'it knew of one round that was');
  assert.deepEqual(forwardChained([], [...rounds, round(7, false)]).slice(0, 60), [...fifth, ...sixth]);
});

test('a user’s word stays at 60 % also where the map is surer', () => {
  const { maps } = fit(claims);
  const { confidence, capped } = restated(claim('a', true, { tenant: true }), maps);
  assert.deepEqual([confidence, capped], [0.6, true]);
});

test('no claim of first contact that was wrong is stated with 90 % or more by maps that have not seen it', () => {
  const sure = crossValidated([]).filter(({ confidence, right }) => confidence >= 0.9 && !right);
  assert.deepEqual(sure, []);
});

test('the maps state what they have not seen half as wrongly as it was stated', () => {
  const free = (all: readonly Claim[]): number => calibrationError(all.filter(({ capped }) => !capped));
  assert.ok(free(crossValidated([])) < free(claims) / 1.5, `${free(crossValidated([]))} of ${free(claims)}`);
});

test('one more round leaves the others as they are', () => {
  const added = { date: '2026-12-01', engine: 'abc', claims: [claim('new, with a comma', false)] };
  const read: unknown = JSON.parse(withRound(added));
  const row = ['new, with a comma', 'gpu.lost', 'work', 0.9, 0.9, false, false];
  const { engine, date } = added;
  assert.deepEqual(read, { ...record, rounds: [...record.rounds, { date, engine, claims: [row] }] });
});
