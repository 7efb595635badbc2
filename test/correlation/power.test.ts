// Power: a sag with a configured way to the host is the root of what follows; one without is doubted or left out.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { componentText } from '../../src/model/component.ts';
import { correlator, event, FEED_LINKS, GPUS, link, lost, POWER_CHAIN, run, T0, THROUGHPUT_DROP } from './fixtures.ts';

const reading = (key: string) => (key.endsWith('#temperature') ? 61 : key.endsWith('#temperature_limit') ? 85 : null);
const sag = (pdu: string, s = 0) =>
  event(s, 'power.voltage_sag', `pdu_phase/${pdu}/1`, { state: 'onset', trust: 'facility', source: 'pdu' });

test('a sag on the configured feed is the root of brakes, caps and the slow step', () => {
  const reported = run(correlator(FEED_LINKS, { reading }), POWER_CHAIN).only();
  assert.equal(reported.root.kind, 'power.voltage_sag');
  assert.equal(reported.root.component?.id, 'pdu-b-rack-14/1');
  assert.equal(reported.rootKnown, true);
  assert.equal(reported.severity, 'error');
  assert.deepEqual([reported.action.kind, reported.action.target?.id], ['check_power_feed', 'pdu-b-rack-14/1']);
  assert.ok(reported.confidence >= 0.85 && reported.confidence <= 0.95, `${reported.confidence}`);
  assert.equal(reported.title, 'voltage sag on pdu-b-rack-14 phase 1: 121.4 → 108.2 V');
  assert.deepEqual(
    reported.impact.map(({ text }) => text),
    ['llama-70b step time 412 → 897 ms'],
  );
  assert.equal(reported.firstEventId, POWER_CHAIN[0]?.id);
  const thermal = reported.ruledOut.find(({ what }) => what === 'thermal');
  assert.equal(thermal?.why, '61 °C, 24 °C of margin');
});

test('the chain lists the nearest causes, not their ancestors', () => {
  const { chain } = run(correlator(FEED_LINKS), POWER_CHAIN).only();
  const kindOf = new Map(chain.map(({ eventId, kind }) => [eventId, kind]));
  const causes = (kind: string) => {
    const links = chain.filter((l) => l.kind === kind).flatMap(({ causedBy }) => causedBy.map((id) => kindOf.get(id)));
    return [...new Set(links)];
  };
  assert.deepEqual(causes('gpu.power_brake'), ['power.voltage_sag']);
  assert.deepEqual(causes('gpu.thermal_throttle'), ['gpu.power_brake']);
  assert.equal(causes('job.throughput_drop').includes('power.voltage_sag'), false);
  assert.equal(chain.length, POWER_CHAIN.length);
});

test('a supply between sag and brake is between them in the chain', () => {
  const psu = event(3, 'psu.failover', 'psu/node-3/1', { state: 'onset', wide: [-7, 3], trust: 'bmc', source: 'bmc' });
  const brake = event(0.9, 'gpu.power_brake', GPUS[0] ?? '', { state: 'onset' });
  const { chain, root } = run(correlator(FEED_LINKS), [sag('pdu-b-rack-14'), psu, brake]).only();
  assert.equal(root.kind, 'power.voltage_sag');
  assert.deepEqual(chain.find(({ kind }) => kind === 'gpu.power_brake')?.causedBy, [psu.id]);
});

test('a sag on a PDU that feeds other hosts only is never the cause, and the incident says so', () => {
  const links = [...FEED_LINKS, link('pdu/pdu-c', 'host/node-9', 'feeds')];
  const reported = run(correlator(links), [
    sag('pdu-c'),
    event(1, 'gpu.power_brake', GPUS[0] ?? '', { state: 'onset' }),
  ]);
  const brake = reported.of('gpu.power_brake');
  assert.equal(brake.chain.length, 1);
  const why = brake.ruledOut.find(({ what }) => what === 'power')?.why;
  assert.equal(why, 'pdu-c phase 1: voltage sag, but it feeds node-9 only');
});

test('an unmapped PDU is only a possibility for one brake, and a doubted root for eight', () => {
  const brake = (gpu: string, i: number) => event(1 + i / 100, 'gpu.power_brake', gpu, { state: 'onset' });
  const one = run(correlator(), [sag('pdu-x'), brake(GPUS[0] ?? '', 0)]).of('gpu.power_brake');
  assert.deepEqual(
    one.alternatives.map(({ root }) => root.kind),
    ['power.voltage_sag'],
  );
  const eight = run(correlator(), [sag('pdu-x'), ...GPUS.map(brake)]).only();
  assert.equal(eight.root.kind, 'power.voltage_sag');
  assert.ok(eight.confidence < 0.6, `${eight.confidence}`);
});

test('a GPU lost near a sag on its own feed is not blamed on the sag without a reaction of the host', () => {
  const reported = run(correlator(FEED_LINKS), [sag('pdu-b-rack-14'), lost(1, GPUS[3] ?? '')]);
  assert.deepEqual(reported.last.map(({ root }) => root.kind).sort(), ['gpu.lost', 'power.voltage_sag']);
  assert.equal(reported.of('gpu.lost').action.kind, 'reboot_node');
});

test('a GPU lost right after its own power brake goes back to the sag, as load lost', () => {
  const gpu = GPUS[3] ?? '';
  const brake = event(0.5, 'gpu.power_brake', gpu, { state: 'onset' });
  const reported = run(correlator(FEED_LINKS), [sag('pdu-b-rack-14'), brake, lost(1, gpu)]).only();
  assert.equal(reported.root.kind, 'power.voltage_sag');
  assert.equal(reported.severity, 'critical');
});

test('eight brakes without any power reading are one incident that points outside the GPUs', () => {
  const reported = run(
    correlator(),
    GPUS.map((gpu, i) => event(i / 100, 'gpu.power_brake', gpu, { state: 'onset' })),
  ).only();
  assert.equal(reported.chain.length, 8);
  assert.equal(reported.action.kind, 'check_power_feed');
});

test('the job overloads the branch, the breaker trips, the supply loses its input', () => {
  const facility = { trust: 'facility', source: 'pdu' } as const;
  const reported = run(
    correlator([...FEED_LINKS, link('pdu_branch/pdu-b-rack-14/2', 'pdu_outlet/pdu-b-rack-14/7', 'feeds')]),
    [
      event(0, 'power.load_step', 'host/node-3', { trust: 'driver' }),
      event(10, 'power.overload', 'pdu_branch/pdu-b-rack-14/2', { ...facility, state: 'onset' }),
      event(60, 'power.breaker_trip', 'pdu_branch/pdu-b-rack-14/2', { ...facility, state: 'onset' }),
      event(61, 'psu.input_lost', 'psu/node-3/1', { trust: 'bmc', source: 'bmc', state: 'onset' }),
    ],
  ).only();
  assert.deepEqual(
    reported.chain.map(({ kind }) => kind),
    ['power.load_step', 'power.overload', 'power.breaker_trip', 'psu.input_lost'],
  );
  assert.equal(reported.severity, 'critical');
});

test('a branch that trips names the job whose step it was', () => {
  const facility = { trust: 'facility', source: 'pdu' } as const;
  const branch = 'pdu_branch/pdu-b-rack-14/2';
  const { root, chain } = run(
    correlator([
      ...FEED_LINKS,
      link(branch, 'pdu_outlet/pdu-b-rack-14/7', 'feeds'),
      link('host/node-3', 'job/train', 'runs'),
    ]),
    [
      event(0, 'power.load_step', 'job/train', { trust: 'driver' }),
      event(10, 'power.overload', branch, { ...facility, state: 'onset' }),
      event(60, 'power.breaker_trip', branch, { ...facility, state: 'onset' }),
    ],
  ).only();
  assert.deepEqual([root.kind, root.component && componentText(root.component)], ['power.load_step', 'job/train']);
  assert.deepEqual(
    chain.map(({ kind }) => kind),
    ['power.load_step', 'power.overload', 'power.breaker_trip'],
  );
});

test('an outlet of the PDU that feeds something else does not concern this host, its own one does', () => {
  const off = (outlet: number) =>
    event(0, 'power.outlet_off', `pdu_outlet/pdu-b-rack-14/${outlet}`, {
      trust: 'facility',
      source: 'pdu',
      state: 'onset',
    });
  assert.deepEqual(run(correlator(FEED_LINKS), [off(21)]).last, []);
  assert.equal(run(correlator(FEED_LINKS), [off(7)]).only().root.kind, 'power.outlet_off');
  // Of which outlets feed what nothing is configured: any may be this host's.
  const whole = [link('pdu/pdu-b-rack-14', 'host/node-3', 'feeds')];
  assert.equal(run(correlator(whole), [off(21)]).only().root.kind, 'power.outlet_off');
});

test('a sag alone is a warning, and a GPU held at its limit as expected has no part in anything', () => {
  const cap = event(1, 'gpu.power_cap', GPUS[0] ?? '', { severity: 'info', state: 'onset' });
  const drop = event(20, 'job.throughput_drop', 'job/llama-70b', { attributes: THROUGHPUT_DROP, state: 'onset' });
  assert.deepEqual(run(correlator(), [cap]).last, []);
  assert.equal(run(correlator(FEED_LINKS), [sag('pdu-b-rack-14'), cap]).only().severity, 'warning');
  assert.equal(run(correlator(), [cap, drop]).only().rootKnown, false);
});

test('links that come after the events change what is believed', () => {
  const made = correlator([link('pdu/pdu-c', 'host/node-9', 'feeds')]);
  const reported = run(made, POWER_CHAIN);
  for (const one of FEED_LINKS) made.link(one);
  reported.take(made.advance(T0 + 10_000));
  const { root, confidence } = reported.only();
  assert.equal(root.kind, 'power.voltage_sag');
  assert.ok(confidence >= 0.85);
});

test('a brake seconds after a supply failed, or at a later heavy step, is of the supplies that are left', () => {
  const bmc = { trust: 'bmc', source: 'bmc', state: 'onset' } as const;
  const rootAfter = (s: number, kind: 'psu.failure' | 'psu.failover') => {
    const brakes = GPUS.map((gpu) => event(s, 'gpu.power_brake', gpu, { state: 'onset' }));
    const { last } = run(correlator(), [event(0, kind, 'psu/node-3/2', bmc), ...brakes]);
    return last.find(({ chain }) => chain.some((one) => one.kind === 'gpu.power_brake'))?.root.kind;
  };
  assert.equal(rootAfter(1, 'psu.failure'), 'psu.failure');
  assert.equal(rootAfter(8, 'psu.failure'), 'psu.failure');
  assert.equal(rootAfter(240, 'psu.failure'), 'psu.failure');
  // The load moved, and that is over in a moment.
  assert.equal(rootAfter(240, 'psu.failover'), 'gpu.power_brake');
});

test('a brake after the supply was well again is not of that supply', () => {
  const bmc = { trust: 'bmc', source: 'bmc' } as const;
  const reported = run(correlator(), [
    event(0, 'psu.input_lost', 'psu/node-3/2', { ...bmc, state: 'onset' }),
    event(20, 'psu.input_lost', 'psu/node-3/2', { ...bmc, state: 'clear' }),
    event(120, 'gpu.power_brake', GPUS[0] ?? '', { state: 'onset' }),
  ]);
  assert.equal(reported.of('gpu.power_brake').root.kind, 'gpu.power_brake');
});
