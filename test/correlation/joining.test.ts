// Joining: rules of a site and alerts of other systems join what this host finds; they move neither its root nor its confidence.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FaultEvent } from '../../src/model/event.ts';
import type { Kind } from '../../src/model/kind.ts';
import { correlator, event, FEED_LINKS, type Given, GPUS, link, lost, run } from './fixtures.ts';

const [GPU_A = '', GPU_B = ''] = GPUS;
const HOT: Kind = 'user.hot_aisle';
const lasting = { state: 'onset' } as const;

function alert(s: number, at: string, fingerprint: string, more: Given = {}): FaultEvent {
  const attributes = { fingerprint, alert: 'GpuErrors', status: 'firing' };
  return event(s, 'alert.firing', at, { ...lasting, trust: 'tenant', source: 'alerts-in', attributes, ...more });
}

test('a rule alone is an incident of its own, with its severity and its name', () => {
  const one = run(correlator(), [event(0, HOT, GPU_A, { ...lasting, severity: 'error' })]).only();
  assert.deepEqual([one.root.kind, one.severity, one.chain.length], [HOT, 'error', 1]);
  assert.match(one.title, /hot aisle on/);
});

test('two rules at one place are two things, and the end of one is not that of the other', () => {
  const other: Kind = 'user.other_rule';
  const { last } = run(correlator(), [
    event(0, HOT, GPU_A, lasting),
    event(1, other, GPU_A, lasting),
    event(2, HOT, GPU_A, { state: 'clear' }),
  ]);
  assert.deepEqual(last.map(({ root }) => root.kind).sort(), [HOT, other]);
});

test('alerts alone open nothing, however many and however grave they call themselves', () => {
  const many = Array.from({ length: 20 }, (_, i) => alert(i, GPU_A, `f${i}`));
  assert.deepEqual(run(correlator(), many).last, []);
});

for (const [name, first, second] of [
  ['before it', -30, 0],
  ['with it', 0, 0],
  ['minutes after it', 600, 0],
] as const) {
  test(`a rule and an alert ${name} join the fault of the same device and change nothing else of it`, () => {
    const alone = run(correlator(), [lost(second, GPU_A)]).only();
    const others = [event(first, HOT, GPU_A, { ...lasting, severity: 'warning' }), alert(first + 1, GPU_A, 'a')];
    const events = [...others, lost(second, GPU_A)].sort((a, b) => a.timeMs - b.timeMs);
    const one = run(correlator(), events).only();
    assert.deepEqual(
      [one.root.kind, one.severity, one.confidence, one.action.kind, one.action.why],
      [alone.root.kind, alone.severity, alone.confidence, alone.action.kind, alone.action.why],
    );
    assert.deepEqual(one.chain.map(({ kind }) => kind).sort(), ['alert.firing', ...alone.chain.map(({ kind }) => kind), HOT].sort());
  }); // biome-ignore format: a table
}

test('an alert of the host joins the fault of its GPU, one of the job joins what hit the job', () => {
  const onHost = run(correlator(), [lost(0, GPU_A), alert(30, 'host/node-3', 'h')]).only();
  assert.deepEqual(onHost.chain.map(({ kind }) => kind), ['gpu.lost', 'alert.firing']);
  const links = [link('gpu/0000:1b:00.0', 'rank/ddp/0', 'runs'), link('rank/ddp/0', 'job/ddp', 'runs')];
  const ofJob = run(correlator(links), [lost(0, GPU_A), alert(30, 'job/ddp', 'j')]).only();
  assert.ok(ofJob.chain.some(({ kind }) => kind === 'alert.firing'));
}); // biome-ignore format: one list

test('what is elsewhere, or hours later, joins nothing', () => {
  const elsewhere = run(correlator(), [lost(0, GPU_A), event(10, HOT, GPU_B, lasting)]).last;
  assert.equal(elsewhere.length, 2);
  const later = run(correlator(), [lost(0, GPU_A), event(7200, HOT, GPU_A, lasting)]).last;
  assert.equal(later.length, 2);
});

test('a rule about the feed does not cause what the feed brings about', () => {
  const { last } = run(correlator(FEED_LINKS), [
    event(0, HOT, 'psu/node-3/1', { ...lasting, severity: 'critical', trust: 'facility' }),
    lost(5, GPU_A),
  ]);
  const of = last.find(({ root }) => root.kind === 'gpu.lost');
  assert.ok(of !== undefined);
  assert.ok(last.every(({ root, chain }) => root.kind !== HOT || chain.length === 1));
});

test('the settled answer is the same in whatever order they arrive', () => {
  const events = [lost(0, GPU_A), alert(3, GPU_A, 'a'), event(5, HOT, GPU_A, lasting), alert(9, 'host/node-3', 'b')];
  const answers = new Set<string>();
  for (const order of [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2], [2, 0, 3, 1]]) {
    const one = run(correlator(), order.flatMap((at) => events[at] ?? [])).only();
    answers.add(JSON.stringify([one.root, one.confidence, one.chain.map(({ eventId }) => eventId).sort()]));
  } // biome-ignore format: a table
  assert.equal(answers.size, 1);
});
