// Declared maintenance: what is inside it raises nothing while it lasts, what is not does, and either is reported.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FaultEvent } from '../../src/model/event.ts';
import { correlator, event, FEED_LINKS, type Given, GPUS, link, lost, run, T0 } from './fixtures.ts';

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
  const reset = event(599.5, 'gpu.reset', GPU_A);
  assert.deepEqual(roots([start('host/node-3'), lost(599, GPU_A), reset, end('host/node-3', 600), late]), []);
  // A GPU that is lost still is a fault, whoever began to work on it.
  assert.deepEqual(roots([start('host/node-3'), lost(599, GPU_A), end('host/node-3', 600), late]), ['gpu.lost']);
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

test('of the host: the outlet that feeds nothing else, not one that feeds another host too, and not the phase behind it', () => {
  const off = (at: string) =>
    event(10, 'power.outlet_off', at, { trust: 'facility', source: 'pdu', state: 'onset', attributes: {} });
  const outlet = 'pdu_outlet/pdu-b-rack-14/7';
  assert.deepEqual(roots([start('host/node-3'), off(outlet)]), []);
  assert.deepEqual(roots([off(outlet)]), ['power.outlet_off']);
  const shared = [...FEED_LINKS, link(outlet, 'host/node-4', 'feeds')];
  assert.deepEqual(roots([start('host/node-3'), off(outlet)], shared), ['power.outlet_off']);
  const phase = 'pdu_phase/pdu-b-rack-14/1';
  const sag = event(10, 'power.voltage_sag', phase, { trust: 'facility', source: 'pdu', state: 'onset' });
  assert.deepEqual(roots([start('host/node-3'), sag], [...FEED_LINKS, link(phase, outlet, 'feeds')]), [
    'power.voltage_sag',
  ]);
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

test('any order of arrival within the lateness settles to nothing, or to what is still there when it is over', () => {
  const lasting = [start('host/node-3'), lost(5, GPU_A), end('host/node-3', 20)];
  const passing = [...lasting, event(12, 'gpu.reset', GPU_A)];
  for (const [events, settled] of [
    [passing, []],
    [lasting, ['gpu.lost']],
  ] as const) {
    for (const order of permutations(events)) {
      const made = correlator();
      const reported = run(made, order).take(made.advance(T0 + 600_000));
      const open = reported.last.filter(({ ended, severity }) => !ended || severity !== 'info');
      assert.deepEqual(open.map(({ root }) => root.kind), settled, order.map(({ kind }) => kind).join()); // biome-ignore format: one line
    }
  }
});

function permutations<Item>(items: readonly Item[]): Item[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((first, i) => permutations(items.toSpliced(i, 1)).map((rest) => [first, ...rest]));
}
