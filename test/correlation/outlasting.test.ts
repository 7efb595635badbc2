// Outlasting: what is planned explains what passes in its usual time; what is still there then is reported, and says from what.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FaultEvent } from '../../src/model/event.ts';
import type { Kind } from '../../src/model/kind.ts';
import { correlator, event, type Given, GPUS, HOLD, LATENESS, link, PAUSE, Reported, T0 } from './fixtures.ts';

const [GPU_A = '', GPU_B = ''] = GPUS;
const PORT = 'nic/0000:40:00.0';
const PSU = 'psu/node-3/1';
const LINKS = [link(GPU_A, 'job/ddp', 'runs'), link(GPU_B, 'job/ddp', 'runs'), link('host/node-3', PSU, 'contains')];
const pci: Given = { trust: 'kernel', source: 'pci' };
const bmc: Given = { trust: 'bmc', source: 'bmc' };
const system: Given = { trust: 'system', source: 'system' };
const onset = (s: number, kind: Kind, at: string, given: Given = pci) =>
  event(s, kind, at, { ...given, state: 'onset' });
const clear = (s: number, kind: Kind, at: string, given: Given = pci) =>
  event(s, kind, at, { ...given, state: 'clear' });

/** Plays the events in order, lets `untilS` pass, and returns what is worth a page by then. */
function play(events: readonly FaultEvent[], untilS: number, made = correlator(LINKS)): Reported {
  const reported = new Reported();
  for (const one of events.toSorted((a, b) => a.observedMs - b.observedMs)) reported.take(made.observe(one));
  for (let s = 0; s <= untilS; s += 5) reported.take(made.advance(T0 + s * 1000));
  return reported;
}
const paged = (reported: Reported) => reported.all.filter(({ severity }) => severity !== 'info');
const roots = (reported: Reported) => [
  ...new Set(paged(reported).map(({ root }) => `${root.kind} ${root.component?.type}/${root.component?.id}`)),
];

interface Case {
  readonly name: string;
  readonly plan: FaultEvent;
  /** Its usual time, s. */
  readonly usualS: number;
  readonly kind: Kind;
  readonly at: string;
  readonly fault: Given;
  readonly says: RegExp;
}

const CASES: readonly Case[] = [
  { name: 'a GPU is missing after a reboot', plan: event(0, 'host.rebooted', 'host/node-3', system), usualS: 300, kind: 'gpu.missing', at: GPU_B, fault: pci, says: /did not come back from the reboot of node-3$/ },
  { name: 'a port is down after a reboot', plan: event(0, 'host.rebooted', 'host/node-3', system), usualS: 300, kind: 'nic.port_down', at: PORT, fault: { trust: 'kernel', source: 'nic' }, says: /did not come back from the reboot of node-3$/ },
  { name: 'a GPU that was reset', plan: event(0, 'gpu.reset', GPU_A), usualS: 60, kind: 'gpu.missing', at: GPU_A, fault: pci, says: /did not come back from the reset$/ },
  { name: 'a driver call after a reset', plan: event(0, 'gpu.reset', GPU_A), usualS: 60, kind: 'gpu.call_stalled', at: GPU_A, fault: { trust: 'driver', source: 'gpu' }, says: /did not come back from the reset$/ },
  { name: 'a GPU after a driver reload', plan: event(0, 'driver.reloaded', 'host/node-3', pci), usualS: 120, kind: 'gpu.missing', at: GPU_B, fault: pci, says: /did not come back from the driver reload of node-3$/ },
  { name: 'a GPU after the driver was unloaded', plan: event(0, 'driver.unloaded', 'host/node-3', pci), usualS: 300, kind: 'gpu.missing', at: GPU_B, fault: pci, says: /did not come back from the driver unload of node-3$/ },
  { name: 'a GPU that was taken off the bus', plan: event(0, 'pcie.removed', GPU_B.replace('gpu/', 'pcie/'), { trust: 'kernel', source: 'kernel-log' }), usualS: 120, kind: 'gpu.missing', at: GPU_B, fault: pci, says: /did not come back from the removal from the bus/ },
  { name: 'a link after the fabric manager was stopped', plan: event(0, 'fabric_manager.stopped', 'host/node-3', system), usualS: 120, kind: 'nvlink.degraded', at: `${GPU_B.replace('gpu/', 'nvlink/')}/4`, fault: { trust: 'driver', source: 'gpu' }, says: /did not come back from the stop of the fabric manager of node-3$/ },
  { name: 'a GPU after DCGM was stopped', plan: event(0, 'driver.service_stopped', 'host/node-3', system), usualS: 120, kind: 'gpu.access_lost', at: GPU_B, fault: { trust: 'driver', source: 'gpu' }, says: /did not come back from the stop of a GPU service of node-3$/ },
  { name: 'a supply after an update of the BMC', plan: event(0, 'firmware.updated', 'host/node-3', bmc), usualS: 300, kind: 'psu.failure', at: PSU, fault: bmc, says: /did not come back from the firmware update of node-3$/ },
  { name: 'a NIC after its own update', plan: event(0, 'firmware.updated', PORT, system), usualS: 300, kind: 'nic.lost', at: PORT, fault: { trust: 'kernel', source: 'nic' }, says: /did not come back from the firmware update$/ },
]; // biome-ignore format: a table

for (const { name, plan, usualS, kind, at, fault, says } of CASES) {
  test(`${name}: reported when the usual time is over, silent where it comes back`, () => {
    const overS = usualS + LATENESS / 1000;
    const began = onset(20, kind, at, fault);
    assert.deepEqual(roots(play([plan, began], overS - 5)), [], 'before');
    const lasting = play([plan, began], 3600);
    assert.deepEqual(roots(lasting), [`${kind} ${at}`]);
    const [incident] = lasting.last.filter(({ severity }) => severity !== 'info');
    assert.match(incident?.title ?? '', says);
    assert.deepEqual(incident?.outlasted?.kind, plan.kind);
    assert.ok(incident.confidence > 0.5 && !incident.ended);
    assert.deepEqual(roots(play([plan, began, clear(80, kind, at, fault)], 3600)), [], 'back after a minute');
    const late = clear(overS - 2, kind, at, fault);
    assert.deepEqual(roots(play([plan, began, late], 3600)), [], 'a clear comes as late as any event');
  });
}

test('a fault of a maintenance window that is there after it', () => {
  const start = onset(0, 'host.maintenance', 'host/node-3', system);
  const end = clear(1800, 'host.maintenance', 'host/node-3', system);
  const began = onset(600, 'psu.failure', PSU, bmc);
  const lasting = play([start, began, end], 3600);
  assert.deepEqual(roots(lasting), [`psu.failure ${PSU}`]);
  assert.match(lasting.of('psu.failure').title, /did not come back from the declared maintenance of node-3$/);
  assert.equal(
    lasting.of('psu.failure').ruledOut.find(({ what }) => what === 'maintenance')?.why,
    'is over, and this is still there',
  );
  assert.deepEqual(roots(play([start, began], 7200)), [], 'it is not over yet');
  assert.deepEqual(roots(play([start, began, clear(1700, 'psu.failure', PSU, bmc), end], 3600)), []);
  // A memory error lasts until a reset; a line of a user, and a limit that was lowered on purpose, do not count as still there.
  const dbe = event(700, 'gpu.memory.dbe', GPU_A, { trust: 'kernel', source: 'kernel-log' });
  assert.deepEqual(roots(play([start, dbe, end], 3600)), [`gpu.memory.dbe ${GPU_A}`]);
  assert.deepEqual(roots(play([start, dbe, event(900, 'gpu.reset', GPU_A), end], 3600)), []);
  const claim = event(700, 'gpu.lost', GPU_A, { trust: 'tenant', source: 'kernel-log' });
  assert.deepEqual(roots(play([start, claim, end], 3600)), []);
  assert.deepEqual(roots(play([start, onset(700, 'gpu.power_limit_changed', GPU_A), end], 3600)), []);
});

test('a limit of the whole node that a maintenance leaves in force is reported with the job that it slows', () => {
  const start = onset(0, 'host.maintenance', 'host/node-3', system);
  const end = clear(900, 'host.maintenance', 'host/node-3', system);
  const cap = onset(60, 'host.power_cap', 'host/node-3', bmc);
  const slow = onset(63, 'job.throughput_drop', 'job/ddp', { trust: 'tenant', source: 'job-log' });
  assert.deepEqual(roots(play([start, cap, slow], 3600)), [], 'it is not over yet');
  const lasting = play([start, cap, slow, end], 3600);
  assert.deepEqual(roots(lasting), ['host.power_cap host/node-3']);
  assert.deepEqual(lasting.of('host.power_cap').chain.map(({ kind }) => kind), ['host.power_cap', 'job.throughput_drop']); // biome-ignore format: one line
  assert.deepEqual(roots(play([start, cap, slow, clear(890, 'host.power_cap', 'host/node-3', bmc), end], 3600)), []);
});

test('a GPU that the driver does not take after a maintenance is one incident, though the line of it came after the look', () => {
  const start = onset(0, 'host.maintenance', 'host/node-3', system);
  const missing = onset(660, 'gpu.missing', GPU_A, pci);
  const failed = event(700, 'gpu.init_failure', GPU_A, { trust: 'kernel', source: 'kernel-log' });
  const end = clear(900, 'host.maintenance', 'host/node-3', system);
  const [one, more] = play([start, missing, failed, end], 3600).last.filter(({ severity }) => severity !== 'info');
  assert.deepEqual(
    one?.chain.map(({ kind }) => kind),
    ['gpu.init_failure', 'gpu.missing'],
  );
  assert.deepEqual([one?.root.kind, more], ['gpu.init_failure', undefined]);
  const other = event(700, 'gpu.init_failure', GPU_B, { trust: 'kernel', source: 'kernel-log' });
  assert.equal(roots(play([start, missing, other, end], 3600)).length, 2, 'another GPU is another fault');
});

test('a supply comes back without its cord: the load that moved under the maintenance is part of it', () => {
  const start = onset(0, 'host.maintenance', 'host/node-3', system);
  const pulled = onset(60, 'psu.failure', PSU, bmc);
  const failover = onset(60, 'psu.failover', PSU, bmc);
  const back = clear(420, 'psu.failure', PSU, bmc);
  const dark = onset(425, 'psu.input_lost', PSU, bmc);
  const end = clear(900, 'host.maintenance', 'host/node-3', system);
  assert.deepEqual(roots(play([start, pulled, failover, back, dark, end], 3600)), [`psu.input_lost ${PSU}`]);
});

test('a supply that was exchanged has no input after the maintenance: one incident, whatever lost redundancy first', () => {
  const start = onset(0, 'host.maintenance', 'host/node-3', system);
  const pulled = onset(60, 'psu.failure', PSU, bmc);
  const redundancy = onset(60, 'psu.redundancy_lost', 'host/node-3', bmc);
  const back = clear(420, 'psu.failure', PSU, bmc);
  const dark = onset(425, 'psu.input_lost', PSU, bmc);
  const end = clear(900, 'host.maintenance', 'host/node-3', system);
  for (const [first, second] of [
    [pulled, redundancy],
    [redundancy, pulled],
  ] as const) {
    // biome-ignore format: one line
    for (const [third, fourth] of [[back, dark], [dark, back]] as const) { // biome-ignore format: one line
      const reported = play([start, first, second, third, fourth, end], 3600);
      assert.deepEqual(roots(reported), [`psu.input_lost ${PSU}`]);
      const { title, chain } = reported.of('psu.input_lost');
      assert.match(title, /did not come back from the declared maintenance of node-3$/);
      assert.deepEqual(chain.map(({ kind }) => kind), ['psu.input_lost', 'psu.redundancy_lost']); // biome-ignore format: one line
    }
  }
  const live = clear(600, 'psu.input_lost', PSU, bmc);
  const whole = clear(600, 'psu.redundancy_lost', 'host/node-3', bmc);
  assert.deepEqual(roots(play([start, pulled, redundancy, back, dark, live, whole, end], 3600)), [], 'all is back');
  const unplanned = play([pulled, redundancy, back, dark], 3600);
  assert.equal(
    unplanned.of('psu.input_lost').chain.length,
    1,
    'nothing planned began it: it is not the cause of what was before it',
  );
});

test('an update of the BMC explains what the BMC reports and its silence, and no device or job of the host', () => {
  const update = event(0, 'firmware.updated', 'host/node-3', { ...bmc, attributes: { part: 'bmc' } });
  const silent = { ...bmc, attributes: { failed_source: 'bmc/node-3' } };
  const quiet = [onset(5, 'psu.failure', PSU, bmc), onset(5, 'agent.source_failed', 'host/node-3', silent)];
  const over = [clear(90, 'psu.failure', PSU, bmc), clear(90, 'agent.source_failed', 'host/node-3', silent)];
  assert.deepEqual(roots(play([update, ...quiet, ...over], 900)), []);
  const faults: readonly (readonly [Kind, string, Given])[] = [
    ['gpu.missing', GPU_A, pci],
    ['nic.port_down', PORT, { trust: 'kernel', source: 'nic' }],
    ['psu.failure', PSU, system],
  ];
  for (const [kind, at, given] of faults) {
    const events = [update, onset(20, kind, at, given), clear(80, kind, at, given)];
    assert.deepEqual(roots(play(events, 900)), [`${kind} ${at}`]);
    const other = event(0, 'firmware.updated', 'host/node-3', { ...system, attributes: { part: 'bios' } });
    assert.deepEqual(roots(play([other, ...events.slice(1)], 900)), [], 'of the host itself');
  }
});

test('what repeats past the end is there after it, and a reset just before the end has its own time', () => {
  const start = onset(0, 'host.maintenance', 'host/node-3', system);
  const end = clear(600, 'host.maintenance', 'host/node-3', system);
  const repeats = (from: number, to: number) =>
    Array.from({ length: (to - from) / 25 }, (_, i) => event(from + i * 25, 'gpu.memory.contained', GPU_A));
  assert.deepEqual(roots(play([start, end, ...repeats(400, 600)], 3600)), []);
  assert.deepEqual(roots(play([start, end, ...repeats(400, 900)], 3600)), [`gpu.memory.contained ${GPU_A}`]);
  const reset = [start, end, event(590, 'gpu.reset', GPU_A), onset(595, 'gpu.missing', GPU_A)];
  assert.deepEqual(roots(play([...reset, clear(640, 'gpu.missing', GPU_A)], 3600)), []);
  assert.deepEqual(roots(play(reset, 3600)), [`gpu.missing ${GPU_A}`]);
});

test('of several that are still there the first is the root, and names the plan', () => {
  const feed = [link('pdu/pdu-b', 'pdu_phase/pdu-b/1', 'contains'), link('pdu_phase/pdu-b/1', PSU, 'feeds')];
  const pdu: Given = { trust: 'facility', source: 'pdu' };
  const events = [
    onset(0, 'host.maintenance', 'pdu/pdu-b', system),
    onset(60, 'power.phase_loss', 'pdu_phase/pdu-b/1', pdu),
    onset(62, 'psu.input_lost', PSU, bmc),
    clear(600, 'host.maintenance', 'pdu/pdu-b', system),
  ];
  const reported = play(events, 3600, correlator([...LINKS, ...feed]));
  assert.deepEqual(roots(reported), ['power.phase_loss pdu_phase/pdu-b/1']);
  const { title, chain } = reported.of('power.phase_loss');
  assert.match(title, /did not come back from the declared maintenance of pdu-b$/);
  assert.deepEqual(chain.map(({ kind }) => kind), ['power.phase_loss', 'psu.input_lost']); // biome-ignore format: one line
});

test('a maintenance that is declared after the fault, or arrives after it, explains neither more nor less', () => {
  const began = onset(0, 'psu.failure', PSU, bmc);
  const after = onset(60, 'host.maintenance', 'host/node-3', system);
  assert.deepEqual(roots(play([began, after, clear(900, 'host.maintenance', 'host/node-3', system)], 3600)), [
    `psu.failure ${PSU}`,
  ]);
  // Declared before it and heard after it: the incident that was opened ends as explained, and comes back when it is over.
  const heardLate = onset(-5, 'host.maintenance', 'host/node-3', { ...system, observedMs: T0 + 8000 });
  const end = clear(900, 'host.maintenance', 'host/node-3', system);
  assert.ok(play([began, heardLate], 600).last.every(({ severity, ended }) => severity === 'info' && ended));
  const still = play([began, heardLate, end], 3600);
  assert.deepEqual(still.last.map(({ root, ended }) => [root.kind, ended]), [['psu.failure', false]]); // biome-ignore format: one line
});

test('one GPU is reset and another one is off the bus for good: both are told apart', () => {
  for (const kind of ['gpu.missing', 'gpu.lost'] as const) {
    const events = [event(0, 'gpu.reset', GPU_A), onset(10, 'gpu.missing', GPU_A), onset(12, kind, GPU_B), clear(40, 'gpu.missing', GPU_A)]; // biome-ignore format: one line
    assert.deepEqual(roots(play(events, 3600)), [`${kind} ${GPU_B}`]);
  }
});

test('of several devices only those that stay away are reported', () => {
  const events = [
    event(0, 'host.rebooted', 'host/node-3', system),
    ...GPUS.map((gpu) => onset(10, 'gpu.missing', gpu)),
    ...GPUS.slice(2).map((gpu, i) => clear(30 + i, 'gpu.missing', gpu)),
  ];
  const found = roots(play(events, 3600));
  assert.ok(found.length > 0 && found.every((root) => root.endsWith(GPU_A) || root.endsWith(GPU_B)), found.join());
});

test('plans that repeat explain for longer, and not for ever', () => {
  const resets = (count: number) => Array.from({ length: count }, (_, i) => event(i * 40, 'gpu.reset', GPU_A));
  const began = onset(10, 'gpu.call_stalled', GPU_A, { trust: 'driver', source: 'gpu' });
  // Two resets, and all is well half a minute after the second one.
  assert.deepEqual(roots(play([...resets(2), began, clear(95, 'gpu.call_stalled', GPU_A)], 3600)), []);
  // A reset every 40 s for half an hour, and the device never answers again.
  const loop = play([...resets(45), began], 600);
  assert.deepEqual(roots(loop), [`gpu.call_stalled ${GPU_A}`]);
  assert.ok((paged(loop)[0]?.asOfMs ?? 0) <= T0 + (10 + 3 * 60 + 60) * 1000);
  // A second reset an hour later explains again.
  const later = [event(3600, 'gpu.reset', GPU_A), onset(3610, 'gpu.missing', GPU_A), clear(3640, 'gpu.missing', GPU_A)];
  assert.deepEqual(roots(play([...resets(1), onset(10, 'gpu.missing', GPU_A), clear(30, 'gpu.missing', GPU_A), ...later], 7200)), []); // biome-ignore format: one line
});

test('a job that hangs because of the device is reported with the device, not put down to the plan', () => {
  const hang = onset(25, 'job.hang', 'job/ddp', { trust: 'tenant', source: 'job-log' });
  const reported = play([event(0, 'gpu.reset', GPU_A), onset(20, 'gpu.missing', GPU_A), hang], 3600);
  assert.deepEqual(
    reported.of('gpu.missing').chain.map(({ kind }) => kind),
    ['gpu.missing', 'job.hang'],
  );
  // One that ran on during the reset, and was ended by it, is not a fault that stays.
  assert.deepEqual(roots(play([event(0, 'gpu.reset', GPU_A), hang], 3600)), []);
});

test('the incident ends when the device comes back, and says as long as it is open what it did not come back from', () => {
  const plan = event(0, 'host.rebooted', 'host/node-3', system);
  const made = correlator(LINKS);
  const reported = play([plan, onset(20, 'gpu.missing', GPU_B)], 30_000, made);
  reported.take(made.observe({ ...onset(30_000, 'gpu.missing', GPU_B), count: 4 }));
  reported.take(made.observe(event(30_010, 'gpu.fault', GPU_B)));
  reported.take(made.advance(T0 + 30_020_000 + PAUSE));
  assert.match(reported.of('gpu.missing').title, /the reboot of node-3$/);
  reported.take(made.observe(clear(30_100, 'gpu.missing', GPU_B)));
  reported.take(made.advance(T0 + 30_100_000 + 2 * HOLD + LATENESS));
  assert.ok(reported.of('gpu.missing').ended);
});

test('a source that still sees the device gone is believed more than the reset that was to bring it back', () => {
  const gone = onset(0, 'gpu.missing', GPU_A);
  const reset = event(300, 'gpu.reset', GPU_A);
  const still = play([gone, reset], 3600);
  assert.deepEqual(still.last.filter(({ severity }) => severity !== 'info').map(({ root, ended }) => [root.kind, ended]), [['gpu.missing', false]]); // biome-ignore format: one line
  // Of a line of the kernel's, which nothing ever takes back, the reset is the end.
  const line = event(0, 'gpu.lost', GPU_A, { trust: 'kernel', source: 'kernel-log' });
  assert.ok(play([line, reset], 3600).of('gpu.lost').ended);
  // A reboot starts every source again: it reports for itself what it sees.
  assert.ok(play([gone, event(300, 'host.rebooted', 'host/node-3', system)], 3600).of('gpu.missing').ended);
});

test('a link that flapped during declared work is over when it stays up; one that flaps on is reported', () => {
  const nic: Given = { trust: 'kernel', source: 'nic' };
  const start = onset(0, 'host.maintenance', 'host/node-3', system);
  const end = clear(480, 'host.maintenance', 'host/node-3', system);
  const flaps = onset(300, 'nic.link_flap', PORT, nic);
  assert.deepEqual(roots(play([start, flaps, end, clear(905, 'nic.link_flap', PORT, nic)], 3600)), []);
  assert.deepEqual(roots(play([start, flaps, end], 3600)), [`nic.link_flap ${PORT}`]);
  assert.deepEqual(roots(play([start, flaps], 7200)), [], 'the work is not over');
});

test('a power limit that the work set is its own, until it is back on the other GPUs', () => {
  const start = onset(0, 'host.maintenance', 'host/node-3', system);
  const end = clear(800, 'host.maintenance', 'host/node-3', system);
  const limits = [GPU_A, GPU_B].map((gpu) => onset(20, 'gpu.power_limit_changed', gpu, { trust: 'driver' }));
  const left = onset(760, 'gpu.power_limit_changed', GPU_B, { trust: 'driver', attributes: { left_behind: true } });
  assert.deepEqual(roots(play([start, ...limits, end], 3600)), [], 'set on purpose');
  const back = clear(700, 'gpu.power_limit_changed', GPU_A, { trust: 'driver' });
  const lasting = play([start, ...limits, back, left, end], 3600);
  assert.deepEqual(roots(lasting), [`gpu.power_limit_changed ${GPU_B}`]);
});
