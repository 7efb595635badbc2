// Heard names: the kernel's log calls cards by interfaces, in lines that come in any order.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TopologyIndex } from '../../../src/correlation/topology/topology-index.ts';
import type { Component } from '../../../src/model/component.ts';
import { event } from '../fixtures.ts';

const CARD: Component = { type: 'nic', id: '0000:9a:00.0', host: 'node-3' };
const said = (names: readonly string[], card = CARD) => ({
  ...event(0, 'nic.port_down', 'nic/0000:9a:00.0', { trust: 'kernel', source: 'kernel-log' }),
  component: { ...card, aliases: names },
});
const named = (id: string): Component => ({ type: 'nic', id, host: 'node-3' });
const NAMES = [['mlx5_4'], ['ens5f0np0'], ['eth4', 'mlx5_4']];

test('a card without names of its own is shown under all that were heard, whichever came first', () => {
  const shown = [NAMES, NAMES.toReversed()].map((order) => {
    const topology = new TopologyIndex('node-3');
    for (const names of order) topology.hears(said(names));
    for (const name of NAMES.flat()) assert.equal(topology.resolve(named(name)).id, CARD.id, name);
    return topology.resolve(CARD).aliases;
  });
  assert.deepEqual(shown, [['ens5f0np0', 'eth4', 'mlx5_4'], ['ens5f0np0', 'eth4', 'mlx5_4']]); // biome-ignore format: one line
});

test('a card that its host names is shown as before, and found under what was heard', () => {
  const topology = new TopologyIndex('node-3');
  const card = { ...CARD, aliases: ['mlx5_4', 'eth4'] };
  topology.link({ from: { type: 'host', id: 'node-3' }, to: card, relation: 'contains', source: 'host' });
  for (const names of NAMES) topology.hears(said(names));
  assert.equal(topology.resolve(named('ens5f0np0')).id, CARD.id);
  assert.deepEqual(topology.resolve(CARD).aliases, ['mlx5_4', 'eth4']);
});

test('a name of another card stays with it, and a tenant teaches none', () => {
  const topology = new TopologyIndex('node-3');
  topology.hears(said(['eth0']));
  topology.hears(said(['eth0'], { ...CARD, id: '0000:9b:00.0' }));
  assert.equal(topology.resolve(named('eth0')).id, CARD.id);
  topology.hears({ ...said(['eth9']), trust: 'tenant' });
  assert.equal(topology.resolve(named('eth9')).id, 'eth9');
});
