// Which GPU runs a rank: known from UUIDs and orders that hold, null where it would be a guess.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GpuFacts } from '../../../src/identity/host-gpus.ts';
import { devicesOf, type RankEnvironment } from '../../../src/identity/rank/environment.ts';
import { gpuOfRank } from '../../../src/identity/rank/gpu-of-rank.ts';
import type { Component } from '../../../src/model/component.ts';
import { gpuFacts } from '../work/facts.ts';

const UUIDS = ['GPU-aaaa1111-0000-0000-0000-000000000000', 'GPU-bbbb2222-0000-0000-0000-000000000000', 'GPU-bbbb3333-0000-0000-0000-000000000000']; // biome-ignore format: a list
const GPUS: Component[] = ['0000:1b:00.0', '0000:3d:00.0', '0000:9b:00.0'].map((id, index) => ({
  type: 'gpu',
  id,
  aliases: [`gpu ${index}`, UUIDS[index] ?? ''],
}));

function on(
  devices: Partial<RankEnvironment['devices']>,
  localRank: number | null = 1,
  oneModel = true,
  users: GpuFacts['users'] = new Map(),
): string | null {
  const all = { ...devicesOf({}), ...devices };
  const rank = {
    pid: 4711,
    rank: 9,
    worldSize: 16,
    localRank,
    job: null,
    dumpPrefixes: [],
    pipe: null,
    devices: all,
    off: null,
  };
  return gpuOfRank(rank, { ...gpuFacts(0), gpus: GPUS, oneModel, users })?.id ?? null;
}

test('the local rank counts among the devices that are visible', () => {
  assert.equal(on({}), '0000:3d:00.0');
  assert.equal(on({ cuda: '2,1,0' }, 0), '0000:9b:00.0');
  assert.equal(on({ cuda: '2' }, 7), '0000:9b:00.0', 'a launcher that gives each rank one device');
  assert.equal(on({ cuda: UUIDS.toReversed().join() }), '0000:3d:00.0');
  assert.equal(on({ cuda: 'GPU-aaaa,GPU-bbbb2' }), '0000:3d:00.0', 'beginnings that are one only');
});

test('in a container only its own devices count', () => {
  assert.equal(
    on({ nvidia: `${UUIDS[2]},${UUIDS[1]}` }, 0),
    '0000:3d:00.0',
    'by address, whatever the order of the list',
  );
  assert.equal(on({ nvidia: '1,2', cuda: '1' }, 0), '0000:9b:00.0');
  assert.equal(on({ nvidia: 'all' }), '0000:3d:00.0');
});

test('what would be a guess is null', () => {
  assert.equal(on({}, null), null, 'no local rank');
  assert.equal(on({}, 1, false), null, 'GPUs of two models: CUDA puts the fastest first');
  assert.equal(on({ byPciAddress: true }, 1, false), '0000:3d:00.0');
  assert.equal(on({}, 3), null);
  assert.equal(on({ cuda: 'GPU-bbbb' }), null, 'two begin so');
  assert.equal(on({ cuda: 'MIG-1234' }), null);
  assert.equal(on({ cuda: '' }), null);
  assert.equal(on({ nvidia: 'GPU-cccc0000' }), null, 'a device that this host does not have');
});

test('the driver lists who runs where: that goes for what the environment leaves open, and against it nothing is known', () => {
  const [first = '', second = '', third = ''] = GPUS.map(({ id }) => id);
  const listed = (...ids: string[]): GpuFacts['users'] => new Map(ids.map((id) => [id, [17, 4711]]));
  assert.equal(on({}, null, true, listed(third)), third, 'no local rank');
  assert.equal(on({ cuda: 'MIG-1234' }, 1, true, listed(first)), first);
  assert.equal(on({}, 1, true, listed(second)), second, 'both say so');
  assert.equal(on({}, 1, true, listed(first, second)), second, 'a context on another GPU');
  assert.equal(on({}, 1, true, listed(third)), null, 'they disagree: another namespace counts its own pids');
  assert.equal(on({}, null, true, listed(first, third)), null, 'two, and nothing to tell them apart by');
  assert.equal(on({}, 1, true, new Map([[third, [17]]])), second, 'the list may be cut');
});
