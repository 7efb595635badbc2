// Weeks of jobs that come and go by themselves: what is known of devices stays, running jobs stay, and new ones are taken up.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TopologyIndex } from '../../src/correlation/topology/topology-index.ts';
import { Identity } from '../../src/identity/identity.ts';
import { rankDiscovery } from '../../src/identity/rank/links.ts';
import type { Component } from '../../src/model/component.ts';
import type { Discovery } from '../../src/model/record.ts';

const RANKS = 8;
/** So often that a running job is named again before it is the oldest, as the source does every hour. */
const AGAIN = 50;

const gpu = (n: number): Component => ({ type: 'gpu', id: `0000:${n}b:00.0`, aliases: [`gpu ${n}`, `GPU-${n}`] });

/** Jobs one after the other, and one that runs all the time. */
function play(
  jobs: number,
  names: (job: string) => readonly string[],
  learn: (found: Discovery) => void,
  ended = (_: string) => {},
) {
  const found = (job: string) => {
    for (let rank = 0; rank < RANKS; rank += 1)
      learn(rankDiscovery(job, rank, 'node-3', gpu(rank), 'train.py', { aliases: names(job), namedBy: null }));
  };
  for (let n = 0; n < jobs; n += 1) {
    found(`j${n}`);
    if (n % AGAIN === 0) found('long');
    ended(`j${n}`);
  }
  found('last');
}

test('identity knows the newest and the longest running of thousands of jobs, and the devices', () => {
  const identity = new Identity('node-3');
  for (let n = 0; n < RANKS; n += 1) identity.learn({ component: gpu(n), links: [] });
  const learn = (found: Discovery) => {
    identity.learn(found);
    identity.aliases.learn(found.component);
  };
  play(2400, (job) => [`raw-${job}`], learn, (job) => identity.placement.ended(job)); // biome-ignore format: one line
  for (const job of ['long', 'last']) {
    assert.ok(identity.names.has({ type: 'rank', id: `${job}/3` }));
    assert.equal(identity.resolve({ type: 'rank', id: `${job}/3` })?.parent, `job/${job}`);
    assert.equal(identity.aliases.resolve({ type: 'rank', id: `raw-${job}/3` }).text, `rank/${job}/3`);
  }
  assert.deepEqual(identity.resolve({ type: 'gpu', id: gpu(3).id })?.aliases, gpu(3).aliases);
  assert.equal(identity.placement.workOf(`gpu/${gpu(3).id}`)?.job, 'last');
});

test('the topology forgets links of jobs of long ago, and of nothing that runs', () => {
  const topology = new TopologyIndex('node-3');
  const host = { type: 'host', id: 'node-3' } as const;
  for (let n = 0; n < RANKS; n += 1) topology.link({ from: host, to: gpu(n), relation: 'contains', source: 'host' });
  topology.retain({ type: 'rank', id: 'j5/3' });
  play(600, () => [], ({ links }) => { for (const link of links) topology.link(link); }); // biome-ignore format: one line
  const linked = (id: string) => topology.quality(gpu(3), { type: 'rank', id }) > 0.9;
  assert.deepEqual(['long/3', 'last/3', 'j599/3', 'j3/3'].map(linked), [true, true, true, false]);
  assert.ok(linked('j5/3'), 'a condition names it');
  assert.ok(topology.quality(host, gpu(3)) > 0);
});
