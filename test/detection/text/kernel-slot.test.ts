// Slots: what was ordered to be powered off loses its link by that order, anything else by a fault.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kernelContext } from '../../../src/detection/text/kernel.ts';
import { decodeLines, START_MS } from './lines.ts';

const slot = (words: string, port = '0000:e0:05.0'): string => `pcieport ${port}: pciehp: Slot(12): ${words}`;
const DOWN = slot('Link Down');

function severities(lines: readonly string[], apartMs = 2500) {
  return decodeLines(lines, kernelContext('node-1'), START_MS, apartMs).map(({ kind, severity, attributes }) => [
    kind,
    severity,
    attributes?.slot,
  ]);
}

const FACT = [['pcie.link_down', 'info', '12']];
const FAULT = [['pcie.link_down', undefined, '12']];

test('a card that the button of its slot powers off is removed in order, in the words of each kernel', () => {
  assert.deepEqual(severities([slot('Button press: will power off in 5 sec'), DOWN, slot('Card not present')]), FACT);
  assert.deepEqual(
    severities([slot('Attention button pressed'), slot('Powering off due to button press'), DOWN]),
    FACT,
  );
});

test('without an order, with one for another slot, or after it was taken back or long over, the link broke', () => {
  const order = slot('Button press: will power off in 5 sec');
  assert.deepEqual(severities([DOWN, slot('Card not present')]), FAULT);
  assert.deepEqual(severities([slot('Attention button pressed'), DOWN]), FAULT);
  assert.deepEqual(severities([slot('Button press: will power off in 5 sec', '0000:e0:06.0'), DOWN]), FAULT);
  assert.deepEqual(severities([order, slot('Button press: canceling request to power off'), DOWN]), FAULT);
  assert.deepEqual(severities([order, slot('Card present'), slot('Link Up'), DOWN]), FAULT);
  assert.deepEqual(severities([order, DOWN], 61_000), FAULT);
});
