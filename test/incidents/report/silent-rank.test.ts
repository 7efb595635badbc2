// Silent rank: between ranks that report the same collective the one that does not is named, where only its number is missing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unknownText } from '../../../src/incidents/report/sentences.ts';
import { silentRanks, silentText, whereToFind } from '../../../src/incidents/report/silent-rank.ts';
import type { Attributes, FaultEvent } from '../../../src/model/event.ts';
import type { Incident } from '../../../src/model/incident.ts';
import { event, incident } from '../sample.ts';

const timedOut = (rank: number, more: Attributes = {}): FaultEvent =>
  event(
    `r${rank}`,
    'job.collective_timeout',
    { type: 'rank', id: `train/${rank}`, host: 'node-3' },
    { attributes: { rank, sequence: 88123, operation: 'ALLREDUCE', ...more } },
  );

function of(events: readonly FaultEvent[]): Incident {
  const { root } = incident('7f3c41d2a0b1');
  const component = { type: 'rank', id: 'train/3', host: 'node-3' } as const;
  return incident('7f3c41d2a0b1', {
    events: [...events],
    rootKnown: false,
    root: { ...root, kind: 'job.collective_timeout', component },
  });
}

function said(events: readonly FaultEvent[]): string | null {
  const found = silentRanks(of(events));
  return found === null ? null : silentText(found);
}

test('the only rank between them that did not report the collective is named, in the headline and in what is to be found out', () => {
  const one = of([timedOut(3, { process_group: '0' }), timedOut(0), timedOut(1)]);
  const { what, find } = unknownText(one, one.updatedMs);
  assert.match(what, /; nothing from rank 2/);
  assert.equal(find, 'why rank 2 did not join');
});

test('the ranks that waited are named once', () => {
  const { root } = incident('7f3c41d2a0b1');
  const ranks = [0, 1, 3].map((rank) => ({ type: 'rank', id: `train/${rank}`, host: 'node-3' }) as const);
  const [, , last] = ranks;
  const one = incident('7f3c41d2a0b1', {
    title: 'No root cause yet: train rank 3 collective timed out',
    events: [0, 1, 3].map((rank) => timedOut(rank, { waited_ms: 600_000 })),
    impact: ranks.map((component) => ({
      component,
      quantity: 'job.collective_timeout',
      before: null,
      after: null,
      unit: '',
      text: `train rank ${component.id.slice(6)}: collective timed out`,
    })),
    rootKnown: false,
    root: { ...root, kind: 'job.collective_timeout', component: last ?? null },
  });
  assert.match(unknownText(one, one.updatedMs).what, /^train rank 0, 1, 3 collective timed out; nothing from rank 2$/);
});

test('none is named where two are missing or silent by their group, none is, or the collectives differ', () => {
  const texts = [
    [0, 1].map((rank) => timedOut(rank)),
    [0, 1, 2, 3].map((rank) => timedOut(rank)),
    [0, 2, 4].map((rank) => timedOut(rank)),
    [0, 1, 3].map((rank) => timedOut(rank, { sequence: 100 + rank })),
    [0, 1, 3].map((rank) => timedOut(rank, { process_group: String(rank) })),
  ].map(said);
  assert.deepEqual(texts, [null, null, null, null, null]);
});

test('the first rank is missing where they begin at 1, the last of eight where they end at the seventh', () => {
  assert.equal(said([1, 2, 3].map((rank) => timedOut(rank))), 'nothing from rank 0');
  assert.equal(said([0, 1, 2, 3, 4, 5, 6].map((rank) => timedOut(rank))), 'nothing from rank 7');
  assert.equal(said([8, 9, 10, 11, 12, 13, 14].map((rank) => timedOut(rank))), 'nothing from rank 15');
  assert.equal(said([4, 5, 6].map((rank) => timedOut(rank))), null);
});

test('where the log says how many ranks there are all that are silent are named, with their host', () => {
  const sized = (ranks: readonly number[], more: Attributes = {}): string | null =>
    said(ranks.map((rank) => timedOut(rank, { world_size: 8, rank_hosts: 'gx-10 0-3, gx-11 4-7', ...more })));
  assert.equal(sized([0, 1, 2, 3, 4, 5]), 'nothing from rank 6, 7 of 8 on gx-11');
  assert.equal(sized([0, 1, 2, 4, 5, 6]), 'nothing from rank 3, 7 of 8');
  assert.equal(sized([0, 1, 2, 3]), 'this log has nothing from rank 4…7 of 8 on gx-11');
  assert.equal(sized([0, 1, 2], { process_group: '4' }), null, 'a part of the job has ranks of its own');
  assert.equal(sized([0, 1, 2], { world_size: 2 }), null, 'a number that cannot be');
  assert.equal(sized([0]), null);
});

test('where no line places the silent rank it is said where such a rank usually runs, and what lists the hosts', () => {
  const found = (job: string, reports: readonly FaultEvent[]): string => {
    const one = of(reports);
    const silent = silentRanks(one);
    const component = { type: 'rank', id: `${job}/0` } as const;
    return silent === null ? 'none' : whereToFind(silent, { root: { ...one.root, component } });
  };
  const but = (silent: number, all: number, more: Attributes = {}): FaultEvent[] =>
    Array.from({ length: all }, (_, rank) => timedOut(rank, more)).filter((_, rank) => rank !== silent);
  assert.equal(found('8812', but(13, 16)), ' (at 8 a host GPU 5 of host 2; hosts: sacct -Xj 8812 -o NodeList%99)');
  assert.equal(found('train', but(13, 16)), ' (at 8 a host GPU 5 of host 2)');
  assert.equal(found('train', but(2, 4)), '');
  assert.equal(found('8812', but(13, 16, { rank_hosts: 'gx-10 0-7, gx-11 8-15' })), '');
});
