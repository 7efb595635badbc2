// Silent rank: between ranks that report the same collective the one that does not is named, where only its number is missing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unknownText } from '../../../src/incidents/report/sentences.ts';
import { silentRankText } from '../../../src/incidents/report/silent-rank.ts';
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

test('the only rank between them that did not report the collective is named, in what is to be found out', () => {
  const one = of([timedOut(3, { process_group: '0' }), timedOut(0), timedOut(1)]);
  assert.match(silentRankText(one) ?? '', /^rank 2 alone between them did not report it/);
  assert.match(unknownText(one, one.updatedMs).find, /; rank 2 alone /);
});

test('none is named where two are missing or silent by their group, none is, or the collectives differ', () => {
  const texts = [
    [0, 1].map((rank) => timedOut(rank)),
    [0, 1, 2, 3].map((rank) => timedOut(rank)),
    [0, 2, 4].map((rank) => timedOut(rank)),
    [0, 1, 3].map((rank) => timedOut(rank, { sequence: 100 + rank })),
    [0, 1, 3].map((rank) => timedOut(rank, { process_group: String(rank) })),
  ].map((events) => silentRankText(of(events)));
  assert.deepEqual(texts, [null, null, null, null, null]);
});
