// Relation: how components of two feeds of one host are related.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { relationQuality } from '../../../src/correlation/graph/relation.ts';
import type { Located } from '../../../src/correlation/topology/place.ts';
import { TopologyIndex } from '../../../src/correlation/topology/topology-index.ts';
import { type Component, type ComponentType, componentText } from '../../../src/model/component.ts';
import { event } from '../fixtures.ts';

const at = (type: ComponentType, id: string): Component => ({ type, id });
const a = at('pdu_phase', 'pdu-a/1');
const b = at('pdu_phase', 'pdu-b/1');
const elsewhere = at('pdu_phase', 'pdu-c/1');
const supply = at('psu', 'node-3/1');
const other = at('psu', 'node-3/2');

const located = (component: Component): Located => ({ component, text: componentText(component), rankJob: null });
/** How surely the second takes over from the first. */
const takesOver = (first: Component, second: Component, topology: TopologyIndex): number =>
  relationQuality('other_feed', located(first), located(second), topology);

function twoFeeds(): TopologyIndex {
  const topology = new TopologyIndex('node-3');
  const feed = (from: Component, to: Component) =>
    topology.link({ from, to, relation: 'feeds', source: 'configuration' });
  feed(a, supply);
  feed(b, other);
  feed(elsewhere, at('psu', 'node-9/1'));
  for (const component of [supply, other]) topology.retain(component);
  return topology;
}

test('the other feed of this host takes over what a feed or its supply no longer carries', () => {
  const topology = twoFeeds();
  assert.ok(takesOver(supply, b, topology) > 0.8);
  assert.ok(takesOver(a, b, topology) > 0.8);
  assert.ok(takesOver(b, a, topology) > 0.8);
});

test('no feed takes over from itself, from its own supply, or for a host that it does not feed', () => {
  const topology = twoFeeds();
  assert.equal(takesOver(a, a, topology), 0);
  assert.equal(takesOver(supply, a, topology), 0);
  assert.equal(takesOver(supply, elsewhere, topology), 0);
  assert.equal(takesOver(elsewhere, a, topology), 0);
  assert.equal(takesOver(a, other, topology), 0);
});

test('served: from the host of a file server to a host that a line calls its client, and not the other way', () => {
  const topology = new TopologyIndex('oss-1');
  const host = (id: string): Component => at('host', id);
  const quality = (from: Component, to: Component): number =>
    relationQuality('served', located(from), located(to), topology);
  assert.equal(quality(host('oss-1'), host('cn-1')), 0);
  const stalled = event(0, 'storage.stall', 'host/cn-1', {
    attributes: { server: 'work-OST0001', served_by: 'oss-1' },
  });
  assert.equal(topology.hears(stalled), true);
  assert.ok(quality(host('oss-1'), host('cn-1')) > 0.9);
  assert.ok(quality({ type: 'disk', id: 'sda', host: 'oss-1' }, host('cn-1')) > 0.9);
  assert.equal(quality(host('cn-1'), host('oss-1')), 0);
  assert.equal(quality(host('oss-1'), host('oss-1')), 0);
});
