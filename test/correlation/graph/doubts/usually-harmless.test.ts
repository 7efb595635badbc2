// Usually harmless: what came and went here many times without a consequence is blamed less for what follows it once.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usuallyHarmless } from '../../../../src/correlation/graph/doubts/usually-harmless.ts';
import type { FaultEvent } from '../../../../src/model/event.ts';
import { correlator, event, run } from '../../fixtures.ts';

const DAY_S = 86_400;
const flap = (s: number) => event(s, 'nic.link_flap', 'nic/0000:40:00.0', { trust: 'kernel', source: 'nic' });
const timeout = (s: number) =>
  event(s, 'job.collective_timeout', 'rank/train/0', { trust: 'tenant', source: 'job-log' });
const started = event(-60, 'job.started', 'job/train', { trust: 'tenant', source: 'job-log' });

/** The incident of the timeout, two seconds after the last of so many flaps, two a day. */
function answer(flaps: number, before: readonly FaultEvent[] = [started]) {
  const times = Array.from({ length: flaps }, (_, i) => (i * DAY_S) / 2);
  const last = times.at(-1) ?? 0;
  return run(correlator(), [...before, ...times.map(flap), timeout(last + 2)]).last.find(({ chain }) =>
    chain.some(({ kind }) => kind === 'job.collective_timeout'),
  );
}

test('a flap before a timeout is its cause the first time, and hardly after forty that did nothing', () => {
  const [first, late] = [answer(1), answer(40)];
  assert.equal(first?.root.kind, 'nic.link_flap');
  assert.equal(late?.rootKnown, false);
  const ruled = late?.ruledOut.find(({ what }) => what.includes('0000:40:00.0'));
  assert.match(ruled?.why ?? '', /^it happened here \d+ times before, without any consequence$/);
});

test('each that did nothing makes the next one less sure', () => {
  const sure = [1, 5, 9].map((flaps) => answer(flaps)?.confidence ?? 0);
  assert.ok((sure[0] ?? 0) > (sure[1] ?? 0) && (sure[1] ?? 0) > (sure[2] ?? 0), sure.join());
});

test('where no job is known nothing is learnt', () => {
  assert.equal(answer(40, [])?.root.kind, 'nic.link_flap');
});

test('a few say nothing, and what had consequences as often as not is not harmless', () => {
  assert.equal(usuallyHarmless({ withConsequence: 0, without: 2 }), null);
  assert.equal(usuallyHarmless({ withConsequence: 5, without: 5 }), null);
  const [few, many] = [4, 60].map((without) => usuallyHarmless({ withConsequence: 1, without })?.factor ?? 1);
  assert.ok((few ?? 0) > (many ?? 1) && (many ?? 0) >= 0.35);
});

test('errors that a link corrected without harm to any job are behind its loss all the same', () => {
  const at = 'pcie/0000:1b:00.0';
  const corrected = (s: number) =>
    event(s, 'pcie.corrected', at, { trust: 'kernel', source: 'kernel-log', severity: 'warning' });
  const times = Array.from({ length: 20 }, (_, i) => (i * DAY_S) / 2);
  const down = event((times.at(-1) ?? 0) + 3, 'pcie.link_down', at, { trust: 'kernel', source: 'kernel-log' });
  const last = run(correlator(), [started, ...times.map(corrected), down]).last;
  const found = last.find(({ chain }) => chain.some(({ kind }) => kind === 'pcie.link_down'));
  assert.equal(found?.root.kind, 'pcie.corrected');
});
