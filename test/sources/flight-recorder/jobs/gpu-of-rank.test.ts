// Which GPU runs a rank: known from UUIDs and orders that hold, null where it would be a guess.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Component } from '../../../../src/model/component.ts';
import type { RankEnvironment } from '../../../../src/sources/flight-recorder/jobs/environment.ts';
import { gpuOfRank } from '../../../../src/sources/flight-recorder/jobs/gpu-of-rank.ts';

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
): string | null {
  const all = { cuda: null, nvidia: null, byPciAddress: false, ...devices };
  const rank = { rank: 9, worldSize: 16, localRank, job: null, dumpPrefixes: [], pipe: null, devices: all, off: null };
  return gpuOfRank(rank, GPUS, oneModel)?.id ?? null;
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
