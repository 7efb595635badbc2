// Tenant: what a user of the host could have written is never more than unconfirmed, and moves nothing that others tell.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Explanation } from '../../src/model/explanation.ts';
import { KINDS, type Kind } from '../../src/model/kind.ts';
import { correlator, event, GPUS, link, lost, run, T0 } from './fixtures.ts';

const [GPU_A = '', GPU_B = ''] = GPUS;
const kernel = { trust: 'kernel', source: 'kernel-log' } as const;
const tenant = { trust: 'tenant', source: 'job-log' } as const;
const forged = { trust: 'tenant', source: 'kernel-log' } as const;
/** All that a user's word may send anybody to. */
const HARMLESS = new Set(['none', 'restart_app', 'debug_app', 'check_config', 'free_space']);
/** The link of a job is not a device of this node, and one that is not named is none. */
const ofJob = (component: Explanation['root']['component']) => component === null || component.type === 'job' || component.type === 'rank'; // biome-ignore format: one line

function placeOf(kind: Kind): string {
  const family = kind.split('.')[0];
  if (family === 'job' || family === 'net') return 'job/ddp';
  if (family === 'power') return 'pdu_phase/pdu-b/1';
  if (family === 'psu') return 'psu/node-3/1';
  if (family === 'process') return 'process/4242';
  if (family === 'gpu') return GPU_A;
  return family === 'nic' ? 'nic/0000:41:00.0' : 'host/node-3';
}

function assertUnconfirmed({ title, severity, confidence, action, unconfirmed, root }: Explanation): void {
  assert.match(title, /unconfirmed/i, root.kind);
  assert.ok(confidence <= 0.6, `${root.kind}: ${confidence}`);
  assert.notEqual(severity, 'critical', root.kind);
  const harmless = HARMLESS.has(action.kind) || (action.kind === 'check_link' && ofJob(root.component));
  assert.ok(harmless, `${root.kind}: ${action.kind}`);
  assert.ok((unconfirmed ?? '') !== '', `${root.kind}: nothing would confirm it`);
}

test('whatever the kind: a tenant alone is unconfirmed, 60 % at most, never critical, no action on the node', () => {
  for (const kind of KINDS) {
    const attributes = { action: 'reboot_node', recovery_action: 'drain_node' };
    const one = event(0, kind, placeOf(kind), { ...forged, severity: 'critical', state: 'onset', attributes });
    const crash = event(2, 'job.rank_crashed', 'rank/ddp/0', tenant);
    for (const explanation of run(correlator(), [one, crash]).last) assertUnconfirmed(explanation);
  }
});

test('a link that a job’s words do not name is looked for; a GPU that they do not name is left alone', () => {
  const action = (kind: Kind, place: string | null) =>
    run(correlator(), [event(0, kind, place, { ...forged, state: 'onset' })]).only().action; // biome-ignore format: one call
  for (const kind of ['nic.port_down', 'nvlink.fatal'] as const) {
    assert.deepEqual([action(kind, null).kind, action(kind, null).target], ['check_link', null]);
    assert.equal(action(kind, kind === 'nic.port_down' ? 'nic/0000:41:00.0' : GPU_A).kind, 'none');
  }
  assert.equal(action('gpu.memory.uncorrectable', null).kind, 'none');
});

test('an XID in the kernel log confirms it, and a forged one next to an everyday line of the kernel is not confirmed', () => {
  const { title, confidence, action, unconfirmed, severity } = run(correlator(), [
    event(0, 'gpu.lost', GPU_A, forged),
    lost(1, GPU_A),
  ]).only();
  assert.equal(unconfirmed, null);
  assert.doesNotMatch(title, /unconfirmed/i);
  assert.ok(confidence > 0.6);
  assert.deepEqual([action.kind, severity], ['reboot_node', 'critical']);

  const corrected = event(0, 'pcie.corrected', 'pcie/0000:1b:00.0', { ...kernel, state: 'onset' });
  const reported = run(correlator(), [corrected, event(5, 'gpu.lost', GPU_A, forged)]).last;
  for (const explanation of reported.filter(({ severity: grave }) => grave !== 'info')) assertUnconfirmed(explanation);
});

test('a tenant neither begins, ends, names nor aggravates what the kernel reports', () => {
  const fault = event(10, 'nic.link_flap', 'nic/0000:41:00.0', { ...kernel, state: 'onset' });
  const said = (s: number, state: 'onset' | 'clear') =>
    event(s, 'nic.link_flap', 'nic/0000:41:00.0', { ...forged, state, severity: 'critical', attributes: { action: 'power_cycle_node' } }); // biome-ignore format: one call
  for (const events of [
    [said(1, 'onset'), said(2, 'clear'), fault, said(12, 'onset'), said(13, 'clear')],
    [fault, said(1, 'onset'), said(12, 'onset'), said(13, 'clear'), said(2, 'clear')],
  ]) {
    const made = correlator();
    const { root, severity, action, chain } = run(made, events)
      .take(made.advance(T0 + 120_000))
      .only();
    assert.deepEqual([root.eventId, severity, action.kind], [fault.id, 'error', 'check_link']);
    assert.equal(chain[0]?.timeMs, T0 + 10_000);
    assert.ok(made.advance(T0 + 600_000).every(({ ended }) => !ended));
  }
});

test('no planned or harmless word of a tenant silences what the kernel or the driver reports', () => {
  const words: readonly (readonly [Kind, string])[] = [
    ['gpu.reset', GPU_A],
    ['driver.reloaded', 'host/node-3'],
    ['host.rebooted', 'host/node-3'],
    ['host.maintenance', 'host/node-3'],
    ['firmware.updated', 'host/node-3'],
    ['job.preempted', 'job/ddp'],
    ['job.cancelled', 'job/ddp'],
    ['job.requeued', 'job/ddp'],
    ['process.segfault', 'process/7'],
  ];
  for (const [kind, place] of words) {
    for (const state of ['onset', 'point'] as const) {
      const word = event(0, kind, place, { ...tenant, state });
      for (const events of [
        [word, lost(4, GPU_A)],
        [lost(-4, GPU_A), word],
      ]) {
        const made = correlator([link(GPU_A, 'job/ddp', 'runs')]);
        const reported = run(made, events)
          .take(made.advance(T0 + 200_000))
          .of('gpu.lost');
        assert.deepEqual([reported.severity, reported.ended, reported.unconfirmed], ['critical', false, null], kind);
      }
    }
  }
});

test('a tenant cause is never the root of what the driver reports', () => {
  const reported = run(correlator(), [
    event(0, 'gpu.memory.uncorrectable', GPU_A, tenant),
    event(1, 'gpu.memory.row_remap_failed', GPU_A, kernel),
    event(2, 'gpu.lost', GPU_A, kernel),
  ]);
  for (const kind of ['gpu.memory.row_remap_failed', 'gpu.lost'] as const) {
    const found = reported.last.find(({ chain }) => chain.some((member) => member.kind === kind));
    assert.notEqual(found?.root.kind, 'gpu.memory.uncorrectable');
    assert.equal(found?.unconfirmed, null);
  }
});

test('a tenant lifts nothing: however grave the job calls its slowness, a warning of the driver is not a critical incident', () => {
  const hot = event(0, 'gpu.thermal_throttle', GPU_B, { state: 'onset' });
  const slow = event(10, 'job.throughput_drop', 'job/ddp', { ...tenant, severity: 'critical', state: 'onset' });
  const { severity, root } = run(correlator(), [hot, slow]).only();
  assert.deepEqual([root.kind, severity], ['gpu.thermal_throttle', 'error']);
});

test('two supplies that a tenant reports are not a sag, and maintenance by a tenant hides none', () => {
  const links = [1, 2].flatMap((i) => [
    link('pdu_phase/pdu-b/1', `psu/node-3/${i}`, 'feeds'),
    link(`psu/node-3/${i}`, 'host/node-3', 'feeds'),
  ]);
  const supplies = (given: object) => [1, 2].map((i) => event(i / 10, 'psu.input_lost', `psu/node-3/${i}`, given));
  const sags = (events: ReturnType<typeof supplies>) =>
    run(correlator(links), events).last.filter(({ root }) => root.kind === 'power.unobserved_sag');
  assert.deepEqual(sags(supplies({ ...forged, state: 'onset' })), []);
  const read = supplies({ trust: 'bmc', source: 'bmc', state: 'onset' });
  const excuse = event(0, 'host.maintenance', 'host/node-3', { ...tenant, state: 'onset' });
  assert.equal(sags([excuse, ...read]).length, 1);
});

test('a root that was measured is confirmed, one that an everyday line reports is not, where only a tenant tells of the work', () => {
  const attributes = { detector: 'host-cpu-pressure', quantity: 'share', before: 0.5, after: 0.7 };
  const system = { trust: 'system', source: 'system', state: 'onset' } as const;
  const slow = event(9, 'job.throughput_drop', 'job/ddp', { ...tenant, state: 'onset' });
  const unconfirmedWith = (more: object): boolean => {
    const contention = event(0, 'cpu.contention', 'host/node-3', { ...system, ...more });
    const { last } = run(correlator([link('host/node-3', 'job/ddp', 'runs')]), [contention, slow]);
    const found = last.find(({ root }) => root.kind === 'cpu.contention');
    assert.ok(found, 'the incident has the contention as its root');
    return found.unconfirmed !== null;
  };
  assert.equal(unconfirmedWith({ attributes }), false);
  assert.equal(unconfirmedWith({}), true);
});

test("the scheduler's record of a job confirms that its rank crashed, that of another job does not", () => {
  const crash = event(0, 'job.rank_crashed', 'rank/ddp/0', tenant);
  const scheduler = { trust: 'system', source: 'slurm' } as const;
  const recorded = run(correlator(), [crash, event(5, 'job.failed', 'job/ddp', scheduler)]).only();
  assert.deepEqual([recorded.root.kind, recorded.unconfirmed], ['job.rank_crashed', null]);
  assert.doesNotMatch(recorded.title, /unconfirmed/i);
  for (const [kind, job, by] of [
    ['job.rank_crashed', 'job/other', scheduler],
    ['job.rank_crashed', 'job/ddp', tenant],
    ['job.gpu_oom', 'job/ddp', scheduler],
  ] as const) {
    const events = [event(0, kind, 'rank/ddp/0', tenant), event(5, 'job.failed', job, by)];
    const found = run(correlator(), events).last.find(({ root }) => root.kind === kind);
    assertUnconfirmed(found ?? assert.fail(`no incident of ${kind}`));
  }
});
