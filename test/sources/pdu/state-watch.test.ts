// Events from states and counters that a device tells itself: breakers, sources, redundancy, voltage out of its limits.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseComponent } from '../../../src/model/component.ts';
import { cannotShow } from '../../../src/sources/pdu/cannot-show.ts';
import type { PduColumn } from '../../../src/sources/pdu/catalogue.ts';
import type { PlannedCell } from '../../../src/sources/pdu/pdu-plan.ts';
import type { PduCell } from '../../../src/sources/pdu/read-cells.ts';
import { PduWatch } from '../../../src/sources/pdu/watch.ts';

function cell(text: string, field: string, value: PduCell['value'], timeMs: number, of: string | null = null): PduCell {
  const component = parseComponent(text);
  assert.ok(component);
  return { component, field, value, unit: typeof value === 'number' ? '1' : null, of, answered: true, timeMs };
}

/** Events of one field that has these values, a second apart. */
function events(text: string, field: string, values: readonly PduCell['value'][], of: string | null = null) {
  const watch = new PduWatch([]);
  return values.flatMap((value, i) =>
    watch
      .observe([cell(text, field, value, 1000 * i, of)], 1000 * i)
      .map(({ kind, state, severity, interval }) => [
        kind,
        state,
        severity ?? null,
        interval?.earliestMs,
        interval?.latestMs,
      ]),
  );
}

test('a breaker that opens is a trip as read, one that was open all along is none', () => {
  assert.deepEqual(events('pdu_branch/p/1', 'breaker', ['closed', 'open', 'open', 'closed']), [
    ['power.breaker_trip', 'onset', null, 0, 1000],
    ['power.breaker_trip', 'clear', null, 2000, 3000],
  ]);
  assert.deepEqual(events('pdu_branch/p/1', 'breaker', ['open', 'open', 'closed']), []);
  assert.deepEqual(events('pdu_branch/p/1', 'breaker', ['none', 'open', 'unknown']), []);
});

test('a trip is not inferred where the breaker says that it is closed', () => {
  const part = (text: string, branch: string | null) => ({
    component: cell(text, '', null, 0).component,
    label: null,
    phases: [],
    branch,
    ratingA: 16,
  });
  const watch = new PduWatch([part('pdu_branch/p/1', null), part('pdu_outlet/p/1', '1'), part('pdu_outlet/p/2', '1')]);
  const all = (amperes: number, timeMs: number) => [
    cell('pdu_branch/p/1', 'breaker', 'closed', timeMs),
    cell('pdu_branch/p/1', 'current', amperes, timeMs),
    cell('pdu_outlet/p/1', 'current', amperes / 2, timeMs),
    cell('pdu_outlet/p/2', 'current', amperes / 2, timeMs),
  ];
  watch.observe(all(8, 0), 0);
  assert.deepEqual([...watch.observe(all(0, 1000), 1000), ...watch.observe(all(0, 2000), 2000)], []);
});

test('a UPS on battery is reported even at the first reading, and cleared when it is back', () => {
  assert.deepEqual(events('ups/u', 'source', ['battery', 'battery', 'normal']), [
    ['power.source_transfer', 'onset', null, 0, 0],
    ['power.source_transfer', 'clear', null, 1000, 2000],
  ]);
  assert.deepEqual(events('ups/u', 'source', ['normal', 'booster', 'battery_test', 'other']), []);
});

test('a transfer switch that takes its other input is one event, a warning', () => {
  assert.deepEqual(events('pdu/ats', 'source', ['a', 'a', 'b', 'b', 'a']), [
    ['power.source_transfer', 'point', 'warning', 1000, 2000],
    ['power.source_transfer', 'point', 'warning', 3000, 4000],
  ]);
  assert.deepEqual(
    events('pdu/ats', 'redundancy', ['full', 'lost', 'full']).map(([kind, state]) => [kind, state]),
    [
      ['power.redundancy_lost', 'onset'],
      ['power.redundancy_lost', 'clear'],
    ],
  );
});

test('what a UPS counted between two polls is a sag of its input; a counter that starts again is none', () => {
  assert.deepEqual(events('ups/u', 'line_bads', [4, 4, 6, 0, 1]), [
    ['power.voltage_sag', 'point', 'warning', 1000, 2000],
    ['power.voltage_sag', 'point', 'warning', 3000, 4000],
  ]);
});

test('a least voltage that fell between two polls is a sag that no poll saw; one that was reset is none', () => {
  const watch = new PduWatch([]);
  const poll = (volts: number, least: number, i: number) =>
    watch
      .observe(
        [cell('pdu_inlet/p/1', 'voltage', volts, 1000 * i), cell('pdu_inlet/p/1', 'voltage_minimum', least, 1000 * i)],
        1000 * i,
      )
      .map(({ kind, state, attributes }) => [kind, state, attributes?.minimum_v]);
  assert.deepEqual(poll(230, 180, 0), [], 'of a time before');
  assert.deepEqual(poll(230, 120, 1), [['power.voltage_sag', 'point', 120]]);
  assert.deepEqual(poll(230, 229, 2), [], 'reset');
  assert.deepEqual(poll(230, 221, 3), [], 'within limits');
  assert.deepEqual(poll(150, 149, 4), [], 'a sag that the poll shows itself');
});

test('a voltage that the device finds low is a sag, of a current it is none', () => {
  assert.deepEqual(
    events('pdu_phase/p/1', 'condition', ['normal', 'low_warning', 'low_critical', 'normal'], 'voltage'),
    [
      ['power.voltage_sag', 'onset', null, 0, 1000],
      ['power.voltage_sag', 'clear', null, 2000, 3000],
    ],
  );
  assert.deepEqual(events('pdu_phase/p/1', 'condition', ['low_warning', 'normal'], 'voltage'), [], 'limits set wrong');
  assert.deepEqual(events('pdu_phase/p/1', 'condition', ['normal', 'low_warning'], 'current'), []);
});

test('what a device cannot show is said', () => {
  const planned = (text: string, column: Partial<PduColumn>): PlannedCell => ({
    oid: '1', index: '1', component: cell(text, '', null, 0).component, column: column as PlannedCell['column'], poll: 'fast',
  }); // biome-ignore format: one cell
  const meter = [planned('pdu_phase/p/1', { is: 'reading', quantity: 'current' })];
  const missing = cannotShow({ cells: meter }).join('; ');
  for (const words of [/no sag/, /no overload/, /no trip/, /switched off/]) assert.match(missing, words);
  const ups = [
    planned('ups/u', { is: 'state', name: 'source' }),
    planned('pdu_phase/u/1', { is: 'reading', quantity: 'voltage' }),
  ];
  assert.deepEqual(cannotShow({ cells: ups }), []);
});
