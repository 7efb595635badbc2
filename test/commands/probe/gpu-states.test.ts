// Numbers that stand for words are shown as words, and the capability table groups what is equal.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capabilityTable, isState, stateOf, withoutCapabilities } from '../../../src/commands/probe/gpu-states.ts';
import type { ReadingsDocument } from '../../../src/model/documents/readings.ts';

const word = (quantity: string, value: number | null) =>
  stateOf({ component: 'gpu/a', quantity, value, unit: '1' }).map((state) => state.value);

test('a state has its word, an unknown number itself, and without a value there is no state', () => {
  assert.deepEqual(word('performance_state', 8), ['P8']);
  assert.deepEqual(word('remap_pending', 1), ['yes']);
  assert.deepEqual(word('fabric_state', 3), ['completed']);
  assert.deepEqual(word('recovery_action', 4), ['drain and reset']);
  assert.deepEqual(word('recovery_action', 77), ['77']);
  assert.deepEqual(word('clock_event_reasons', 0x88), ['0x88 (hardware slowdown, power brake)']);
  assert.deepEqual(word('ecc_mode', null), []);
  assert.equal(isState({ component: 'gpu/a', quantity: 'power', value: 1, unit: 'W' }), false);
});

test('one line a group; where GPUs differ each text names its own', () => {
  const states = [
    { component: 'gpu/a', name: 'model', value: 'H100' },
    { component: 'gpu/a', name: 'capability.ecc', value: 'works' },
    { component: 'gpu/b', name: 'capability.ecc', value: 'works' },
    { component: 'gpu/a', name: 'capability.mig', value: 'works' },
    { component: 'gpu/b', name: 'capability.mig', value: 'unsupported (3)' },
  ];
  const document: ReadingsDocument = {
    schema: 'faultline/readings/1', target: 'x', observed_at: '', readings: [], states, warnings: [],
    identity: { vendor: null, model: null, serial: null, firmware: null },
  }; // biome-ignore format: one document
  assert.equal(
    capabilityTable(document),
    '\nwhat 2 GPUs can report\n  ecc  works\n  mig  works (a); unsupported (3) (b)\n',
  );
  assert.deepEqual(withoutCapabilities(document).states, states.slice(0, 1));
  assert.equal(capabilityTable(withoutCapabilities(document)), '');
});
