// Stragglers: a GPU against those that do the same work, and against no other.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PeerGroups } from '../../../src/detection/job/peer-groups.ts';
import { Identity } from '../../../src/identity/identity.ts';
import type { Component } from '../../../src/model/component.ts';
import type { Discovery } from '../../../src/model/record.ts';
import { eventsOf, type Round, times } from '../series.ts';

const host: Component = { type: 'host', id: 'node-3' };
const gpu = (i: number): Component => ({ type: 'gpu', id: `0000:${(16 + i).toString(16)}:00.0` });

function runs(i: number, job: string, role?: string): Discovery {
  const rank: Component = { type: 'rank', id: `${job}/${i}` };
  return {
    component: rank,
    links: [
      { from: gpu(i), to: rank, relation: 'runs', source: 'host' },
      { from: rank, to: { type: 'job', id: job }, relation: 'member_of', source: 'host' },
    ],
    ...(role === undefined ? {} : { attributes: { role } }),
  };
}

/** A clock per GPU, with reasons for the first one. */
function clocks(values: readonly number[], reasons = 0): Round {
  const round: Record<string, number> = { [`gpu/${gpu(0).id}#clock_event_reasons`]: reasons };
  values.forEach((value, i) => {
    round[`gpu/${gpu(i).id}#utilization`] = 1;
    round[`gpu/${gpu(i).id}#sm_clock`] = value;
  });
  return round;
}

/** With them the reasons make events of their own. */
function stragglers(...of: Parameters<typeof eventsOf>) {
  return eventsOf(...of).filter(({ kind }) => kind === 'gpu.straggler');
}

const ONE_SLOW = [1.2e9, 1.9e9, 1.9e9, 1.92e9];

test('a GPU a tenth slower than its peers for half a minute is a straggler, reported with the reason that it gives', () => {
  const before = [0, 1, 2, 3].map((i) => runs(i, 'llama'));
  const [event, ...more] = stragglers(
    times(130, () => clocks(ONE_SLOW, 0x4)),
    { before },
  );
  assert.deepEqual(more, []);
  assert.deepEqual(
    [event?.kind, event?.component?.id, event?.attributes?.reason],
    ['gpu.straggler', gpu(0).id, 'power cap'],
  );
  const [dull] = eventsOf(
    times(70, () => clocks(ONE_SLOW)),
    { before },
  );
  assert.equal(dull?.attributes?.reason, null);
});

test('without a job that is known, in another job, in another role or of another model there are no peers', () => {
  const slow = times(130, () => clocks(ONE_SLOW));
  assert.deepEqual(eventsOf(slow), []);
  const jobs = [runs(0, 'a'), ...[1, 2, 3].map((i) => runs(i, 'b'))];
  assert.deepEqual(eventsOf(slow, { before: jobs }), []);
  const roles = [0, 1, 2, 3].map((i) => runs(i, 'a', i === 0 ? 'decode' : 'prefill'));
  assert.deepEqual(eventsOf(slow, { before: roles }), []);
  const models = [0, 1, 2, 3].map(
    (i): Discovery => ({
      component: gpu(i),
      links: [{ from: host, to: gpu(i), relation: 'contains', source: 'host' }],
      attributes: { model: i === 0 ? 'H100 PCIe' : 'H100 SXM' },
    }),
  );
  assert.deepEqual(eventsOf(slow, { before: [...models, ...[0, 1, 2, 3].map((i) => runs(i, 'a'))] }), []);
});

test('all slow together, or for less than the dwell, is not a straggler', () => {
  const before = [0, 1, 2, 3].map((i) => runs(i, 'llama'));
  assert.deepEqual(
    eventsOf(
      times(130, (i) => clocks(times(4, () => (i > 40 ? 1.2e9 : 1.9e9)))),
      { before },
    ),
    [],
  );
  assert.deepEqual(
    eventsOf(
      times(50, () => clocks(ONE_SLOW)),
      { before },
    ),
    [],
  );
});

/** Peer groups that follow an identity as it is taught. */
function taught(report: (gpu: string, group: number | null) => void): Pick<Identity, 'learn' | 'heard'> {
  const identity = new Identity('node-3');
  const groups = new PeerGroups({ setPeerGroup: report }, identity.placement);
  return {
    learn(discovery) {
      identity.learn(discovery);
      groups.refresh();
    },
    heard(event) {
      identity.heard(event);
      groups.refresh();
    },
  };
}

test('a job that is over, and a GPU that goes to another, leave the group', () => {
  const reported: [string, number | null][] = [];
  const groups = taught((component, group) => reported.push([component, group]));
  groups.learn(runs(0, 'a'));
  groups.learn(runs(0, 'a'));
  groups.learn(runs(1, 'a'));
  groups.learn(runs(1, 'b'));
  groups.heard({
    kind: 'job.ended', component: { type: 'job', id: 'a' }, timeMs: 0, observedMs: 0, trust: 'system', source: 'x',
  }); // biome-ignore format: one event
  const [zero, one] = [`gpu/${gpu(0).id}`, `gpu/${gpu(1).id}`];
  assert.deepEqual(reported, [
    [zero, 1],
    [one, 1],
    [one, 2],
    [zero, null],
  ]);
});

test('a GPU whose rank is configured before its job is found has its peers from then on', () => {
  const reported: [string, number | null][] = [];
  const groups = taught((key, group) => reported.push([key, group]));
  const rank: Component = { type: 'rank', id: 'llama/0' };
  const job: Component = { type: 'job', id: 'llama' };
  groups.learn({ component: rank, links: [{ from: gpu(0), to: rank, relation: 'runs', source: 'configuration' }] });
  assert.deepEqual(reported, []);
  groups.learn({ component: rank, links: [{ from: rank, to: job, relation: 'member_of', source: 'configuration' }] });
  assert.deepEqual(reported, [[`gpu/${gpu(0).id}`, 1]]);
});
