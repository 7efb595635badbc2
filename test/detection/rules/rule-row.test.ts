// The shipped set of detectors: every row names what exists, says where its thresholds come from, and is taken by the core.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import gpu from '#catalog/gpu-detectors.json' with { type: 'json' };
import { DETECTION_RULES } from '../../../src/detection/rules/detectors.ts';
import { ruleOf } from '../../../src/detection/rules/rule-row.ts';
import { COMPONENT_TYPES } from '../../../src/model/component.ts';
import { isKind } from '../../../src/model/kind.ts';
import { SEVERITIES } from '../../../src/model/severity.ts';
import { native } from '../../../src/native.ts';

test('every rule has a name of its own and words of the closed lists', () => {
  assert.equal(new Set(DETECTION_RULES.map(({ spec }) => spec.name)).size, DETECTION_RULES.length);
  for (const { spec, kind, severity, deeper, grades } of DETECTION_RULES) {
    assert.ok(isKind(kind), `${spec.name}: ${kind}`);
    if (deeper !== undefined) assert.ok(isKind(deeper.kind), spec.name);
    for (const word of [severity, ...(grades ?? []).map((grade) => grade.severity)])
      assert.ok(word === undefined || SEVERITIES.includes(word), `${spec.name}: ${word}`);
    assert.ok(
      COMPONENT_TYPES.some((type) => type === spec.select.componentType),
      spec.name,
    );
  }
});

test('every threshold says where it comes from', () => {
  for (const { spec, source, quantity } of DETECTION_RULES) {
    assert.ok(source.length > 10, spec.name);
    assert.ok(quantity.length > 2, spec.name);
  }
});

test('the core takes every rule, and none of those that cannot speak', () => {
  const core = new (native().Core)({ historySeconds: 1, maxSeries: 1 });
  for (const { spec } of DETECTION_RULES) assert.doesNotThrow(() => core.setDetectors([spec]), spec.name);
  core.close();
});

test('the six detectors are all in use', () => {
  const types = new Set(DETECTION_RULES.map(({ spec }) => spec.type));
  assert.deepEqual([...types].sort(), ['drop', 'level', 'mask', 'peers', 'rate', 'trend']);
});

test('a row of an unknown type is not a rule', () => {
  const row = {
    name: 'x',
    quantity: 'q',
    type: 'vibes',
    kind: 'gpu.fault',
    label: 'q',
    source: 'nowhere in particular',
  };
  assert.throws(() => ruleOf(row, 'gpu'), /x is of the unknown type vibes/);
});

test("the driver's events become kinds that exist, with a source", () => {
  for (const [name, row] of Object.entries(gpu.events)) {
    assert.ok(row.kind === null || isKind(row.kind), name);
    assert.ok(row.source.length > 10, name);
  }
});
