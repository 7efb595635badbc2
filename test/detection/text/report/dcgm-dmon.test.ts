// dcgmi dmon: the last Xid of each GPU, once however often a loop shows it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readReport } from './read-report.ts';

const HEAD = ['#Entity    TMPTR        XIDER        ', 'ID         C                        '];
const LOOK = ['GPU 0      41           0            ', 'GPU 1      44           120          '];

test('the last Xid of a GPU is reported once, by its number', () => {
  const { findings, taken } = readReport([...HEAD, ...LOOK, ...LOOK, ...HEAD, ...LOOK].join('\n'));
  assert.ok(taken.every((each) => each));
  assert.deepEqual(
    findings.map(({ kind, component, attributes }) => [kind, component, attributes.dcgm_gpu, attributes.xid]),
    [['gpu.gsp_timeout', null, 1, 120]],
  );
});

test('a number that is not in the catalogue is a fault of the GPU', () => {
  const { faults } = readReport(['# Entity  XIDER', 'GPU 3      9876'].join('\n'));
  assert.deepEqual(faults, [['gpu.fault', null]]);
});

test('rows without a head, of other columns, of other entities or without a value report nothing', () => {
  for (const lines of [
    LOOK,
    [...HEAD, 'Switch 1   44           120'],
    [...HEAD, 'GPU 1      N/A          N/A'],
    [...HEAD, 'GPU 1      NVIDIA H100  44     120'],
    ['#Entity    TMPTR', 'GPU 1      120'],
  ])
    assert.deepEqual(readReport(lines.join('\n')).faults, [], lines.join(' / '));
});
