// Overview: what is to be read first is on the first screen, however many incidents follow.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byGravity, overview } from '../../../src/commands/scan/overview.ts';
import { incident } from '../../incidents/sample.ts';

const SEVERITIES = ['info', 'critical', 'warning', 'error'] as const;
const many = Array.from({ length: 25 }, (_, i) =>
  incident(`${i.toString(16).padStart(6, '0')}aaaaaa`, { severity: SEVERITIES[i % 4] ?? 'info' }),
);

test('of few one line says how many and which to act on, of one none', () => {
  const [line = ''] = overview(many.slice(0, 5), 300);
  assert.match(line, /^5 incidents, the gravest first: act on 000001 before the others\.$/);
  assert.deepEqual(overview(many.slice(0, 1), 100), []);
});

test('of many each has a line with id, severity, day and time, the gravest first', () => {
  const lines = (overview(many, 200)[0] ?? '').split('\n');
  assert.equal(lines[0], '25 incidents, the gravest first; --incident ID gives one alone:');
  assert.equal(lines.length, 1 + 20 + 1);
  assert.match(lines[1] ?? '', /^ {2}000001 {2}critical {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}\S/);
  assert.deepEqual(lines.slice(1, 21).map((line) => line.slice(10, 18).trim()), byGravity(many).slice(0, 20).map(({ severity }) => severity)); // biome-ignore format: one call
  assert.equal(lines.at(-1), '  and 5 more, below');
});

test('no line is wider than the terminal', () => {
  for (const width of [60, 80, 100]) for (const line of (overview(many, width)[0] ?? '').split('\n')) assert.ok(line.length <= width, line); // biome-ignore format: one rule
});
