// Marks of a Kubernetes node: each has what the reader needs, and what it means is read from a node.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogueFolder } from '../../src/helpers/catalogue-folder.ts';
import { readNode } from '../../src/sources/kubernetes/events/node.ts';
import { isFaultTaint } from '../../src/sources/kubernetes/events/node-marks.ts';

interface Row {
  readonly where: string;
  readonly key: string;
  readonly values?: readonly string[];
  readonly as: string;
  readonly source: string;
}

const { planned, faults } = catalogueFolder('kubernetes').get('node-marks') as { planned: Row[]; faults: Row[] }; // checked below

test('every row says where the mark is, what it means and where that is from', () => {
  for (const { where, key, as, source } of [...planned, ...faults]) {
    assert.ok(['taint', 'annotation', 'label'].includes(where), key);
    assert.match(key, /^[\w.*/-]+$/);
    assert.ok(as.length > 8 && source.length > 8, key);
  }
});

test('a planned mark on a node is a plan, with one of its values where it has some; a taint of a fault is none', () => {
  const node = (metadata: object, taints: object[] = []) => readNode({ metadata: { name: 'n', ...metadata }, spec: { taints } });
  for (const { where, key, values, as } of planned) {
    const value = values?.[0] ?? 'x';
    const on = where === 'taint' ? node({}, [{ key, value, effect: 'NoSchedule' }]) : node({ [`${where}s`]: { [key]: value } });
    assert.deepEqual(on?.plans, [{ key, as, value }], key);
    const other = where === 'taint' ? node({}) : node({ [`${where}s`]: { [key]: 'another' } });
    assert.equal(other?.plans.length, values === undefined && where !== 'taint' ? 1 : 0, key);
  }
  assert.deepEqual([isFaultTaint('nvsentinel.nvidia.com/fault'), isFaultTaint('nvidia.com/gpu')], [true, false]);
  assert.deepEqual(node({}, [{ key: 'nvsentinel.nvidia.com/fault', effect: 'NoSchedule' }])?.plans, []);
}); // biome-ignore format: one line each
