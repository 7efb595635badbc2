// Links: what stays of a cluster from one look to the next is what would be found again, whatever came and went between.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { clustersOf } from '../../../src/correlation/belief/assignment.ts';
import type { Cluster, Condition, Weighed } from '../../../src/correlation/belief/condition.ts';
import { familiesOf, leave } from '../../../src/correlation/belief/condition-family.ts';
import { FLOOR } from '../../../src/correlation/belief/floor.ts';
import { linkMembers } from '../../../src/correlation/belief/links.ts';
import { CAUSE_ROWS } from '../../../src/correlation/graph/cause-graph.ts';
import { detach } from '../../../src/correlation/graph/neighbours.ts';
import { runs } from '../../runs.ts';
import { conditionsOf, event, GPUS } from '../fixtures.ts';

/** By the definition, without anything that was known before. */
function linksAnew({ root, members }: Cluster): readonly (readonly Weighed[])[] {
  const inside = new Set(members.map(({ condition }) => condition));
  const believed = new Map<Condition, readonly Weighed[]>();
  for (const { condition } of members) {
    const own = condition.belief.weighed.filter(({ edge, weight }) => weight >= FLOOR && inside.has(edge.cause));
    believed.set(condition, condition === root ? [] : own.slice(0, 32));
  }
  const above = (condition: Condition): Set<Condition> =>
    new Set((believed.get(condition) ?? []).flatMap(({ edge }) => [edge.cause, ...above(edge.cause)]));
  return members.map(({ condition }) => {
    const all = believed.get(condition) ?? [];
    const isLate = ({ edge }: Weighed) => edge.timing.causeFirst === 0;
    const causes = all.filter(
      (one) => !isLate(one) || !all.some((other) => !isLate(other) && other.weight >= one.weight / 2),
    );
    const isFarther = (far: Weighed) =>
      causes.some(
        (near) => near !== far && near.weight >= far.weight / 2 && above(near.edge.cause).has(far.edge.cause),
      );
    return causes.filter((far) => !isFarther(far)).slice(0, 16);
  });
}

const KINDS = [
  'power.voltage_sag',
  'psu.input_lost',
  'host.overtemp',
  'gpu.power_brake',
  'gpu.thermal_throttle',
  'gpu.lost',
  'nvlink.fatal',
  'job.hang',
  'job.throughput_drop',
  'job.rank_crashed',
] as const;

function place(kind: (typeof KINDS)[number], i: number): string {
  if (kind.startsWith('gpu.')) return GPUS[i % 4] ?? '';
  if (kind === 'nvlink.fatal') return `nvlink/${(GPUS[i % 4] ?? '').slice(4)}/${i}`;
  if (kind.startsWith('job.')) return kind === 'job.rank_crashed' ? `rank/ddp/${i}` : 'job/ddp';
  return kind === 'power.voltage_sag' ? `pdu_phase/pdu-b/${i % 2}` : kind === 'psu.input_lost' ? `psu/node-3/${i % 2}` : 'host/node-3'; // biome-ignore format: one a kind
}

const step = fc.record({
  kind: fc.constantFrom(...KINDS),
  i: fc.nat({ max: 5 }),
  s: fc.integer({ min: 0, max: 40 }),
  goes: fc.boolean(),
  looks: fc.boolean(),
});

test('direct causes are those of the definition after whatever came, went and was looked at before', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 40 }), (steps) => {
      const { store, take } = conditionsOf([]);
      for (const [n, { kind, i, s, goes, looks }] of steps.entries()) {
        take(event(s, kind, place(kind, i), { discriminator: n }));
        const held = [...store.all()];
        const gone = goes ? held[(n * 7) % held.length] : undefined;
        if (gone !== undefined) {
          store.remove(gone);
          detach(gone);
          leave(gone);
        }
        if (!looks && n < steps.length - 1) continue;
        for (const family of familiesOf(store.all())) {
          for (const cluster of clustersOf(family)) {
            const found = cluster.members.map(({ causedBy }) => causedBy);
            assert.deepEqual(found.map(named), linksAnew(cluster).map(named));
          }
        }
      }
    }),
    { numRuns: runs(100, 300) },
  );
});

function named(causes: readonly Weighed[]): string[] {
  return causes.map(({ edge, weight }) => `${edge.cause.name} ${edge.cause.onsetMs} ${weight}`);
}

test('a cause is a direct one again once the way around it is gone, though nothing that leads to the effect moved', () => {
  const { conditions } = conditionsOf(GPUS.slice(0, 4).map((gpu, i) => event(i, 'gpu.app_fault', gpu)));
  const [root, far, near, effect] = conditions;
  assert.ok(root !== undefined && far !== undefined && near !== undefined && effect !== undefined);
  const [row] = CAUSE_ROWS;
  assert.ok(row !== undefined);
  const by = (cause: Condition, of: Condition): Weighed => {
    const timing = { causeFirst: 1, orderUnknown: false, lagMs: 0, factor: 1 };
    return {
      edge: {
        cause,
        effect: of,
        row,
        timing,
        path: 'local',
        fit: 1,
        past: null,
        base: 0.9,
        outlasted: false,
        weighed: null,
      },
      weight: 0.9,
    };
  };
  for (const { belief } of conditions) belief.root = root;
  far.belief.weighed = [by(root, far)];
  near.belief.weighed = [by(far, near), by(root, near)];
  effect.belief.weighed = [by(near, effect), by(far, effect)];
  const causes = () =>
    linkMembers(root, conditions)
      .at(-1)
      ?.causedBy.map(({ edge }) => edge.cause);
  assert.deepEqual(causes(), [near]);
  near.belief.weighed = near.belief.weighed.slice(1);
  assert.deepEqual(causes(), [near, far]);
});

test('a condition that is given up lets go of every other one', () => {
  const { store, conditions } = conditionsOf([
    event(0, 'gpu.lost', GPUS[0] ?? ''),
    event(1, 'job.rank_crashed', 'rank/ddp/0'),
  ]);
  for (const family of familiesOf(conditions)) clustersOf(family);
  const [gone] = conditions;
  assert.ok(gone?.belief.cluster?.members.length === 2);
  store.remove(gone);
  detach(gone);
  leave(gone);
  const { family, weighed, believed, root, cluster, assigned } = gone.belief;
  assert.deepEqual([family, weighed, believed, cluster, assigned], [null, [], [], null, null]);
  assert.equal(root, gone);
});
