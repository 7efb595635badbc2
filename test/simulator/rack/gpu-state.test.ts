// Tests of what the simulated driver answers under changes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gpuStates } from '../../../src/simulator/rack/gpu-state.ts';
import { loadScenario } from '../../../src/simulator/scenario/load.ts';

const { host } = loadScenario('power-sag', 0).world;

test('without changes every GPU is as the world says', () => {
  const [first] = gpuStates(host, []);
  assert.deepEqual([first?.powerW, first?.limitW, first?.reasons, first?.error, first?.hang], [385, 400, 0, 0, false]);
  assert.equal(gpuStates(host, []).length, 8);
});

test('reasons of several changes add up', () => {
  const [first] = gpuStates(host, [
    { type: 'gpu_reasons', gpus: [0], set: ['hw_slowdown', 'power_brake'] },
    { type: 'gpu_reasons', gpus: [0], set: ['thermal_slowdown'] },
  ]);
  assert.equal(first?.reasons, 0x8 | 0x80 | 0x40);
});

test('a change touches only the GPUs it names, and the later of two wins', () => {
  const states = gpuStates(host, [
    { type: 'gpu_clock', gpus: [2], to: 1500 },
    { type: 'gpu_clock', gpus: [2], to: 1200 },
  ]);
  assert.deepEqual(states.map((state) => state.smClockMhz).slice(1, 4), [1980, 1200, 1980]);
});

test('a lower limit holds the power down', () => {
  const [first] = gpuStates(host, [{ type: 'gpu_power_limit', gpus: [0], to: 250 }]);
  assert.deepEqual([first?.limitW, first?.powerW], [250, 250]);
});

test('a lost GPU answers with NVML error 15', () => {
  assert.equal(gpuStates(host, [{ type: 'gpu_lost', gpus: [5] }])[5]?.error, 15);
});
