// The rank that did not join a collective is the one of a host that does not report it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FaultEvent } from '../../../src/model/event.ts';
import { correlator, event, link, run } from '../fixtures.ts';

const LINKS = Array.from({ length: 8 }, (_, rank) => link('host/node-3', `rank/train/${rank}`, 'runs'));
const timeout = (rank: number, sequence: number, s = rank / 10): FaultEvent =>
  event(s, 'job.collective_timeout', `rank/train/${rank}`, {
    trust: 'tenant',
    source: 'job-log',
    attributes: { sequence, operation: 'allreduce' },
  });
const of = (ranks: readonly number[], sequence = (_: number) => 7) =>
  run(
    correlator(LINKS),
    ranks.map((rank) => timeout(rank, sequence(rank))),
  ).last[0];

test('seven of eight ranks report one collective: the eighth is who may have stopped', () => {
  const reported = of([0, 1, 2, 4, 5, 6, 7]);
  assert.equal(reported?.rootKnown, false);
  assert.equal(reported?.alternatives[0]?.root.component?.id, 'train/3');
  assert.equal(reported?.action.target?.id, 'train/3');
});

test('numbers of several groups are not compared, two silent ranks are none, and all that report leave none: then some rank of the job stopped', () => {
  for (const reported of [
    of([0, 1, 2, 4, 5, 6, 7], (rank) => rank),
    of([0, 1, 2, 4, 5, 6]),
    of([0, 1, 2, 3, 4, 5, 6, 7]),
  ])
    assert.equal(reported?.alternatives[0]?.root.component?.id, 'train');
});
