// Works: facts come and go, and the view follows, at most once a second.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostGpus } from '../../../src/identity/host-gpus.ts';
import { HostNics } from '../../../src/identity/host-nics.ts';
import { processKey, Works } from '../../../src/identity/work/works.ts';
import { processFact, scheduledFact, slurm } from './facts.ts';

function works() {
  const gpus = new HostGpus();
  const clock = { ms: 0 };
  return { works: new Works(gpus, new HostNics(), () => clock.ms), gpus, clock };
}

test('a view is made again only where something changed, and at most once a second', () => {
  const { works: all, clock } = works();
  assert.deepEqual(all.view().works, []);
  all.scheduled.set(scheduledFact('991'));
  const first = all.view();
  assert.deepEqual(
    first.works.map(({ id }) => id),
    ['991'],
  );
  all.scheduled.set(scheduledFact('992'));
  clock.ms = 999;
  assert.equal(all.view(), first);
  assert.equal(all.fresh().works.length, 2);
  const second = all.view();
  clock.ms = 10_000;
  all.scheduled.set(scheduledFact('992'));
  assert.equal(all.view(), second);
  all.scheduled.drop('slurm/991');
  assert.equal(all.view().works.length, 1);
  assert.ok(all.view().version > second.version);
});

test('what the driver lists is part of the view, and the same list again changes nothing', () => {
  const { works: all, gpus, clock } = works();
  gpus.found({ type: 'gpu', id: '0000:9b:00.0' }, 'H100');
  gpus.usedBy('0000:9b:00.0', [11]);
  all.processes.set(processFact(11, { place: slurm('991') }));
  const view = all.view();
  assert.deepEqual(
    view.devices.map(({ device, work }) => [device, work]),
    [['gpu/0000:9b:00.0', '991']],
  );
  clock.ms = 5000;
  gpus.usedBy('0000:9b:00.0', [11]);
  assert.equal(all.view(), view);
  gpus.usedBy('0000:9b:00.0', []);
  assert.deepEqual(all.view().devices, []);
});

test('a source replaces what it knows, and the facts of others stay', () => {
  const { works: all } = works();
  all.scheduled.replace([scheduledFact('1'), scheduledFact('2')]);
  all.scheduled.set(scheduledFact('1.pbs', { manager: 'pbs' }));
  all.scheduled.replace([scheduledFact('3')], ({ manager }) => manager === 'slurm');
  assert.deepEqual(
    all.scheduled.values().map(({ id }) => id),
    ['1.pbs', '3'],
  );
});

test('facts are bounded: what is there may change, and what is new is refused and counted', () => {
  const { works: all } = works();
  for (let pid = 1; pid <= 16_400; pid += 1) all.processes.set(processFact(pid));
  assert.deepEqual([all.processes.size, all.processes.refused], [16_384, 16]);
  all.processes.set(processFact(7, { role: 'train.py' }));
  assert.equal(all.processes.get(processKey(processFact(7)))?.role, 'train.py');
});
