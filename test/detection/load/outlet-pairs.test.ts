// Outlets and supplies by their load: the right pairs with odds, and nothing where all move together.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TopologyProposals } from '../../../src/daemon/topology-proposals.ts';
import { OutletPairs } from '../../../src/detection/load/outlet-pairs.ts';
import { randomStream } from './random.ts';

const T0 = 1_700_000_000_000;
const HOSTS = 6;
const outlet = (i: number) => `pdu_outlet/pdu-a/${i + 1}`;
const supply = (i: number) => `psu/node-${i}/1`;
const NONE = new Map<string, Set<string>>();

/** Load of each host every two seconds; outlets are read each 10 s, supplies each 10 s a few seconds later. */
function play(
  pairs: OutletPairs,
  loads: (second: number, host: number) => number,
  minutes: number,
  quantity = 'power',
): void {
  for (let second = 0; second < minutes * 60; second += 10) {
    const timeMs = T0 + second * 1000;
    const hosts = Array.from({ length: HOSTS }, (_, i) => i);
    const seen = hosts.map((i) => loads(second, i));
    pairs.take(
      hosts.map((i) => `${outlet(i)}#${quantity}`),
      hosts.map(() => timeMs),
      seen.map((watts) => (quantity === 'power' ? watts : watts / 230)),
    );
    const late = hosts.map((i) => loads(Math.max(0, second - 6), i) * 0.98);
    pairs.take(
      hosts.map((i) => `${supply(i)}#input_power`),
      hosts.map(() => timeMs + 3000),
      late,
    );
  }
}

for (const quantity of ['power', 'current']) {
  test(`hosts with jobs of their own are paired by ${quantity}, each with its outlet`, () => {
    const pairs = new OutletPairs();
    const random = randomStream(7);
    const changes = Array.from({ length: HOSTS }, () => Array.from({ length: 12 }, () => Math.floor(random() * 3600)).toSorted((a, b) => a - b)); // biome-ignore format: one line
    const loads = (second: number, i: number) =>
      ((changes[i] ?? []).filter((at) => at <= second).length % 2 === 0 ? 800 : 2400) + 10 * i;
    play(pairs, loads, 65, quantity);
    const found = pairs.proposals(NONE);
    assert.ok(found.length >= HOSTS - 2, `${found.length} found`);
    for (const { outlet: from, supply: to, odds } of found) {
      assert.equal(from.split('/').at(-1), String(Number(to.split(/[-/]/)[2]) + 1), `${from} → ${to}`);
      assert.ok(odds >= 20);
    }
  });
}

test('hosts of one job, which all step at once, prove nothing', () => {
  const pairs = new OutletPairs();
  play(pairs, (second) => (Math.floor(second / 300) % 2 === 0 ? 800 : 2400), 120);
  assert.deepEqual(pairs.proposals(NONE), []);
});

test('a constant load and noise prove nothing', () => {
  const pairs = new OutletPairs();
  const random = randomStream(3);
  play(pairs, () => 1000 + 60 * random(), 120);
  assert.deepEqual(pairs.proposals(NONE), []);
});

test('what is written is not proposed again; what is written wrong is doubted; nothing is used', () => {
  const topology = new TopologyProposals();
  const random = randomStream(5);
  const changes = Array.from({ length: HOSTS }, () => Array.from({ length: 14 }, () => Math.floor(random() * 3600)));
  const loads = (second: number, i: number) =>
    (changes[i] ?? []).filter((at) => at <= second).length % 2 === 0 ? 800 : 2400;
  const take = (keys: readonly string[], timesMs: readonly number[], values: readonly number[]): void =>
    topology.take({ source: 'pdu', trust: 'facility', keys, timesMs, values });
  play({ take } as OutletPairs, loads, 65);
  const link = (from: number, to: number) => ({
    from: { type: 'pdu_outlet', id: `pdu-a/${from + 1}` } as const,
    to: { type: 'psu', id: `node-${to}/1` } as const,
    relation: 'feeds' as const,
    source: 'configuration' as const,
  });
  const [none] = topology.health([]);
  assert.match(
    none?.notes?.join('\n') ?? '',
    /pdu_outlet\/pdu-a\/1 may feed psu\/node-0\/1: \d+ of \d+ steps of its load show there, odds \d+ to 1/,
  );
  const [right] = topology.health([link(0, 0)]);
  assert.doesNotMatch(right?.notes?.join('\n') ?? '', /may feed psu\/node-0\/1/);
  const [wrong] = topology.health([link(3, 0)]);
  assert.equal(wrong?.status, 'partial');
  assert.match(
    wrong?.notes?.[0] ?? '',
    /pdu_outlet\/pdu-a\/4 is written to feed psu\/node-0\/1, and shows \d+ of \d+ steps/,
  );
});
