// What is left up to a rating: only where a rating and a current are, and of no outlet.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Component } from '../../../src/model/component.ts';
import { headroomOf } from '../../../src/sources/pdu/headroom.ts';
import type { PduPlan } from '../../../src/sources/pdu/pdu-plan.ts';
import type { PduCell } from '../../../src/sources/pdu/read-cells.ts';

const component = (type: Component['type'], n: string): Component => ({ type, id: `a/${n}` });
const part = (of: Component, ratingA: number | null) => ({
  component: of,
  label: null,
  phases: [],
  branch: null,
  ratingA,
});
const branch = component('pdu_branch', '1');
const bare = component('pdu_branch', '2');
const outlet = component('pdu_outlet', '1');
const plan = { parts: [part(branch, 16), part(bare, null), part(outlet, 10)] } as unknown as PduPlan;
const cell = (of: Component, value: number | null, field = 'current') =>
  ({ component: of, field, value, timeMs: 5 }) as PduCell;

test('a branch with a rating has what is left and its share', () => {
  const cells = [cell(branch, 14.4), cell(bare, 9), cell(outlet, 3), cell(branch, 230, 'voltage')];
  assert.deepEqual(headroomOf(plan, cells), {
    source: 'pdu',
    trust: 'facility',
    keys: ['pdu_branch/a/1#current_headroom', 'pdu_branch/a/1#current_share'],
    timesMs: [5, 5],
    values: [16 - 14.4, 0.9],
  });
});

test('without a current, or a plan, there is nothing', () => {
  assert.equal(headroomOf(plan, [cell(branch, null)]), null);
  assert.equal(headroomOf(null, [cell(branch, 3)]), null);
});
