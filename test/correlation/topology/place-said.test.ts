// Place said: a card that a program names is found among those of this host, and no other thing is.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeSaid } from '../../../src/correlation/topology/place-said.ts';
import { TopologyIndex } from '../../../src/correlation/topology/topology-index.ts';
import type { Attributes } from '../../../src/model/event.ts';
import type { Kind } from '../../../src/model/kind.ts';
import { event } from '../fixtures.ts';

const topology = new TopologyIndex('node-3.example');
const card = { type: 'nic', id: '0000:9a:00.0', host: 'node-3.example', aliases: ['mlx5_4'] } as const;
topology.link({ from: { type: 'host', id: 'node-3.example' }, to: card, relation: 'contains', source: 'host' });
const of = (attributes: Attributes, kind: Kind = 'nic.port_down') => {
  const said = event(0, kind, null, { trust: 'tenant', source: 'job-log', attributes });
  return placeSaid(said, topology)?.component.id ?? null;
};

test('a card that a line names is the one that its host calls so', () => {
  assert.equal(of({ device: 'mlx5_4' }), card.id);
  assert.equal(of({ device: 'mlx5_4', printed_on: 'node-3' }), card.id);
});

test('a name that this host does not know, another host, or another kind of device say no place', () => {
  assert.equal(of({ device: 'mlx5_9' }), null);
  assert.equal(of({ device: 'mlx5_4', printed_on: 'node-7' }), null);
  assert.equal(of({ device: 'mlx5_4' }, 'gpu.lost'), null);
  assert.equal(of({}), null);
});
