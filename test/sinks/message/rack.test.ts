// Twenty nodes of a rack that loses its feed: what Alertmanager groups them by is the same on each, whatever else is their own.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Component } from '../../../src/model/component.ts';
import { alertOf } from '../../../src/sinks/alertmanager/alert.ts';
import { factsOf } from '../../../src/sinks/message/facts.ts';
import { labelsOf } from '../../../src/sinks/message/labels.ts';
import { incident } from '../../incidents/sample.ts';

const PDU: Component = { type: 'pdu', id: 'pdu-b', parent: 'rack/r14' };
const onNode = (number: number, root: Component = PDU, more = {}) => {
  const base = incident(number.toString(16).padStart(12, '0'), { host: `node-${number}` });
  return { ...base, root: { ...base.root, component: root }, ...more };
};

test('one root, one rack, one kind: one group of alerts, though each is an alert of its own', () => {
  const alerts = Array.from({ length: 20 }, (_, number) => {
    const one = onNode(number);
    return alertOf(one, factsOf(one, null), labelsOf(one, {}), {}, null).labels;
  });
  const groups = new Set(alerts.map(({ rack, kind, component }) => `${rack} ${kind} ${component}`));
  assert.deepEqual([...groups], ['r14 power.voltage_sag pdu/pdu-b']);
  assert.equal(new Set(alerts.map(({ incident: id, host }) => `${id} ${host}`)).size, 20);
});

test('the rack is of the topology: the root itself, what holds it, or a station on the way; the configuration is surer', () => {
  const rack = (root: Component, more = {}, own = {}) => labelsOf(onNode(1, root, more), own).rack;
  assert.deepEqual(rack({ type: 'rack', id: 'r9' }), ['r9']);
  assert.deepEqual(
    rack({ type: 'psu', id: 'node-1/1' }, { feedPath: ['pdu_outlet/x/7', 'rack/r14', 'psu/node-1/1'] }),
    ['r14'],
  );
  assert.equal(rack({ type: 'gpu', id: '0000:1b:00.0' }), undefined);
  assert.deepEqual(rack(PDU, {}, { rack: 'r15' }), ['r15']);
});
