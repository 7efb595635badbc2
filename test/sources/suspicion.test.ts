// What is a reason to look closer: faults of devices by whoever reports them, and jobs that stop, by points as well as onsets.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WallTimes } from '../../src/model/wall-times.ts';
import { Services } from '../../src/sources/services.ts';
import { SourceSet, type SourcesConfig } from '../../src/sources/source-set.ts';
import { type Heard, isDeviceFault, isStoppedJob } from '../../src/sources/suspicion.ts';

const NOTHING: SourcesConfig = {
  host: 'node-3',
  roots: { proc: '/proc', sys: '/sys' },
  directories: { state: '/', log: '/', runtime: '/' },
  record: { path: null, maxBytes: 0 },
  sources: {},
};

const event = (more: Partial<Heard>): Heard => ({
  kind: 'gpu.lost',
  component: { type: 'gpu', id: '0000:9b:00.0', host: 'node-3' },
  state: 'point',
  source: 'kernel-log',
  severity: 'critical',
  trust: 'kernel',
  timeMs: 1_000_000,
  observedMs: 1_000_500,
  ...more,
});

test('an XID of the kernel log is a fault of a device, though it is a point and not of the GPU source', () => {
  assert.ok(isDeviceFault(event({})));
  assert.ok(isDeviceFault(event({ kind: 'nvswitch.fatal', source: 'journal' })));
  for (const not of [
    { trust: 'tenant', source: 'job-log' },
    { kind: 'gpu.recovery_action', severity: 'info' },
    { state: 'clear' },
    { kind: 'host.disk_full', severity: 'error' },
    { observedMs: 1_000_000 + 3 * 3_600_000 },
  ] as const)
    assert.ok(!isDeviceFault(event(not)), JSON.stringify(not));
});

test("a watchdog's line in a job's log says that the job stopped; dumps do not ask for dumps", () => {
  const timeout = { kind: 'job.collective_timeout', source: 'job-log', trust: 'tenant', severity: 'error' } as const;
  assert.ok(isStoppedJob(event(timeout)));
  assert.ok(!isStoppedJob(event({ ...timeout, source: 'flight-recorder' })));
  assert.ok(!isStoppedJob(event({ ...timeout, state: 'clear' })));
  assert.ok(!isStoppedJob(event({ ...timeout, kind: 'job.checkpoint_saved' })));
});

test('each is raised to the sources that listen', async () => {
  const services = new Services((_, work) => work());
  const raised: string[] = [];
  services.suspicion.listen('gpu', () => void raised.push('device'));
  services.jobStopped.listen('flight-recorder', () => void raised.push('job'));
  const set = await SourceSet.of(NOTHING, {
    services,
    wall: new WallTimes(),
    bulkhead: undefined,
    asked: () => [],
    make: () => Promise.reject(new Error('none is asked for')),
  });
  set.heard(event({}));
  set.heard(event({ kind: 'job.collective_timeout', source: 'job-log', trust: 'tenant', severity: 'error' }));
  set.heard(event({ kind: 'job.hang', source: 'steps', state: 'onset', trust: 'tenant' }));
  set.heard(event({ kind: 'job.started', source: 'slurm', severity: 'info' }));
  assert.deepEqual(raised, ['device', 'job', 'device', 'job']);
});
