// Evidence groups: like pieces are one with a count, and readings show the change that they prove.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evidenceGroups, readingLines } from '../../../src/incidents/report/evidence-groups.ts';
import type { Evidence } from '../../../src/model/event.ts';

const text = (timeMs: number, line: string, source = 'kernel-log'): Evidence => ({ source, timeMs, text: line });
const START = Date.UTC(2026, 10, 28, 16, 0, 0);

test('lines that differ in numbers and addresses are one group, with the first, the last and how many', () => {
  const groups = evidenceGroups([
    text(1, 'NVRM: Xid (PCI:0000:9b:00): 31, pid=48211'),
    text(2, 'mlx5_core 0000:5f:00.0: link down'),
    text(3, 'mlx5_core 0000:ad:00.1: link down'),
    text(4, 'mlx5_core 0000:c1:00.0: link down'),
    text(5, 'mlx5_core 0000:c1:00.0: link down', 'job-log'),
    text(6, 'mlx5_core 0000:c1:00.0: link up'),
  ]);
  assert.deepEqual(
    groups.map(({ first, last, count }) => [
      'timeMs' in first ? first.timeMs : null,
      last !== null && 'timeMs' in last ? last.timeMs : null,
      count,
    ]),
    [
      [1, null, 1],
      [2, 4, 3],
      [5, null, 1],
      [6, null, 1],
    ],
  );
});

test('readings of siblings are one group, those of another quantity another', () => {
  const series = (key: string): Evidence => ({ source: 'gpu', series: key, values: [[START, 1]] });
  const groups = evidenceGroups(['gpu/0#power', 'gpu/1#power', 'gpu/0#sm_clock', 'pdu/a#power'].map(series));
  assert.deepEqual(
    groups.map(({ count }) => count),
    [2, 1, 1],
  );
});

test('of many readings those around the greatest change are shown, in one form of numbers with their unit', () => {
  const values = Array.from({ length: 100 }, (_, i) => [START + i * 1000, i < 20 ? 1.98e9 : 705e6] as const);
  const [head, ...lines] = readingLines({ source: 'gpu', series: 'gpu/0#sm_clock', values }, 'UTC', 6);
  assert.equal(head, '6 of 100 readings:');
  assert.deepEqual(
    lines.map((line) => line.replace(/^\S+ +/, '')),
    ['1,980 MHz', '1,980 MHz', '1,980 MHz', '705 MHz', '705 MHz', '705 MHz'],
  );
  assert.match(lines[3] ?? '', /^16:00:20\.0 /);
});

test('a change at either end, none, and few readings stay within what there is', () => {
  const of = (...numbers: number[]): string[] =>
    readingLines({ source: 'gpu', series: 'gpu/0#power', values: numbers.map((value, i) => [START + i, value]) }, 'UTC', 4); // biome-ignore format: one call
  assert.equal(of(100, 300, 300, 300, 300, 300)[1]?.endsWith('100 W'), true);
  assert.equal(of(100, 100, 100, 100, 100, 300).at(-1)?.endsWith('300 W'), true);
  assert.equal(of(100, 100, 100, 100, 100, 100).length, 5);
  assert.equal(of(100, 300).length, 2);
  assert.deepEqual(of(), []);
});

test('a mask of bits is written as the drivers’ documents have it', () => {
  const values = [[START, 0] as const, [START + 500, 0x88] as const];
  const lines = readingLines({ source: 'gpu', series: 'gpu/0#clock_event_reasons', values }, 'UTC', 6);
  assert.deepEqual(
    lines.map((line) => line.replace(/^\S+ +/, '')),
    ['0x0', '0x88'],
  );
});
