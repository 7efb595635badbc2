// Tests of plans: the seed decides everything, and the truth follows what it drew.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { loadScenario, shippedScenarios } from '../../../src/simulator/scenario/load.ts';

const seeds = fc.integer({ min: 0, max: 999_999_999 });

for (const name of shippedScenarios()) {
  test(`${name}: the same seed gives the same plan`, () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        assert.deepEqual(loadScenario(name, seed), loadScenario(name, seed));
      }),
      { numRuns: 10 },
    );
  });

  test(`${name}: every seed gives steps within the run, and a truth about devices that are there`, () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const plan = loadScenario(name, seed);
        const known = new Set<string>(plan.world.host.gpus.map((gpu) => `gpu/${gpu.address}`));
        for (const pdu of plan.world.pdus)
          for (let i = 1; i <= pdu.phases; i += 1) known.add(`pdu_phase/${pdu.name}/${i}`);
        for (const step of plan.steps) assert.ok(step.atMs >= 0 && step.atMs + 2000 < plan.durationMs + 2000);
        for (const { root, causeMs } of plan.truth.incidents) {
          assert.ok(known.has(root.component) || root.component.startsWith('process/'), root.component);
          assert.ok(causeMs >= 6000, 'a baseline comes first');
        }
        assert.deepEqual(
          [...plan.steps].sort((a, b) => a.atMs - b.atMs),
          plan.steps,
        );
      }),
      { numRuns: 40 },
    );
  });
}

test('seeds draw different devices, values and times', () => {
  const plans = Array.from({ length: 30 }, (_, i) => loadScenario('power-sag', i + 1));
  const distinct = (values: readonly unknown[]) => new Set(values).size;
  assert.equal(distinct(plans.map((plan) => plan.variables.pdu)), 2);
  assert.equal(distinct(plans.map((plan) => plan.variables.phase)), 3);
  assert.ok(distinct(plans.map((plan) => plan.variables.outlet)) > 8);
  assert.ok(distinct(plans.map((plan) => plan.truth.incidents[0]?.causeMs)) > 20);
  const lost = Array.from({ length: 60 }, (_, i) => loadScenario('gpu-lost', i + 1).truth.incidents[0]?.root.component);
  assert.equal(distinct(lost), 8);
});

test('seed 0 is the scenario as it is written', () => {
  const plan = loadScenario('power-sag', 0);
  const { pdu, phase, volts, sagged_volts, cpu_watts, capped_watts } = plan.variables;
  assert.deepEqual(
    [pdu, phase, volts, sagged_volts, cpu_watts, capped_watts],
    ['pdu-b-rack-14', 1, 121.4, 108.2, 180, 250],
  );
  assert.deepEqual(plan.truth.incidents[0]?.root, {
    kinds: ['power.voltage_sag'],
    component: 'pdu_phase/pdu-b-rack-14/1',
  });
  assert.deepEqual(plan.truth.mustNot[0], 'pdu*/pdu-a-rack-14*');
});

test('the PDU that is not to be blamed is never the one that sags', () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const { variables, steps } = loadScenario('power-sag', seed);
      assert.notEqual(variables.pdu, variables.other_pdu);
      assert.notEqual(variables.supply, variables.other_supply);
      const sag = steps.find(({ id }) => id === 'sag');
      assert.ok(sag?.change.type === 'pdu_voltage' && sag.change.pdu === variables.pdu);
    }),
    { numRuns: 40 },
  );
});

test('a sag is one also for a PDU that tells whole volts', () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const { variables, jitter } = loadScenario('power-sag', seed);
      const low = Math.round(Number(variables.sagged_volts) * (1 + jitter));
      const usual = Math.round(Number(variables.volts) * (1 - jitter));
      assert.ok(low < 0.9 * usual, `${usual} → ${low}`);
    }),
    { numRuns: 200 },
  );
});
