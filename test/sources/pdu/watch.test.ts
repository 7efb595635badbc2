// Events from readings: overload, outlets switched, breakers inferred, each with the interval in which it happened.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseComponent } from '../../../src/model/component.ts';
import type { PduPart } from '../../../src/sources/pdu/pdu-plan.ts';
import type { PduCell } from '../../../src/sources/pdu/read-cells.ts';
import { PduWatch } from '../../../src/sources/pdu/watch.ts';

function component(text: string) {
  const parsed = parseComponent(text);
  assert.ok(parsed);
  return parsed;
}

function cell(text: string, field: string, value: PduCell['value'], timeMs: number): PduCell {
  const isWord = field === 'load_state' || field === 'outlet';
  return {
    component: component(text),
    field,
    value,
    unit: isWord ? null : 'A',
    of: field === 'load_state' ? 'current' : null,
    answered: true,
    timeMs,
  };
}

function part(text: string, branch: string | null = null): PduPart {
  return { component: component(text), label: null, phases: [], branch, ratingA: 20 };
}

const PARTS = [part('pdu_branch/p/1'), ...[1, 2, 3].map((n) => part(`pdu_outlet/p/${n}`, '1'))];

function loaded(timeMs: number): PduCell[] {
  return [
    cell('pdu_branch/p/1', 'current', 3, timeMs),
    ...[1, 2].flatMap((n) => [
      cell(`pdu_outlet/p/${n}`, 'current', 1.5, timeMs),
      cell(`pdu_outlet/p/${n}`, 'outlet', 'on', timeMs),
    ]),
    cell('pdu_outlet/p/3', 'current', 0, timeMs),
  ];
}

test('near overload, overload and back to normal are one onset, one worse onset, one clear', () => {
  const watch = new PduWatch([]);
  const seen = ['normal', 'near_overload', 'near_overload', 'overload', 'near_overload', 'normal'].flatMap((word, i) =>
    watch.observe([cell('pdu_branch/p/1', 'load_state', word, 1000 * i)], 1000 * i),
  );
  assert.deepEqual(
    seen.map(({ kind, state, severity, interval }) => [
      kind,
      state,
      severity,
      interval?.earliestMs,
      interval?.latestMs,
    ]),
    [
      ['power.overload', 'onset', 'warning', 0, 1000],
      ['power.overload', 'onset', 'error', 2000, 3000],
      ['power.overload', 'clear', 'warning', 4000, 5000],
    ],
  );
});

test('a load state that the device does not know neither raises nor clears', () => {
  const watch = new PduWatch([]);
  const states = ['overload', 'unknown', null];
  const seen = states.flatMap((word, i) => watch.observe([cell('pdu/p', 'load_state', word, i)], i));
  assert.deepEqual(
    seen.map((event) => event.state),
    ['onset'],
  );
});

test('an outlet is switched off and on again; one that was off at the start is not an event', () => {
  const watch = new PduWatch([]);
  const step = (one: string, two: string, timeMs: number) =>
    watch.observe(
      [cell('pdu_outlet/p/1', 'outlet', one, timeMs), cell('pdu_outlet/p/2', 'outlet', two, timeMs)],
      timeMs,
    );
  assert.deepEqual(step('on', 'off', 0), []);
  const [off] = step('off', 'off', 30);
  assert.deepEqual([off?.kind, off?.state, off?.component?.id], ['power.outlet_off', 'onset', 'p/1']);
  assert.deepEqual(off?.interval, { earliestMs: 0, latestMs: 30 });
  assert.deepEqual(
    step('on', 'on', 60).map((event) => [event.state, event.component?.id]),
    [['clear', 'p/1']],
  );
});

test('a branch that falls to 0 A with its loaded outlets is an open breaker, and carries current again later', () => {
  const watch = new PduWatch(PARTS);
  watch.observe(loaded(0), 0);
  const bank = [cell('pdu_branch/p/1', 'current', 0, 2000)];
  assert.deepEqual([...watch.suspects(bank)].sort(), ['pdu_outlet/p/1', 'pdu_outlet/p/2', 'pdu_outlet/p/3']);
  const dark = [...bank, ...[1, 2, 3].map((n) => cell(`pdu_outlet/p/${n}`, 'current', 0, 2100))];
  const [trip, ...rest] = watch.observe(dark, 2100);
  assert.equal(rest.length, 0);
  assert.deepEqual([trip?.kind, trip?.state, trip?.component?.id], ['power.breaker_trip', 'onset', 'p/1']);
  assert.deepEqual(trip?.interval, { earliestMs: 0, latestMs: 2000 });
  assert.deepEqual(trip?.attributes, { inferred: true, from_a: 3, outlets_dark: 2, rating_a: 20 });
  assert.deepEqual(watch.observe(dark, 4000), [], 'said once');
  const [clear] = watch.observe(loaded(6000), 6000);
  assert.deepEqual([clear?.kind, clear?.state], ['power.breaker_trip', 'clear']);
});

test('outlets that lag behind their branch by a poll still make a trip, dated by the branch', () => {
  const watch = new PduWatch(PARTS);
  watch.observe(loaded(0), 0);
  assert.deepEqual(watch.observe([...loaded(2000).slice(1), cell('pdu_branch/p/1', 'current', 0, 2000)], 2000), []);
  const bank = [cell('pdu_branch/p/1', 'current', 0, 4000)];
  assert.equal(watch.suspects(bank).size, 3);
  const [trip] = watch.observe([...bank, ...[1, 2].map((n) => cell(`pdu_outlet/p/${n}`, 'current', 0, 4000))], 4000);
  assert.deepEqual(trip?.interval, { earliestMs: 0, latestMs: 2000 });
});

test('outlets that are read dark before their branch make a trip as well', () => {
  const watch = new PduWatch(PARTS);
  watch.observe(loaded(0), 0);
  const dark = (timeMs: number) => [1, 2].map((n) => cell(`pdu_outlet/p/${n}`, 'current', 0, timeMs));
  assert.deepEqual(watch.observe(dark(1500), 1500), [], 'the slow set, before the branch is read');
  const branch = cell('pdu_branch/p/1', 'current', 0, 2000);
  assert.equal(watch.suspects([branch]).size, 3);
  const [trip] = watch.observe([branch, ...dark(2000)], 2000);
  assert.deepEqual([trip?.kind, trip?.attributes?.outlets_dark], ['power.breaker_trip', 2]);
});

test('outlets that went dark long before their branch are no trip', () => {
  const watch = new PduWatch(PARTS);
  watch.observe(loaded(0), 0);
  const dark = (timeMs: number) => [1, 2].map((n) => cell(`pdu_outlet/p/${n}`, 'current', 0, timeMs));
  watch.observe(dark(1000), 1000);
  watch.observe([cell('pdu_branch/p/1', 'current', 1, 2000)], 2000);
  assert.deepEqual(watch.observe([cell('pdu_branch/p/1', 'current', 0, 4000), ...dark(4000)], 4000), []);
});

const noTrips: readonly (readonly [string, PduCell[], PduCell[]])[] = [
  [
    'outlets that were switched off',
    loaded(0),
    [1, 2].flatMap((n) => [cell(`pdu_outlet/p/${n}`, 'current', 0, 1), cell(`pdu_outlet/p/${n}`, 'outlet', 'off', 1)]),
  ],
  [
    'one loaded outlet only',
    loaded(0).filter((c) => c.component.id !== 'p/2'),
    [cell('pdu_outlet/p/1', 'current', 0, 1)],
  ],
  [
    'an outlet of the branch that still carries current',
    loaded(0),
    [
      cell('pdu_outlet/p/1', 'current', 0, 1),
      cell('pdu_outlet/p/2', 'current', 0, 1),
      cell('pdu_outlet/p/3', 'current', 1, 1),
    ],
  ],
  [
    'a phase that is gone',
    loaded(0),
    [1, 2].map((n) => cell(`pdu_outlet/p/${n}`, 'current', 0, 1)).concat(cell('pdu_phase/p/1', 'voltage', 0, 1)),
  ],
  [
    'outlets that the device does not know',
    loaded(0),
    [1, 2].map((n) => cell(`pdu_outlet/p/${n}`, 'current', null, 1)),
  ],
];

for (const [what, before, outlets] of noTrips) {
  test(`no breaker is blamed for ${what}`, () => {
    const watch = new PduWatch(PARTS);
    watch.observe(before, 0);
    const events = watch.observe([cell('pdu_branch/p/1', 'current', 0, 1), ...outlets], 1);
    assert.deepEqual(
      events.filter((event) => event.kind === 'power.breaker_trip'),
      [],
    );
  });
}
