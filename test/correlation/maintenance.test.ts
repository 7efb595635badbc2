// Declared maintenance: what is inside it raises nothing while it lasts, what is not does, and either is reported.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FaultEvent } from '../../src/model/event.ts';
import { correlator, event, FEED_LINKS, type Given, GPUS, lost, run, T0 } from './fixtures.ts';

const [GPU_A = '', GPU_B = '', GPU_C = '', GPU_D = ''] = GPUS;
const DECLARED: Given = {
  trust: 'system',
  source: 'maintenance',
  attributes: { by: 'anna', until: '2026-11-27T15:00:00.000Z' },
};
const kernel: Given = { trust: 'kernel', source: 'kernel-log' };

function start(at: string, s = 0): FaultEvent {
  return event(s, 'host.maintenance', at, { ...DECLARED, state: 'onset' });
}
function end(at: string, s: number): FaultEvent {
  return event(s, 'host.maintenance', at, { ...DECLARED, state: 'clear' });
}
function roots(events: readonly FaultEvent[], links = FEED_LINKS): string[] {
  const reported = run(correlator(links), events).last;
  return reported.filter(({ severity }) => severity !== 'info').map(({ root }) => root.kind);
}

test('of the host: its devices, supplies, jobs and what no device is named for raise nothing, hours later', () => {
  const under = [
    lost(7200, GPU_A),
    event(7201, 'psu.input_lost', 'psu/node-3/1', { trust: 'bmc', source: 'bmc' }),
    event(7202, 'job.rank_crashed', 'rank/ddp/0', { trust: 'tenant', source: 'job-log' }),
    event(7203, 'gpu.memory.dbe', null, kernel),
  ];
  for (const one of under) assert.deepEqual(roots([start('host/node-3'), one]), [], one.kind);
  assert.deepEqual(roots([start('host/node-3'), ...under]), []);
});

test('after its end the same raises an incident, before its end what began is explained', () => {
  assert.deepEqual(roots([start('host/node-3'), end('host/node-3', 600), lost(602, GPU_A)]), ['gpu.lost']);
  assert.deepEqual(roots([start('host/node-3'), lost(599, GPU_A), end('host/node-3', 600)]), []);
  // A consequence that comes after the end hangs on what began under it.
  const late = event(640, 'job.rank_crashed', 'rank/ddp/0', { trust: 'tenant', source: 'job-log' });
  assert.deepEqual(roots([start('host/node-3'), lost(599, GPU_A), end('host/node-3', 600), late]), []);
});

test('GPUs lost after its end are not counted with one that was lost during it', () => {
  const before = [start('host/node-3'), lost(599, GPU_A), end('host/node-3', 600)];
  assert.deepEqual(roots([...before, lost(603, GPU_B), lost(604, GPU_C)]), ['gpu.lost', 'gpu.lost']);
  assert.deepEqual(roots([...before, lost(603, GPU_B), lost(604, GPU_C), lost(605, GPU_D)]), ['gpu.lost']);
});

test('what began before it stays an incident', () => {
  assert.deepEqual(roots([lost(0, GPU_A), start('host/node-3', 60)]), ['gpu.lost']);
});

test('of one GPU: it and the jobs on it, not its neighbour, and nothing whose device is unknown', () => {
  assert.deepEqual(roots([start(GPU_A), lost(10, GPU_A)]), []);
  assert.deepEqual(roots([start(GPU_A), lost(10, GPU_B)]), ['gpu.lost']);
  assert.deepEqual(roots([start(GPU_A), event(10, 'gpu.memory.dbe', null, kernel)]), ['gpu.memory.dbe']);
});

test('of a supply: its own failing and what it takes along, not memory errors of a GPU', () => {
  const psu = 'psu/node-3/1';
  assert.deepEqual(roots([start(psu), event(10, 'psu.input_lost', psu, { trust: 'bmc', source: 'bmc' })]), []);
  assert.deepEqual(roots([start(psu), event(10, 'gpu.memory.dbe', GPU_A, kernel)]), ['gpu.memory.dbe']);
});

test('of a PDU: its parts and the supplies that it feeds', () => {
  const pdu = 'pdu/pdu-b-rack-14';
  const sag = event(10, 'power.voltage_sag', 'pdu_phase/pdu-b-rack-14/1', {
    trust: 'facility',
    source: 'pdu',
    state: 'onset',
  });
  assert.deepEqual(roots([start(pdu), sag]), []);
  const other = event(10, 'power.voltage_sag', 'pdu_phase/pdu-a-rack-14/1', {
    trust: 'facility',
    source: 'pdu',
    state: 'onset',
  });
  assert.deepEqual(roots([start(pdu), other]), ['power.voltage_sag']);
  assert.deepEqual(roots([start(pdu), event(10, 'gpu.memory.dbe', GPU_A, kernel)]), ['gpu.memory.dbe']);
});

test('the incident says why a declared maintenance does not explain an incident', () => {
  const why = (...events: FaultEvent[]) => {
    const reported = run(correlator(), events).only();
    return reported.ruledOut.filter(({ what }) => what === 'maintenance').map((ruled) => ruled.why);
  };
  assert.deepEqual(why(lost(0, GPU_A)), ['none declared']);
  const until = ' until 2026-11-27T15:00:00.000Z';
  assert.deepEqual(why(start(GPU_A), lost(10, GPU_B)), [
    `declared by anna for node-3 gpu ${GPU_A.slice(4)}${until}, which does not reach here`,
  ]);
  assert.deepEqual(why(start('host/node-3'), end('host/node-3', 60), lost(70, GPU_A)), [
    'declared by anna for node-3, over before it began',
  ]);
  assert.deepEqual(why(lost(0, GPU_A), start('host/node-3', 10), event(11, 'gpu.preemptive_cleanup', GPU_A, kernel)), [
    `declared by anna for node-3${until}, after it began`,
  ]);
});

test('any order of arrival within the lateness settles to nothing', () => {
  const events = [start('host/node-3'), lost(5, GPU_A), end('host/node-3', 20)];
  for (const order of [
    [0, 1, 2],
    [1, 0, 2],
    [1, 2, 0],
    [2, 1, 0],
    [2, 0, 1],
    [0, 2, 1],
  ]) {
    // biome-ignore format: one line
    const made = correlator();
    const reported = run(
      made,
      order.flatMap((index) => events[index] ?? []),
    );
    reported.take(made.advance(T0 + 600_000));
    assert.ok(
      reported.last.every(({ ended, severity }) => ended && severity === 'info'),
      String(order),
    );
  }
});
