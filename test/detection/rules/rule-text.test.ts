// What the command and the reference page say of a rule is what the rule does.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DETECTION_RULES } from '../../../src/detection/rules/detectors.ts';
import { ruleLine, rulesText } from '../../../src/detection/rules/rule-text.ts';
import { installationRoot } from '../../../src/native.ts';

function line(name: string) {
  const rule = DETECTION_RULES.find(({ spec }) => spec.name === name);
  assert.ok(rule, name);
  return ruleLine(rule);
}

test('a line has the thresholds, the conditions, the event and the source', () => {
  assert.deepEqual(line('gpu-hw-slowdown').condition, 'any of 0x8 without 0xe1 for 10 s; over after 5 s without');
  assert.equal(line('pdu_phase-sag').condition, '< 0.9 × the median of 10 min; over within 0.94 ×');
  assert.equal(line('pdu_phase-sag').event, 'power.voltage_sag (warning); under 0.5 × power.phase_loss');
  const link = line('gpu-pcie-generation');
  assert.equal(link.watches, 'pcie_generation / pcie_generation_max of gpu');
  assert.match(link.condition, /only utilization > 0\.5$/);
});

test('the reference page names every shipped rule', () => {
  const page = readFileSync(join(installationRoot(), 'docs/reference/detectors.md'), 'utf8');
  for (const { spec } of DETECTION_RULES) assert.ok(page.includes(`| \`${spec.name}\` |`), spec.name);
});

test('the list names every rule with its source', () => {
  const text = rulesText(DETECTION_RULES);
  for (const { spec, source } of DETECTION_RULES) {
    assert.ok(text.includes(`${spec.name}  ${spec.type}\n`), spec.name);
    assert.ok(text.includes(`source: ${source}\n`), spec.name);
  }
});
