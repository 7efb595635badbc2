// Slots: what was ordered to be powered off loses its link by that order, anything else by a fault, until the link is up again.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kernelContext } from '../../../src/detection/text/kernel.ts';
import { TextDetection } from '../../../src/detection/text/text-detection.ts';
import { decodeLines, kernelRecord, START_MS } from './lines.ts';

const slot = (words: string, port = '0000:e0:05.0'): string => `pcieport ${port}: pciehp: Slot(12): ${words}`;
const DOWN = slot('Link Down');

function severities(lines: readonly string[], apartMs = 2500) {
  return decodeLines(lines, kernelContext('node-1'), START_MS, apartMs)
    .filter(({ state }) => state === 'onset')
    .map(({ kind, severity, attributes }) => [kind, severity, attributes?.slot]);
}

function states(...lines: string[]) {
  return decodeLines(lines, kernelContext('node-1'), START_MS, 2500).map(({ state, attributes }) =>
    [state, attributes?.reason].filter((part) => part !== undefined).join(' '),
  );
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

test('a link that is up again is over, and one that goes down after that is down again', () => {
  const lines = [DOWN, slot('Card not present'), slot('Card present'), slot('Link Up'), DOWN];
  assert.deepEqual(states(...lines), ['onset', 'clear', 'clear', 'onset']);
  const detection = new TextDetection('node-1');
  const events = lines.flatMap((text, i) => detection.decode(kernelRecord(text, i, START_MS + i * 400)).events);
  assert.deepEqual(
    events.map(({ state }) => state),
    ['onset', 'clear', 'onset'],
  );
});

test('a card that is gone without a word on its link is a link that is down; on an empty slot whose button was pressed it is none', () => {
  assert.deepEqual(states(slot('Card not present')), ['onset card not present']);
  assert.deepEqual(states(slot('Button press: will power on in 5 sec'), slot('Card not present')), []);
  assert.deepEqual(states(slot('Attention button pressed'), slot('Card not present')), []);
});

test('a card that is there and does not come up has no link, in the words of each kernel', () => {
  for (const words of ['Cannot train link: status 0x1001', 'No link', 'Power fault', 'No device found'])
    assert.deepEqual(states(DOWN, slot('Card present'), slot(words)).slice(0, 2), ['onset', 'clear'], words);
  assert.deepEqual(states(slot('Card present'), slot('Cannot train link: status 0x1001')), [
    'clear',
    'onset cannot train link',
  ]);
});

test('a link whose loss the port contained and recovered from was not down', () => {
  assert.deepEqual(states(slot('Link Down/Up ignored (recovered by DPC)')), []);
  assert.deepEqual(states(slot('Link Down/Up ignored')), []);
});
