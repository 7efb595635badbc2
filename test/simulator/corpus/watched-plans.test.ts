// Several watched hosts: each daemon sees what happens on its host and what no host has, and the jobs whose log it has.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchedPlans } from '../../../src/simulator/corpus/watched-plans.ts';
import type { ScenarioDocument } from '../../../src/simulator/scenario/document.ts';
import { planScenario, type ScenarioPlan } from '../../../src/simulator/scenario/scenario-plan.ts';

function planOf(watched: readonly string[] | undefined): ScenarioPlan {
  const job = { framework: 'megatron', step_time_ms: 900, ranks: [0, 1] } as const;
  const document: ScenarioDocument = {
    name: 'two-hosts',
    title: 'Two hosts of a rack',
    duration: '60s',
    world: {
      hosts: ['node-1', 'node-2'].map((name) => ({ name, gpus: { count: 2 } })),
      pdus: [{ name: 'pdu-a', phases: 3, outlets: 24, voltage: 230 }],
      jobs: [
        { id: 'both', ...job },
        { id: 'second', ...job, host: 'node-2' },
      ],
      ...(watched === undefined ? {} : { watched }),
    },
    timeline: [
      { at: '10s', pdu_voltage: { pdu: 'pdu-a', phase: 1, to: 190 } },
      { at: '20s', job_hang: { job: 'both' } },
      { at: '30s', gpu_lost: { gpu: 0 } },
      ...(watched === undefined ? [] : [{ at: '40s', host: 'node-2', gpu_lost: { gpu: 1 } }]),
    ],
    truth: { incidents: [] },
  };
  const { plan, findings } = planScenario(document, 0);
  assert.ok(plan, findings.map(({ text }) => text).join());
  return plan;
}

test('with one daemon the plan is as it was', () => {
  const plan = planOf(undefined);
  assert.deepEqual(watchedPlans(plan), [plan]);
});

test('what PDUs and jobs do is seen by both, all else by the host that it happens on', () => {
  const [first, second] = watchedPlans(planOf(['node-1', 'node-2']));
  const seen = (plan: ScenarioPlan | undefined) =>
    plan?.steps.map(({ change, atMs }) => `${change.type} ${atMs / 1000}`);
  assert.deepEqual(seen(first), ['pdu_voltage 10', 'job_hang 20', 'gpu_lost 30']);
  assert.deepEqual(seen(second), ['pdu_voltage 10', 'job_hang 20', 'gpu_lost 40']);
});

test('each has its own host, and only the jobs whose log is there', () => {
  const [first, second] = watchedPlans(planOf(['node-1', 'node-2']));
  assert.deepEqual([first?.world.host.name, second?.world.host.name], ['node-1', 'node-2']);
  assert.deepEqual(first?.world.jobs.map(({ id }) => id), ['both']); // biome-ignore format: one line
  assert.deepEqual(second?.world.jobs.map(({ id }) => id), ['both', 'second']); // biome-ignore format: one line
});
