// Host GPUs: known by address, not by index; what the driver lists no more is gone with its processes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostGpus } from '../../src/identity/host-gpus.ts';
import type { Component } from '../../src/model/component.ts';

const gpu = (id: string, index: number): Component => ({ type: 'gpu', id, aliases: [`gpu ${index}`, `GPU-${id}`] });

test('an index that moves to another device takes nothing of the first one along', () => {
  const gpus = new HostGpus();
  gpus.found(gpu('0000:1b:00.0', 0), 'H100');
  gpus.found(gpu('0000:3d:00.0', 1), 'H100');
  gpus.usedBy('0000:1b:00.0', [7]);
  gpus.usedBy('0000:3d:00.0', [8, 9]);
  gpus.gone('0000:1b:00.0');
  gpus.found(gpu('0000:3d:00.0', 0), 'H100');
  const { users, gpus: present, oneModel } = gpus.facts();
  assert.deepEqual([...users], [['0000:3d:00.0', [8, 9]]]);
  assert.deepEqual(
    present.map(({ aliases }) => aliases?.[0]),
    ['gpu 0'],
  );
  assert.equal(oneModel, true);
});

test('what the driver lists means something only while it answers', () => {
  const gpus = new HostGpus();
  gpus.found(gpu('0000:1b:00.0', 0), 'H100');
  assert.equal(gpus.listed(), null);
  gpus.driverAnswers(true);
  assert.deepEqual(gpus.listed(), ['0000:1b:00.0']);
  gpus.driverAnswers(false);
  assert.equal(gpus.listed(), null);
});

test('a device that was never found has no processes, two models are not one, and a bound holds', () => {
  const gpus = new HostGpus();
  gpus.usedBy('0000:ff:00.0', [1]);
  assert.deepEqual(gpus.facts(), {
    gpus: [],
    oneModel: false,
    users: new Map(),
    minors: new Map(),
    instances: [],
    kernel: [],
  });
  for (let i = 0; i < 300; i += 1)
    gpus.found(gpu(`0000:${i.toString(16).padStart(2, '0')}:00.0`, i), i === 1 ? 'A' : 'B');
  assert.equal(gpus.facts().gpus.length, 256);
  assert.equal(gpus.facts().oneModel, false);
});
