// Rank hosts: ranks by host as one text, and the host of some of them out of it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostOfRanks, rankHostsText } from '../../src/model/rank-hosts.ts';

test('hosts are listed with their ranks as runs, and found again', () => {
  const hosts = new Map([5, 0, 1, 2, 4, 9].map((rank) => [rank, rank < 4 ? 'gx-10' : 'gx-11']));
  const text = rankHostsText(hosts);
  assert.equal(text, 'gx-10 0-2, gx-11 4-5,9');
  for (const [rank, host] of hosts) assert.equal(hostOfRanks(text, [rank]), host);
  assert.equal(hostOfRanks(text, [4, 9]), 'gx-11');
  assert.deepEqual(
    [[2, 4], [3], [], [4, 10]].map((ranks) => hostOfRanks(text, ranks)),
    [null, null, null, null],
  );
  for (const other of ['', 'gx-10', ', ,', 7, null]) assert.equal(hostOfRanks(other, [0]), null);
});

test('what one attribute cannot hold is left out by whole hosts', () => {
  const text = rankHostsText(new Map(Array.from({ length: 512 }, (_, rank) => [rank, `node-${rank}`])));
  assert.ok(text.length <= 400);
  assert.match(text, /, node-\d+ \d+$/);
});
