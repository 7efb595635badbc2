// Tests of fitting a report into what is left of a screen.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitReport } from '../../../src/simulator/demo/fit-report.ts';

const REPORT = ['INCIDENT', 'Root', '', '   row', '', 'Sure', 'Address  a', '         b', 'Log  c'].join('\n');

test('a report that fits is left as it is', () => {
  assert.deepEqual(fitReport(REPORT, 9), REPORT.split('\n'));
});

test('the address goes first, with its second line', () => {
  assert.deepEqual(fitReport(REPORT, 7), ['INCIDENT', 'Root', '', '   row', '', 'Sure', 'Log  c']);
});

test('what was ruled out outlasts the count of the evidence', () => {
  const report = ['INCIDENT', '', 'Sure', 'Not  a', 'Evidence  9 items', '          b', 'Log  c'].join('\n');
  assert.deepEqual(fitReport(report, 6), ['INCIDENT', 'Sure', 'Not  a', 'Evidence  9 items', '          b', 'Log  c']);
  assert.deepEqual(fitReport(report, 5), ['INCIDENT', 'Sure', 'Not  a', 'Log  c']);
});

test('then empty lines from below, then the end', () => {
  assert.deepEqual(fitReport(REPORT, 6), ['INCIDENT', 'Root', '', '   row', 'Sure', 'Log  c']);
  assert.deepEqual(fitReport(REPORT, 5), ['INCIDENT', 'Root', '   row', 'Sure', 'Log  c']);
  assert.deepEqual(fitReport(REPORT, 3), ['INCIDENT', 'Root', '   …']);
});

test('what steps were known by goes before the end, from below', () => {
  const report = ['INCIDENT', '   row', '   "one', '   line"', ' ~ row', '   "two"', 'Sure', 'Not'].join('\n');
  assert.deepEqual(fitReport(report, 7), ['INCIDENT', '   row', '   "one', '   line"', ' ~ row', 'Sure', 'Not']);
  assert.deepEqual(fitReport(report, 6), ['INCIDENT', '   row', ' ~ row', 'Sure', 'Not']);
});
