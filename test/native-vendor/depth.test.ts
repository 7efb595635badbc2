// What the child reads seldom, through the addon: links as components of their own, and what a GPU can tell.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADDRESSES, Rack, series } from './rack.ts';

const first = ADDRESSES[0];

test('a link is a component of its own, named by the address of its GPU', async (context) => {
  const rack = new Rack(context, { control: { devices: 1, 'gpu.0.links_down': 2, 'gpu.0.link.0.161': 7 } });
  const link = (number: number, quantity: string) => rack.last(`nvlink/${first}/${number}#${quantity}`);
  await rack.until('the last link was read', () => link(17, 'nvlink_rx') !== undefined);
  assert.deepEqual([link(0, 'nvlink_state'), link(1, 'nvlink_state')], [1, 0]);
  assert.deepEqual([link(0, 'nvlink_replays'), link(2, 'nvlink_replays')], [7, 0]);
  await rack.until('the links were counted', () => rack.last(series(0, 'nvlinks_active')) === 17);
});

test('what each group of readings came to is reported once per GPU', async (context) => {
  const rack = new Rack(context, {
    control: { devices: 2, generation: 'r550', 'gpu.1.architecture': 'ampere', 'gpu.1.links_down': 1 },
  });
  const reported = await rack.until('both are reported', () => {
    const notices = rack.reported('capabilities');
    return notices.length === 2 ? notices : undefined;
  });
  const [hopper, ampere] = reported.map(({ groups }) => groups);
  assert.deepEqual(
    reported.map(({ component }) => component),
    [`gpu/${first}`, `gpu/${ADDRESSES[1]}`],
  );
  assert.equal(hopper?.get('gpm'), 'works');
  assert.equal(hopper?.get('nvlink'), '18 links, 18 up');
  assert.equal(hopper?.get('recovery_action'), 'unknown to this driver (2)');
  assert.equal(ampere?.get('gpm'), 'unsupported (3)');
  assert.equal(ampere?.get('nvlink'), '12 links, 11 up');
  assert.equal(ampere?.get('mig'), 'off');
});

test('instances and processes are reported by what they are', async (context) => {
  const rack = new Rack(context, {
    control: { devices: 1, 'gpu.0.mig': 1, 'gpu.0.instance': '3 0 MIG-three', 'gpu.0.processes': '31:3,7:3' },
  });
  const instance = await rack.notice('gpu_instance', 'there');
  assert.equal(instance.component, `gpu_instance/${first}/3`);
  assert.deepEqual([instance.gpuInstance, instance.computeInstance, instance.uuid], [3, 0, 'MIG-three']);
  assert.equal(instance.profile, 'NVIDIA H100 80GB HBM3 MIG 1g.10gb');
  const processes = await rack.notice('processes');
  assert.deepEqual([processes.component, processes.pids, processes.count], [`gpu/${first}`, [7, 31], 2]);
});

test('an instance has series of its own, named by the address of its GPU', async (context) => {
  const control = { devices: 1, 'gpu.0.mig': 1, 'gpu.0.instance': '3 0 MIG-three', 'gpu.0.gi.3.ecc': 2 };
  const rack = new Rack(context, { control });
  await rack.fresh(`gpu_instance/${first}/3#ecc_sram_uncorrected`, (value) => value === 2);
  assert.equal(rack.last(series(0, 'ecc_sram_uncorrected')), undefined);
});
