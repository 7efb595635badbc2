// Indented JSON between other lines: conditions of a node and records of a log become the lines that are read, all else stays.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flattened } from '../../../src/sources/saved-text/blocks.ts';

const pretty = (value: unknown): string[] => JSON.stringify(value, null, 2).split('\n');

const READY = {
  type: 'Ready',
  status: 'Unknown',
  lastHeartbeatTime: '2026-11-28T03:48:32Z',
  lastTransitionTime: '2026-11-28T03:49:20Z',
  reason: 'NodeStatusUnknown',
  message: 'Kubelet stopped posting node status.',
};
const LINE =
  '  Ready   Unknown   Sat, 28 Nov 2026 03:48:32 +0000   Sat, 28 Nov 2026 03:49:20 +0000   NodeStatusUnknown   Kubelet stopped posting node status.';

test('a condition of a node is the line that kubectl describes it with, alone, in a list and within what it is of', () => {
  for (const value of [READY, [READY], { kind: 'Node', status: { conditions: [READY] } }]) {
    const lines = ['curl -s node | jq', ...pretty(value), 'and after'];
    const flat = flattened(lines);
    assert.deepEqual(
      flat.filter((line) => line.startsWith('  Ready')),
      [LINE],
    );
    assert.equal(flat.length, lines.length);
    assert.equal(flat.at(-1), 'and after');
  }
});

test('of a condition that was cut what it says counts; one of a pod is none of a node', () => {
  const cut = ['{', '  "type": "Ready",', '  "status": "Unknown",'];
  assert.match(flattened(cut)[0] ?? '', /^ {2}Ready {3}Unknown /);
  const pod = pretty({
    type: 'Ready',
    status: 'False',
    lastProbeTime: null,
    reason: 'ContainersNotReady',
    message: 'x',
  });
  assert.deepEqual(flattened(pod), pod);
});

test('a record of a log is one line, where its first one was', () => {
  const record = { event: 'worker lost', level: 'error', detail: 'a {brace} and "quotes"', more: { rank: 3 } };
  const lines = ['above', ...pretty(record), ...pretty({ ...record, level: 'info' })];
  const flat = flattened(lines);
  assert.deepEqual(flat.filter((line) => line !== ''), ['above', JSON.stringify(record), JSON.stringify({ ...record, level: 'info' })]); // biome-ignore format: one line
  assert.equal(flat[1], JSON.stringify(record));
  const settings = pretty({ batch: 4, optimizer: { name: 'adam' } });
  assert.deepEqual(flattened(settings), settings);
});

test('braces without an end, and many of them, stay lines', () => {
  const many = Array.from({ length: 9000 }, () => '{');
  assert.deepEqual(flattened(many), many);
});
