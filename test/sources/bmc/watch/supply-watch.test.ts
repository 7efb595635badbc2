// Tests of what is seen in supplies from poll to poll.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventInput } from '../../../../src/model/record.ts';
import type { Supply } from '../../../../src/sources/bmc/decode/parts.ts';
import { Edges } from '../../../../src/sources/bmc/watch/bmc-event.ts';
import { inputLost, SupplyWatch } from '../../../../src/sources/bmc/watch/supply-watch.ts';
import { at, supply } from '../support.ts';

type Poll = readonly Supply[];

/** Events of polls ten seconds apart, as "kind state component". */
function watch(...polls: readonly Poll[]): string[] {
  return events(...polls).map(({ kind, state, component }) => `${kind} ${state} ${component?.id}`);
}

function events(...polls: readonly Poll[]): EventInput[] {
  const supplies = new SupplyWatch('n', new Edges());
  return polls.flatMap((poll, i) => {
    const nowMs = 1_000_000 + i * 10_000;
    return supplies.observe(
      poll.map((one) => at(nowMs, one)),
      nowMs,
      () => [],
    );
  });
}

const well = [supply('1'), supply('2')];
const lost = { inputVoltage: 0, inputPower: 0, outputPower: 0, health: 'Critical', state: 'UnavailableOffline' };
const doubled = { inputPower: 2000, outputPower: 1880 };

test('input lost and load moved, and both over again', () => {
  const out = [supply('1', lost), supply('2', doubled)];
  assert.deepEqual(watch(well, out, out, well), [
    'psu.input_lost onset n/1',
    'psu.failover onset n/1',
    'psu.input_lost clear n/1',
    'psu.failover clear n/1',
  ]);
});

test('the interval reaches from the last poll that showed it well to the first that did not', () => {
  const [onset] = events(well, [supply('1', lost), supply('2', doubled)]);
  assert.deepEqual(onset?.interval, { earliestMs: 999_995, latestMs: 1_010_000 });
});

test('the load is seen to move also where the other supply was read too early', () => {
  const early = [supply('1', { ...lost, line: 'LossOfInput' }), supply('2')];
  const late = [supply('1', { ...lost, line: 'LossOfInput' }), supply('2', doubled)];
  assert.deepEqual(watch(well, early, late), ['psu.input_lost onset n/1', 'psu.failover onset n/1']);
});

test('a supply in cold standby is normal, and so is its taking over', () => {
  const standby = supply('2', { state: 'StandbySpare', inputPower: 0, outputPower: 0 });
  const alone = supply('1', doubled);
  assert.deepEqual(watch(well, [alone, standby], [alone, standby], well), []);
  const taken = [supply('1', lost), supply('2', doubled)];
  assert.deepEqual(watch([alone, standby], taken), ['psu.input_lost onset n/1', 'psu.failover onset n/1']);
});

test('a host that draws less moves no load', () => {
  const idle = [supply('1', { outputPower: 60 }), supply('2', { outputPower: 60 })];
  assert.deepEqual(watch(well, idle, well), []);
});

test('a host that is off moves no load', () => {
  const off = [supply('1', { outputPower: 0 }), supply('2', { outputPower: 0 })];
  assert.deepEqual(watch(well, off, off, off, off, off, well), []);
});

test('critical with its input there is a failure; removed is one as well; an empty bay is none', () => {
  const failed = [supply('1', { health: 'Critical', outputPower: 0 }), supply('2', doubled)];
  assert.deepEqual(watch(well, failed), ['psu.failure onset n/1', 'psu.failover onset n/1']);
  const absent = { state: 'Absent', health: 'Warning', inputVoltage: null, inputPower: null, outputPower: null };
  assert.deepEqual(watch(well, [supply('1'), supply('2', absent)]), ['psu.failure onset n/2']);
  assert.deepEqual(watch([supply('1'), supply('2', absent)], [supply('1'), supply('2', absent)]), []);
});

test('an empty bay that is filled ends its failure, and what the new supply lacks is reported by itself', () => {
  const absent = { state: 'Absent', health: 'Warning', inputVoltage: null, inputPower: null, outputPower: null };
  const pulled = [supply('1'), supply('2', absent)];
  const dark = [supply('1'), supply('2', { ...lost, line: 'LossOfInput' })];
  const [removed] = events(well, pulled);
  assert.deepEqual([removed?.attributes?.why, removed?.attributes?.action], ['not_there', 'inspect_hardware']);
  assert.deepEqual(watch(well, pulled, dark), [
    'psu.failure onset n/2',
    'psu.input_lost onset n/2',
    'psu.failure clear n/2',
  ]);
  assert.deepEqual(watch(well, pulled, well), ['psu.failure onset n/2', 'psu.failure clear n/2']);
});

test('a warning of a supply is not a failure', () => {
  assert.deepEqual(watch([supply('1', { health: 'Warning' }), supply('2')]), []);
});

test('what was so at the first reading is reported as such', () => {
  const [first] = events([supply('1', { ...lost, line: 'LossOfInput' }), supply('2', doubled)]);
  assert.equal(first?.kind, 'psu.input_lost');
  assert.equal(first?.attributes?.at_first_reading, true);
});

test("the BMC's own stamp bounds the time closer than the polls do, and one that contradicts them is not taken", () => {
  for (const [stampMs, earliestMs] of [
    [1_004_000, 1_004_000],
    [5_000, 999_995],
  ] as const) {
    const supplies = new SupplyWatch('n', new Edges());
    supplies.observe(
      well.map((one) => at(1_000_000, one)),
      1_000_000,
      () => [],
    );
    const out = [supply('1', lost), supply('2', doubled)].map((one) => at(1_010_000, one));
    const [onset] = supplies.observe(out, 1_010_000, () => [{ earliestMs: stampMs, latestMs: stampMs + 1000 }]);
    assert.equal(onset?.interval?.earliestMs, earliestMs);
  }
});

for (const [why, one, others, expected] of [
  ['it says so', supply('1', { line: 'LossOfInput' }), [], true],
  ['out of range is not a usable input', supply('1', { line: 'OutOfRange', inputVoltage: 80 }), [], true],
  ['it says that it is well', supply('1', { line: 'Normal', inputVoltage: 0 }), [supply('2')], false],
  ['zero volts next to one that is fed', supply('1', { inputVoltage: 0 }), [supply('2')], true],
  ['zero volts everywhere: not measured', supply('1', { inputVoltage: 0 }), [supply('2', { inputVoltage: 0 })], null],
  ['no volts given', supply('1', { inputVoltage: null }), [supply('2')], null],
  [
    'critical, of unknown input, next to one that is fed',
    supply('1', { inputVoltage: null, health: 'Critical', lineType: 'Unknown' }),
    [supply('2')],
    true,
  ],
  ['standby without volts', supply('1', { inputVoltage: 0, state: 'StandbyOffline' }), [supply('2')], null],
  ['an empty bay', supply('1', { inputVoltage: null, state: 'Absent' }), [supply('2')], null],
  [
    'a condition says so',
    supply('1', { inputVoltage: null, health: 'Critical', conditions: [{ text: 'Input power lost', stampMs: null }] }),
    [],
    true,
  ],
] as const) {
  test(`input: ${why}`, () => {
    assert.equal(inputLost(one, [one, ...others]), expected);
  });
}

test('offline without a voltage where the others have one is an input that was lost, not a supply that failed', () => {
  for (const health of ['Warning', 'Critical', null]) {
    const out = supply('1', {
      inputVoltage: null,
      inputPower: null,
      outputPower: 0,
      health,
      state: 'UnavailableOffline',
    });
    const events = watch(well, [out, supply('2', doubled)], [out, supply('2', doubled)]);
    assert.deepEqual(events, ['psu.input_lost onset n/1', 'psu.failover onset n/1'], `${health}`);
  }
});
