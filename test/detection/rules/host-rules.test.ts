// Detectors of the host's processors: contention that lasts is reported, load and short spikes are not.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventsOf, times } from '../series.ts';

const STEP_MS = 5000;

/** `kind round` of each onset, of readings of the host five seconds apart. */
function onsets(quantity: string, values: readonly number[]): string[] {
  const rounds = values.map((value) => ({ [`host/node-3#${quantity}`]: value }));
  const from = eventsOf(rounds, { stepMs: STEP_MS }).filter(({ state }) => state === 'onset');
  return from.map(({ kind, component, severity }) => `${kind} ${component?.id} ${severity}`);
}

test('a hypervisor that takes time, tasks that wait, and a quota that is used up are told apart', () => {
  const lasting = (value: number) => times(12, (i) => (i < 3 ? 0.01 : value));
  assert.deepEqual(onsets('cpu_steal', lasting(0.3)), ['cpu.steal node-3 info']);
  assert.deepEqual(onsets('pressure_cpu_some', lasting(0.8)), ['cpu.contention node-3 info']);
  assert.deepEqual(onsets('cpu_throttled', lasting(0.4)), ['cpu.quota node-3 info']);
  assert.deepEqual(onsets('pressure_memory_full', lasting(0.3)), ['memory.contention node-3 info']);
  assert.deepEqual(onsets('pressure_io_full', lasting(0.7)), ['storage.contention node-3 info']);
});

test('a spike, and what every busy host has, is nothing', () => {
  for (const [quantity, usual] of [
    ['cpu_steal', 0.02],
    ['pressure_cpu_some', 0.2],
    ['cpu_throttled', 0.05],
    ['pressure_memory_full', 0.02],
    ['pressure_io_full', 0.2],
  ] as const) {
    assert.deepEqual(
      onsets(
        quantity,
        times(12, () => usual),
      ),
      [],
    );
    assert.deepEqual(
      onsets(
        quantity,
        times(12, (i) => (i === 5 || i === 6 ? 0.9 : usual)),
      ),
      [],
    );
  }
});

test('a share of time is a mean since the reading before, so that what it shows may have begun one earlier', () => {
  const rounds = times(12, (i) => ({ 'host/node-3#pressure_cpu_some': i < 3 ? 0.01 : 0.8 }));
  const [onset] = eventsOf(rounds, { stepMs: STEP_MS });
  assert.equal((onset?.interval?.latestMs ?? 0) - (onset?.interval?.earliestMs ?? 0), 2 * STEP_MS);
});
