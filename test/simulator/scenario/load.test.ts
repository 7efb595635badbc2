// Tests of reading scenario files: every mistake is reported with file, line, column and what would be right.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '../../../src/config/config-error.ts';
import { loadScenario, parseScenario, shippedScenarios } from '../../../src/simulator/scenario/load.ts';

const SCENARIO = `name: small
title: A small one
duration: 10s
vary:
  gpu: { gpu_of: node-1, usual: 1 }
  factor: { from: 2, to: 3, usual: 2.5 }
world:
  hosts:
    - name: node-1
      gpus: { count: 2 }
      cpus: { packages: 1 }
  pdus:
    - { name: pdu-1, phases: 1, outlets: 8, voltage: 230 }
  feeds:
    - [pdu_phase/pdu-1/1, psu/node-1/1]
  jobs:
    - { id: train, step_time_ms: 200 }
timeline:
  - id: hot
    at: 1s
    gpu_reasons: { gpu: "\${gpu}", set: [thermal_slowdown] }
  - at: { after: hot, by: 500ms }
    job_slowdown: { job: train, factor: "\${factor}" }
truth:
  incidents:
    - root: { kind: gpu.thermal_throttle, component: "gpu/\${gpu}" }
      cause: hot
`;

function messageOf(text: string): string {
  try {
    parseScenario(text, 'small.yaml', 0);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.message;
  }
  assert.fail('nothing was wrong');
}

/** The scenario with one part replaced, and the place of what replaced it. */
function broken(from: string, to: string): string {
  assert.ok(SCENARIO.includes(from), from);
  return messageOf(SCENARIO.replace(from, to));
}

test('a good scenario loads, with its variables in place', () => {
  const plan = parseScenario(SCENARIO, 'small.yaml', 0);
  assert.equal(plan.steps.length, 2);
  assert.deepEqual(plan.steps[0]?.change, { type: 'gpu_reasons', set: ['thermal_slowdown'], gpus: [1] });
  assert.deepEqual(plan.steps[1], {
    id: null,
    atMs: 1500,
    forMs: null,
    change: { type: 'job_slowdown', job: 'train', factor: 2.5 },
  });
  assert.equal(plan.truth.incidents[0]?.root.component, 'gpu/0000:43:00.0');
});

const mistakes: readonly [string, string, string, string][] = [
  ['a misspelt key', '    gpu_reasons:', '    gpu_reason:', 'small.yaml:21:5: timeline[0] has no gpu_reason. Did you mean gpu_reasons [FL5101]'],
  ['a wrong type', 'voltage: 230', 'voltage: high', 'small.yaml:13:54: world.pdus[0].voltage must be volts from 0 to 1000, not high [FL5101]'],
  ['a value out of range', 'count: 2', 'count: 99', 'small.yaml:10:22: world.hosts[0].gpus.count must be a count from 0 to 16, not 99 [FL5101]'],
  ['a bad duration', 'at: 1s', 'at: soon', 'small.yaml:20:9: timeline[0].at must be a duration like 8s, { from, to, usual }, or { after: STEP, by } or { after: STEP, from, to, usual }, not soon [FL5101]'],
  ['a missing key', 'duration: 10s\n', '', 'small.yaml:1:1: the scenario needs duration [FL5101]'],
  ['a step without a change', `    gpu_reasons: { gpu: "\${gpu}", set: [thermal_slowdown] }\n`, '', 'small.yaml:19:5: timeline[0] needs a change'],
  ['a step with two changes', '    at: 1s\n', '    at: 1s\n    job_hang: { job: train }\n', 'makes 2 changes (gpu_reasons, job_hang)'],
  ['an unknown variable', `"\${factor}"`, `"\${facto}"`, 'small.yaml:23:41: no variable facto under vary. Known: factor, gpu [FL5107]'],
  ['an unknown GPU', `gpu: "\${gpu}"`, 'gpu: 7', 'small.yaml:21:25: node-1 has no GPU 7 [FL5108]'],
  ['a BMC that is not there', `job_slowdown: { job: train, factor: "\${factor}" }`, 'fan_failed: { fan: 1 }', 'node-1 has no bmc in world.hosts [FL5108]'],
  ['an unknown job', 'job: train', 'job: other', 'small.yaml:23:26: no job other in world.jobs. Known: train [FL5108]'],
  ['a host without GPUs', 'gpu_of: node-1', 'gpu_of: node-2', 'small.yaml:5:18: vary.gpu: no host node-2 with GPUs [FL5107]'],
  ['a service that sends nothing', `job_slowdown: { job: train, factor: "\${factor}" }`, 'requests: { service: api, slower: 2 }', 'no service api in world.traced. Known: none [FL5108]'],
  ['an unknown step', 'after: hot', 'after: cold', 'small.yaml:22:18: no step cold above this one. Known: hot [FL5108]'],
  ['an unknown kind', 'kind: gpu.thermal_throttle', 'kind: gpu.thermal', 'small.yaml:26:21: gpu.thermal is not an event kind'],
  ['an unknown cause', 'cause: hot', 'cause: cold', 'small.yaml:27:14: no step cold in timeline [FL5109]'],
  ['no component', 'psu/node-1/1', 'supply/node-1/1', 'small.yaml:15:27: world.feeds[0][1] supply/node-1/1 is not a component'],
  ['broken YAML', 'duration: 10s', 'duration: [10s', '[FL5105]'],
  ['a key given twice', 'duration: 10s', 'duration: 10s\nduration: 11s', 'small.yaml:4:1: Map keys must be unique [FL5105]'],
]; // biome-ignore format: a table

for (const [name, from, to, message] of mistakes) {
  test(`says where and what: ${name}`, () => {
    const reported = broken(from, to);
    assert.ok(reported.includes(message), reported);
  });
}

test('a value drawn out of its range is reported at the place that uses it', () => {
  const reported = messageOf(SCENARIO.replace('to: 3, usual: 2.5', 'to: 3000, usual: 2500'));
  assert.match(
    reported,
    /small\.yaml:23:41: timeline\[1\]\.job_slowdown\.factor must be factor from 0\.1 to 1000, not 2500/,
  );
});

test('every mistake of a file is reported, in order of place', () => {
  const reported = messageOf(
    SCENARIO.replace('voltage: 230', 'voltage: -1').replace('step_time_ms: 200', 'step_time: 200'),
  );
  assert.deepEqual(
    reported.split('\n').map((line) => line.split(' ')[0]),
    ['small.yaml:13:54:', 'small.yaml:17:7:', 'small.yaml:17:20:'],
  );
});

test('an empty file, a list and a bomb of aliases are refused', () => {
  assert.match(messageOf(''), /the scenario/);
  assert.match(messageOf('- 1\n'), /the scenario/);
  const bomb = `a: &a [x,x,x,x,x,x,x,x,x,x]\n${'bcdefghij'
    .split('')
    .map((k, i) => `${k}: &${k} [${Array(10).fill(`*${'abcdefghij'[i]}`).join(',')}]`)
    .join('\n')}\n`;
  assert.match(messageOf(bomb), /FL510/);
});

test('a name that is not shipped is refused with the nearest one', () => {
  assert.throws(() => loadScenario('power-sagg', 0), /FL5103/);
  assert.throws(() => loadScenario('power-sagg', 0), /Did you mean power-sag/);
  assert.throws(() => loadScenario('./nowhere.yaml', 0), /nowhere\.yaml: does not exist.*FL5104/);
});

test('the shipped scenarios are there', () => {
  assert.deepEqual(shippedScenarios(), ['gpu-lost', 'hung-driver', 'oom', 'power-sag', 'quiet', 'thermal']);
});

test('of other vendors what nothing reads is a mistake, and a rank that does not run here', () => {
  assert.match(
    broken('gpus: { count: 2 }', 'gpus: { vendor: amd, count: 2 }'),
    /of AMD's GPUs no source reads this; write kernel_line, or gpu_missing with bus: false/,
  );
  assert.match(
    broken(`job_slowdown: { job: train, factor: "\${factor}" }`, 'rank_end: { job: train, rank: 7 }'),
    /of train no rank 7 runs here\. Known: none/,
  );
  assert.match(broken('cpus: { packages: 1 }', 'nics: { count: 1, driver: irdma }'), /small\.yaml:11:\d+.*mlx5, bnxt/);
});
