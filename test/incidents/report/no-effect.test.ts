// No effect: what lines say of work that ended, where no figure tells how much it lost; and nothing where they say nothing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noEffectText } from '../../../src/incidents/report/no-effect.ts';
import type { Incident } from '../../../src/model/incident.ts';
import { event, gpu, incident } from '../sample.ts';

function of(...events: Incident['events']): Incident {
  const [root] = events;
  const { id = '', kind = 'gpu.lost', component = null } = root ?? {};
  return incident('7f3c41d2a0b1', { root: { eventId: id, kind, component }, events, impact: [] });
}

test('a job whose checkpoint failed suffered, by its own words before those of the network', () => {
  const job = { type: 'job', id: 'train' } as const;
  const full = event('e-full', 'host.disk_full', { type: 'host', id: 'node-3' });
  const reset = event('e-net', 'net.connection_reset', job);
  const failed = event('e-save', 'job.checkpoint_failed', job);
  assert.equal(noEffectText(of(full)), 'none seen on a job so far');
  assert.equal(noEffectText(of(full, reset)), 'train: connection reset');
  assert.equal(noEffectText(of(full, reset, failed)), 'train: checkpoint failed');
  assert.equal(noEffectText(of(full, { ...failed, severity: 'info' })), 'none seen on a job so far');
});

test('the process that the driver ended is the effect of an error in the memory of its GPU', () => {
  const attributes = { pid: 31_337, process: 'python3' };
  const error = event('e-dbe', 'gpu.memory.dbe', gpu(0));
  assert.equal(
    noEffectText(of(error, event('e-45', 'gpu.preemptive_cleanup', gpu(0), { attributes }))),
    'process python3 (31337) ended',
  );
  assert.equal(noEffectText(of(error, event('e-45', 'gpu.preemptive_cleanup', gpu(0)))), 'none seen on a job so far');
  assert.equal(noEffectText(of({ ...error, attributes })), 'none seen on a job so far');
});
