// The shipped cause graph: well formed, free of cycles at the level of conditions, and without the edges that must not be.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CAUSE_ROWS, causesOf, effectsOf } from '../../../src/correlation/graph/cause-graph.ts';
import {
  isExplaining,
  isLasting,
  isSymptom,
  likelyRoots,
  prior,
  releasedBy,
} from '../../../src/correlation/graph/kind-roles.ts';
import { expandKinds } from '../../../src/correlation/graph/kind-words.ts';
import { componentsOf } from '../../../src/correlation/graph/strong-components.ts';
import { isKind, KINDS, kindInfo } from '../../../src/model/kind.ts';

test('kinds on one cycle must follow each other in time, all other rows lead one way', () => {
  const plain = CAUSE_ROWS.filter(({ cascade }) => !cascade);
  const component = componentsOf(plain.map(({ cause, effect }) => [cause, effect] as const));
  for (const row of plain) assert.equal(row.mustPrecede, component.get(row.cause) === component.get(row.effect));
  const oneWay = CAUSE_ROWS.filter((row) => !row.mustPrecede);
  const numbers = componentsOf(oneWay.map(({ cause, effect }) => [cause, effect] as const));
  assert.equal(new Set(numbers.values()).size, numbers.size);
});

test('a lost GPU is never put down to a sag without a reaction in between', () => {
  for (const kind of ['power.voltage_sag', 'power.phase_loss', 'power.source_transfer'] as const) {
    for (const effect of ['gpu.lost', 'gpu.memory.dbe', 'gpu.app_fault', 'gpu.gsp_timeout'] as const) {
      assert.equal(causesOf(effect).has(kind), false, `${kind} → ${effect}`);
    }
  }
});

test('a feed that does not answer causes nothing: unreachable is ignorance', () => {
  assert.equal(effectsOf('power.feed_unreachable').size, 0);
});

test('an unmapped feed may be weighed only against reactions of supply, limits, brakes and heat', () => {
  const effects = new Set(CAUSE_ROWS.filter(({ unmapped }) => unmapped).map(({ effect }) => effect));
  for (const effect of effects) assert.doesNotMatch(effect, /^gpu\.(lost|memory|missing|app|gsp)|^job\./);
});

test('every main edge of the vocabulary is there', () => {
  const edges = [
    ['power.voltage_sag', 'psu.input_lost'], ['power.voltage_sag', 'psu.failover'], ['psu.failover', 'gpu.power_brake'],
    ['psu.input_lost', 'cpu.power_cap'], ['psu.failure', 'host.power_cap'], ['gpu.power_brake', 'job.throughput_drop'],
    ['gpu.thermal_throttle', 'service.degraded'], ['cpu.power_cap', 'job.throughput_drop'],
    ['job.throughput_drop', 'job.collective_timeout'], ['power.load_step', 'power.overload'],
    ['power.overload', 'power.breaker_trip'], ['power.breaker_trip', 'psu.input_lost'], ['host.fan_failure', 'host.overtemp'],
    ['host.overtemp', 'gpu.thermal_throttle'], ['gpu.lost', 'job.rank_crashed'], ['gpu.memory.dbe', 'job.rank_crashed'],
    ['host.oom', 'job.rank_crashed'], ['process.segfault', 'job.rank_crashed'], ['job.rank_crashed', 'job.collective_timeout'],
    ['nic.link_flap', 'net.rdma_retry_exceeded'], ['net.rdma_retry_exceeded', 'job.collective_timeout'],
    ['pcie.corrected', 'pcie.link_down'], ['pcie.link_down', 'gpu.lost'], ['nvlink.fatal', 'gpu.preemptive_cleanup'],
  ] as const; // biome-ignore format: a table
  for (const [cause, effect] of edges) assert.ok(causesOf(effect).has(cause), `${cause} → ${effect}`);
});

test('every kind has a prior, every lasting one an end, and every symptom guesses to offer', () => {
  for (const kind of KINDS) {
    assert.ok(prior(kind) > 0 && prior(kind) < 1);
    if (kindInfo(kind).neverRoot) assert.ok(isSymptom(kind), kind);
    if (isLasting(kind)) assert.ok(releasedBy(kind).size > 0, kind);
    const shares = likelyRoots(kind).reduce((sum, { share }) => sum + share, 0);
    assert.ok(shares > 0 && shares < 1);
  }
  assert.deepEqual(
    ['gpu.reset', 'host.maintenance', 'job.preempted'].map((kind) => isKind(kind) && isExplaining(kind)),
    [true, true, true],
  );
});

test('a word that is not a kind, prefix or group is refused', () => {
  assert.throws(() => expandKinds(['gpu.nothing']), /gpu\.nothing is in no file of catalog\/kinds/);
  assert.throws(() => expandKinds(['group:nothing']), /group:nothing: no kind/);
});
