// Why a scheduler takes a node out of service: each reason of catalog/node-reasons.json, and a person's own words.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REASON_ROWS, reasonFinding } from '../../../src/detection/text/programs/node-reasons.ts';
import { programFindings } from '../../../src/detection/text/programs/program-rows.ts';
import { isKind } from '../../../src/model/kind.ts';
import { SEVERITIES } from '../../../src/model/severity.ts';

for (const { example, kind, severity } of REASON_ROWS)
  test(`"${example}" is ${kind}`, () => {
    assert.ok(isKind(kind) && (severity === undefined || SEVERITIES.includes(severity)));
    for (const reason of [example, `${example} [slurm@2026-11-28T12:00:24]`, `${example}, Low TmpDisk`]) {
      const found = reasonFinding(reason, 'gx-4');
      assert.deepEqual([found?.kind, found?.component], [kind, { type: 'host', id: 'gx-4' }], reason);
    }
    const line = `slurmctld[812]: slurmctld: update_node: node gx-4 reason set to: ${example}`;
    const [said] = programFindings(line, 'head-1') ?? [];
    assert.deepEqual([said?.kind, said?.component], [kind, { type: 'host', id: 'gx-4' }]);
    assert.equal(reasonFinding(`see "${example}"`, 'gx-4'), null);
  });

test('a reason in the words of a person drains the node, no more', () => {
  for (const reason of [
    'bad DIMM, ask Kim',
    'maintenance',
    'gres/gpu is fine',
    'not responding to mails',
    'memory errors fixed',
    'cyclecloud_maintenance',
    'Prologue',
  ])
    assert.equal(reasonFinding(reason, 'gx-4'), null, reason);
  const [said] =
    programFindings('slurmctld[812]: update_node: node gx-4 reason set to: new GPU on Monday', 'head-1') ?? [];
  assert.equal(said?.kind, 'host.drained');
});

test('how many devices there are is a number', () => {
  const found = reasonFinding('gres/gpu count reported lower than configured (7 < 8)', 'gx-4');
  assert.deepEqual([found?.attributes.found, found?.attributes.expected], [7, 8]);
});
