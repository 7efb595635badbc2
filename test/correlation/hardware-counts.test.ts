// Hardware counts: what is one fault though several report it, and what is another one though it is near, in short sequences.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FaultEvent } from '../../src/model/event.ts';
import { correlator, event, GPUS, link, run, T0 } from './fixtures.ts';

const [GPU = ''] = GPUS;
const kernel = { trust: 'kernel', source: 'kernel-log' } as const;
const bmc = { trust: 'bmc', source: 'bmc' } as const;
const facility = { trust: 'facility', source: 'cooling' } as const;
const WATER = [link('cdu/cdu-1', 'host/node-3', 'feeds')];

test('what a lost GPU reports within the minute follows from that, though kernel and driver each say so', () => {
  const driver = { trust: 'driver', source: 'gpu' } as const;
  const reported = run(correlator(), [
    event(0, 'gpu.lost', GPU, kernel),
    event(0.2, 'gpu.lost', GPU, driver),
    event(3, 'gpu.memory.dbe', GPU, kernel),
    event(3.2, 'gpu.memory.dbe', GPU, driver),
    event(5, 'gpu.memory.row_remap_pending', GPU, kernel),
    event(20, 'gpu.memory.contained', GPU, kernel),
  ]).only();
  assert.deepEqual([reported.root.kind, reported.chain.length], ['gpu.lost', 4]);
});

test('a fault is counted as often as it happened, not as often as it was reported', () => {
  const driver = { trust: 'driver', source: 'gpu' } as const;
  const times = (...events: readonly FaultEvent[]): number | undefined => {
    const made = correlator();
    const reported = run(made, events);
    reported.take(made.advance(T0 + 60_000));
    return reported.only().events[0]?.count;
  };
  const xid = event(0, 'gpu.lost', GPU, { ...kernel, attributes: { xid: 79 } });
  const called = event(0.2, 'gpu.lost', GPU, driver);
  assert.equal(times(xid, called, event(0.1, 'gpu.lost', GPU, { ...driver, attributes: { xid: 79 } })), 1);
  const again = (at: number) => event(at, 'gpu.lost', GPU, { ...kernel, attributes: { xid: 79 } });
  assert.equal(times(xid, called, again(2), again(4)), 3);
});

test('memory that ran out when the others had waited for ten minutes is not what they waited for', () => {
  const job = { trust: 'tenant', source: 'job-log' } as const;
  const waited = (at: number) =>
    event(at, 'job.collective_timeout', 'rank/train/3', { ...job, attributes: { waited_ms: 600_000 } });
  const out = (at: number) => event(at, 'job.gpu_oom', 'rank/train/4', job);
  assert.equal(run(correlator(), [waited(600), out(601)]).last.length, 2);
  assert.equal(run(correlator(), [out(1), waited(600)]).only().root.kind, 'job.gpu_oom');
});

test('memory that failed, the reset for it, a queue that hangs minutes later and a reset that fails are one GPU to reboot for', () => {
  const once = { ...kernel, severity: 'error', attributes: { action: 'reset_gpu' } } as const;
  const reported = run(correlator(), [
    event(0, 'gpu.memory.dbe', GPU, kernel),
    event(0, 'gpu.fault', GPU, once),
    event(180, 'gpu.fault', GPU, once),
    event(192, 'gpu.reset_failed', GPU, kernel),
  ]).only();
  assert.deepEqual(
    reported.chain.map(({ kind }) => kind),
    ['gpu.memory.dbe', 'gpu.fault', 'gpu.reset_failed'],
  );
  assert.deepEqual([reported.root.kind, reported.action.kind], ['gpu.memory.dbe', 'reboot_node']);
});

test('a cause that certainly came later is not named where another one was there in time', () => {
  const reported = run(correlator(WATER), [
    event(0, 'cooling.flow_low', 'cdu/cdu-1', facility),
    event(20, 'gpu.thermal_throttle', GPU, { state: 'onset' }),
    event(70, 'host.overtemp', 'host/node-3', { ...bmc, state: 'onset' }),
  ]).only();
  const idOf = (kind: string) => reported.chain.find((one) => one.kind === kind)?.eventId;
  const throttle = reported.chain.find(({ kind }) => kind === 'gpu.thermal_throttle');
  assert.deepEqual(throttle?.causedBy, [idOf('cooling.flow_low')]);
});

test('heat of the host that its BMC reports late is still the cause where nothing else is known', () => {
  const reported = run(correlator(), [
    event(0, 'gpu.thermal_throttle', GPU, { state: 'onset' }),
    event(30, 'host.overtemp', 'host/node-3', { ...bmc, state: 'onset' }),
  ]).only();
  assert.equal(reported.root.kind, 'host.overtemp');
});

test('a slot that went down minutes ago has nothing to do with a GPU that is lost now', () => {
  const reported = run(correlator(), [
    event(0, 'pcie.link_down', 'pcie/0000:1a:01.0', kernel),
    event(120, 'gpu.lost', GPU, kernel),
  ]).last;
  assert.equal(reported.length, 2);
});

test('errors of a GPU’s link and the port above it are one case where the bus shows that they belong together', () => {
  const ports = [link('pcie/0000:1a:01.0', 'pcie/0000:1b:00.0', 'contains')];
  const events = [
    event(0, 'pcie.corrected', 'pcie/0000:1b:00.0', kernel),
    event(24, 'pcie.corrected', 'pcie/0000:1b:00.0', kernel),
    event(30, 'pcie.link_down', 'pcie/0000:1a:01.0', kernel),
    event(30.1, 'gpu.lost', GPU, kernel),
  ];
  assert.equal(run(correlator(ports), events).only().root.kind, 'pcie.corrected');
  assert.equal(run(correlator(), events).last.length, 2, 'and two where it does not');
});

test('an uncorrected error is one whether the DIMM or the page names it', () => {
  const reported = run(correlator(), [
    event(0, 'memory.ue', 'dimm/node-3/MC0 A', kernel),
    event(0.1, 'memory.ue', 'host/node-3', kernel),
  ]).only();
  assert.equal(reported.root.component?.type, 'dimm');
});

test('an uncorrected error under two names of its DIMM is one, and two DIMMs that one recorder names are two', () => {
  const bmc = { trust: 'bmc', source: 'bmc' } as const;
  const place = (channel: number): string => `dimm/node-3/MC5 CPU_SrcID#1_MC#1_Chan#${channel}_DIMM#0`;
  const edac = event(0, 'memory.ue', place(1), kernel);
  const one = run(correlator(), [edac, event(8, 'memory.ue', 'dimm/node-3/P2_E1', bmc)]).only();
  assert.deepEqual(
    one.chain.map(({ component }) => component?.id),
    ['node-3/MC5 CPU_SrcID#1_MC#1_Chan#1_DIMM#0', 'node-3/P2_E1'],
  );
  const rootsWith = (other: string, given: typeof kernel | typeof bmc) =>
    run(correlator(), [edac, event(8, 'memory.ue', other, given)]).last.length;
  assert.equal(rootsWith(place(0), kernel), 2);
  const board = event(0, 'memory.ue', 'dimm/node-3/P1_A1', bmc);
  assert.equal(run(correlator(), [board, event(8, 'memory.ue', 'dimm/node-3/P2_E1', bmc)]).last.length, 2);
});
