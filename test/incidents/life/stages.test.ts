// Stages of an incident by what was done about it: who did what, what became of it, and what was not about it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IncidentBook } from '../../../src/incidents/lifecycle.ts';
import { incidentFromDocument, wholeIncidentToDocument } from '../../../src/model/documents/incident.ts';
import type { FaultEvent } from '../../../src/model/event.ts';
import type { Incident } from '../../../src/model/incident.ts';
import type { Stage } from '../../../src/model/stage.ts';
import { event, explanation, gpu, T0 } from '../sample.ts';

const HOST = { type: 'host', id: 'node-3' } as const;
const LOST = event('e-lost', 'gpu.lost', gpu(2), { interval: { earliestMs: T0 - 1000, latestMs: T0 } });
const ADVICE = { kind: 'drain_reset_gpu', target: gpu(2), why: 'it is lost' } as const;
const of = (more = {}) => explanation({ events: [LOST], action: ADVICE, ...more });
const drained = event('e-drain', 'host.drained', HOST, { timeMs: T0 + 10_000, state: 'point', source: 'slurm', attributes: { reason: 'xid 79', set_by: 'anna' } }); // biome-ignore format: one line
const emptied = event('e-empty', 'host.emptied', HOST, { timeMs: T0 + 100_000, state: 'point', source: 'slurm' });
const reset = event('e-reset', 'gpu.reset', gpu(2), { timeMs: T0 + 130_000, state: 'point' });
const resumed = event('e-resume', 'host.resumed', HOST, { timeMs: T0 + 300_000, state: 'point', source: 'slurm' });

const short = (stages: readonly Stage[] = []): string[] =>
  stages.map(({ name, action, outcome, waitMs, beganMs, endedMs }) => `${name} ${action} ${outcome} +${waitMs / 1000} ${endedMs === null ? '…' : (endedMs - beganMs) / 1000}`); // biome-ignore format: one line

function lived(book: IncidentBook, events: readonly FaultEvent[]): Incident | undefined {
  return events.flatMap((each) => book.lived(each)).at(-1);
}

test('drained, emptied, reset, gone, back in service: each with wait, duration and who', () => {
  const book = new IncidentBook('node-3', []);
  const opened = book.apply(of());
  assert.equal(opened?.stages, undefined, 'nothing was done yet');
  const last = lived(book, [drained, emptied, reset]);
  assert.deepEqual(short(last?.stages).at(-1), 'verified verify in_progress +0 …');
  book.apply(of({ ended: true, asOfMs: T0 + 200_000 }));
  const whole = lived(book, [resumed]);
  assert.deepEqual(short(whole?.stages), [
    'detected detect succeeded +0 1.001',
    'quarantined drain succeeded +9.999 0',
    'drained drain succeeded +0 90',
    'remediated gpu_reset succeeded +30 0',
    'verified verify succeeded +0 70',
    'returned resume succeeded +100 0',
  ]);
  assert.deepEqual([whole?.state, whole?.stages?.[1]?.by, whole?.stages?.[1]?.reason], ['resolved', 'anna', 'xid 79']);
});

test('what arrives in another order comes to the same stages', () => {
  const all = [drained, emptied, reset, resumed];
  const ordered = new IncidentBook('node-3', []);
  ordered.apply(of());
  const expected = short(lived(ordered, all)?.stages);
  const late = new IncidentBook('node-3', []);
  for (const each of [...all].reverse()) assert.deepEqual(late.lived(each), []);
  assert.deepEqual(short(late.apply(of({ asOfMs: T0 + 300_000 }))?.stages), expected);
});

test('a fault that comes back after the reset, or is still there after 15 minutes, fails the verification', () => {
  const book = new IncidentBook('node-3', []);
  book.apply(of());
  lived(book, [reset]);
  const again = event('e-again', 'gpu.lost', gpu(2), { timeMs: T0 + 150_000 });
  const back = book.apply(of({ events: [LOST, again], asOfMs: T0 + 151_000 }));
  const failed = back?.stages?.at(-1);
  assert.deepEqual([failed?.outcome, failed?.error?.type, failed?.endedMs], ['failed', 'came_back', T0 + 150_000]);
  const stays = new IncidentBook('node-3', []);
  stays.apply(of());
  lived(stays, [reset]);
  assert.equal(stays.waiting, true);
  assert.deepEqual(stays.livedOn(T0 + 900_000), []);
  const [after] = stays.livedOn(T0 + 130_000 + 900_000);
  assert.equal(after?.stages?.at(-1)?.error?.type, 'still_there');
  assert.equal(stays.waiting, false);
});

test('a second remedy calls the first verification off; the incident says which one it was', () => {
  const book = new IncidentBook('node-3', []);
  book.apply(of());
  const boot = event('e-boot', 'host.rebooted', HOST, { timeMs: T0 + 400_000, state: 'point' });
  lived(book, [reset, boot]);
  const done = book.apply(of({ ended: true, asOfMs: T0 + 500_000 }));
  assert.deepEqual(
    done?.stages?.map(({ name, outcome }) => `${name} ${outcome}`),
    ['detected succeeded', 'remediated succeeded', 'verified cancelled', 'remediated succeeded', 'verified succeeded'],
  );
});

test('what was done before the fault, elsewhere, to another device, or by a user is not about it', () => {
  const book = new IncidentBook('node-3', []);
  book.apply(of());
  const before = event('e-before', 'host.drained', HOST, { timeMs: T0 - 60_000, source: 'slurm', state: 'point' });
  const other = event('e-other', 'gpu.reset', gpu(3), { timeMs: T0 + 5_000, state: 'point' });
  const claimed = event('e-user', 'host.drained', HOST, { timeMs: T0 + 5_000, trust: 'tenant', state: 'point' });
  assert.deepEqual([before, other, claimed, emptied, resumed].flatMap((each) => book.lived(each)), []); // biome-ignore format: one line
  const users = new IncidentBook('node-3', []);
  users.apply(of({ action: { kind: 'debug_app', target: null, why: '' } }));
  assert.deepEqual(users.lived(drained), [], 'a drain is not about a fault of a program');
  const named = { ...drained, attributes: { reason: `see ${users.open()[0]?.id.slice(0, 6)}` } };
  assert.equal(users.lived(named).length, 1, 'but where its reason names the incident');
});

test('a node put back before it was empty: the drain was called off, with the reason', () => {
  const book = new IncidentBook('node-3', []);
  book.apply(of());
  const pod = (id: string) => event(id, 'pod.removed', { type: 'job', id: 'train/a' }, { timeMs: T0 + 20_000, state: 'point', source: 'kubernetes', attributes: { pod: id } }); // biome-ignore format: one line
  const cordon = event('e-cordon', 'host.drained', HOST, { timeMs: T0 + 10_000, source: 'kubernetes', attributes: { what: 'unschedulable', set_by: 'kubectl-cordon' } }); // biome-ignore format: one line
  const uncordon = { ...cordon, id: 'e-uncordon', state: 'clear' as const, timeMs: T0 + 60_000 };
  const last = lived(book, [cordon, pod('a'), pod('b'), uncordon]);
  assert.deepEqual(short(last?.stages).slice(1), [
    'quarantined cordon succeeded +9.999 0',
    'drained evict cancelled +0 50',
    'returned uncordon succeeded +0 0',
  ]);
  assert.match(last?.stages?.[2]?.reason ?? '', /before it was empty/);
});

test('what the daemon did itself is one stage, also where a source sees it, and what it did not do has its reason', () => {
  const book = new IncidentBook('node-3', []);
  const { id: incidentId = '' } = book.apply(of()) ?? {};
  const own = { incidentId, id: 'own 1', name: 'quarantined', action: 'taint', component: HOST, by: 'faultline', beganMs: T0 + 30_000, endedMs: T0 + 30_200, outcome: 'succeeded', reason: 'faultline.dev/fault', error: null } as const; // biome-ignore format: one line
  book.acted(own);
  const seen = event('e-taint', 'host.drained', HOST, { timeMs: T0 + 31_000, source: 'kubernetes', attributes: { what: 'faultline.dev/fault=gpu.lost:NoSchedule', set_by: 'faultline' } }); // biome-ignore format: one line
  assert.deepEqual(book.lived(seen), []);
  const [next] = book.acted({ ...own, id: 'own 2', name: 'remediated', action: 'gpu_reset', beganMs: T0 + 40_000, endedMs: T0 + 40_000, outcome: 'skipped', reason: 'breaker: 1 of 1 nodes are out' }); // biome-ignore format: one line
  assert.deepEqual(next?.stages?.map(({ name, outcome, source }) => `${name} ${outcome} ${source}`), ['detected succeeded gpu', 'quarantined succeeded acting', 'remediated skipped acting']); // biome-ignore format: one line
});

test('what the daemon takes back itself is one stage, also where a source sees it, of a resolved incident too', () => {
  const book = new IncidentBook('node-3', []);
  const { id: incidentId = '' } = book.apply(of()) ?? {};
  const own = { incidentId, id: 'acting taint', name: 'quarantined', action: 'taint', component: HOST, by: 'faultline', beganMs: T0 + 30_000, endedMs: T0 + 30_200, outcome: 'succeeded', reason: null, error: null } as const; // biome-ignore format: one line
  book.acted(own);
  lived(book, [reset]);
  book.apply(of({ ended: true, asOfMs: T0 + 200_000 }));
  const [back] = book.acted({ ...own, id: 'acting back taint', name: 'returned', action: 'untaint', beganMs: T0 + 2_000_000, endedMs: T0 + 2_000_100, reason: 'verified: gone after the remedy, for 30 min' }); // biome-ignore format: one line
  assert.deepEqual(short(back?.stages).slice(-2), ['verified verify succeeded +0 70', 'returned untaint succeeded +1800 0.1']);
  const seen = event('e-untaint', 'host.drained', HOST, { timeMs: T0 + 2_001_000, state: 'clear', source: 'kubernetes', attributes: { what: 'faultline.dev/fault=gpu.lost:NoSchedule' } }); // biome-ignore format: one line
  assert.deepEqual(book.lived(seen), [], 'it is shown already');
}); // biome-ignore format: one line each

test('what was done about one incident stays with it where the same is done about another', () => {
  const book = new IncidentBook('node-3', []);
  const other = event('e-other', 'gpu.lost', gpu(5), { timeMs: T0 + 5_000 });
  const ids = [of(), explanation({ events: [other], action: ADVICE })].map((each) => book.apply(each)?.id ?? '');
  const own = { id: 'acting condition', name: 'quarantined', action: 'condition', component: HOST, by: 'faultline', beganMs: T0 + 30_000, endedMs: T0 + 30_200, outcome: 'succeeded', reason: null, error: null } as const; // biome-ignore format: one line
  for (const incidentId of ids) book.acted({ ...own, incidentId });
  const [first] = lived(book, [drained])?.id === ids[0] ? [lived(book, [emptied])] : [book.apply(of({ asOfMs: T0 + 60_000, confidence: 0.5 }))];
  assert.ok(first?.stages?.some(({ id }) => id === 'acting condition'), `${short(first?.stages)}`);
}); // biome-ignore format: one line each

test('a restart continues with the same stages, and follows a node that is still out of service', () => {
  const book = new IncidentBook('node-3', []);
  book.apply(of());
  lived(book, [drained, emptied, reset]);
  const done = book.apply(of({ ended: true, asOfMs: T0 + 200_000 }));
  assert.ok(done);
  const read = incidentFromDocument(JSON.parse(JSON.stringify(wholeIncidentToDocument(done))));
  assert.ok(read);
  assert.deepEqual(read.stages, done.stages);
  const next = new IncidentBook('node-3', [], [read]);
  const seenAgain = { ...drained, id: 'e-drain-again', timeMs: T0 + 210_000 };
  assert.deepEqual(next.lived(seenAgain), [], 'the same drain, seen by a later look');
  const [back] = next.lived(resumed);
  assert.deepEqual(short(back?.stages), [...short(done.stages), 'returned resume succeeded +100 0']);
  assert.equal(back?.revision, done.revision + 1);
});

test('a reset that the driver began and did not end well is none that was done', () => {
  const book = new IncidentBook('node-3', []);
  const failed = event('e-failed', 'gpu.reset_failed', gpu(2), { interval: { earliestMs: T0 + 141_000, latestMs: T0 + 141_000 } }); // biome-ignore format: one line
  book.apply(of({ events: [LOST, failed] }));
  const stages = short(lived(book, [reset])?.stages);
  assert.deepEqual(stages, ['detected detect succeeded +0 1.001', 'remediated gpu_reset failed +129.999 11']);
});
