// What the daemon set on its node is taken back: verified, where asked, only its own, also by a later run.

import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Incident } from '../../../src/model/incident.ts';
import type { Verdict } from '../../../src/model/note.ts';
import type { Stage } from '../../../src/model/stage.ts';
import { mayBeTakenBack } from '../../../src/sinks/acting/decide/over.ts';
import { T0, verdict } from '../../incidents/sample.ts';
import { FakeApiServer } from './fake-api-server.ts';
import { type Acting, actingWith, HOST, lost } from './harness.ts';

const MINUTE = 60_000;
const TAKE_BACK = { on: true, verifiedMs: 30 * MINUTE };
const TAINT = [{ action: 'taint', kinds: ['gpu.lost'], hosts: ['node-*'] }] as const;
const CONDITION = [{ action: 'condition', kinds: ['gpu.*'], hosts: ['*'] }] as const;

const stage = (more: Partial<Stage>): Stage => ({ id: 'x', name: 'remediated', action: 'reboot', component: HOST, by: null, source: 'system', beganMs: T0 + 2 * MINUTE, endedMs: T0 + 3 * MINUTE, waitMs: 0, outcome: 'succeeded', reason: null, error: null, ...more }); // biome-ignore format: one line
const REMEDY = stage({});
const VERIFIED = stage({
  id: 'v',
  name: 'verified',
  action: 'verify',
  source: 'correlation',
  endedMs: T0 + 4 * MINUTE,
});

const over = (stages: readonly Stage[] = [REMEDY, VERIFIED], more: Partial<Incident> = {}): Incident =>
  lost({ state: 'resolved', resolvedMs: T0 + 4 * MINUTE, updatedMs: T0 + 4 * MINUTE, stages, ...more });

const kubernetes = ({ url }: FakeApiServer) => ({ taint: 'faultline.dev/fault', effect: 'NoSchedule', condition: 'FaultlineFault', url, caFile: null, tokenFile: null, node: 'node-3' }) as const; // biome-ignore format: one line

async function cluster(t: TestContext) {
  const fake = await FakeApiServer.start(t, ['node-1', 'node-2', 'node-3', 'node-4']);
  const node = fake.node('node-3');
  const taints = () => node.spec.taints.map(({ key, value }) => `${key}=${value}`);
  return { fake, node, taints, settings: { kubernetes: kubernetes(fake), rules: TAINT, takeBack: TAKE_BACK } };
}

/** The next run, on the record that the one before left. */
function again(t: TestContext, { folder }: Acting, options: Parameters<typeof actingWith>[1], known: readonly Incident[]): Acting {
  const next = actingWith(t, options, { known });
  copyFileSync(join(folder, 'acting.jsonl'), join(next.folder, 'acting.jsonl'));
  return next;
} // biome-ignore format: signature

test('a taint is taken back when its fault has been gone for the time after its remedy: recorded, and a stage', async (t) => {
  const { node, taints, settings } = await cluster(t);
  const { sink, pass, audit, reports } = actingWith(t, settings);
  sink.incident(lost());
  await pass(70_000);
  assert.deepEqual(taints(), ['faultline.dev/fault=gpu.lost']);
  sink.incident(over());
  await pass(29 * MINUTE);
  assert.equal(taints().length, 1, 'not yet');
  node.spec.taints.push({ key: 'other', value: 'x', effect: 'NoSchedule' });
  await pass(5 * MINUTE);
  assert.deepEqual([taints(), node.metadata.labels], [['other=x'], {}]);
  assert.deepEqual(audit().slice(2), ['intended verified', 'done verified']);
  const last = reports.at(-1);
  assert.deepEqual([last?.name, last?.action, last?.outcome, last?.by], ['returned', 'untaint', 'succeeded', 'faultline']);
  assert.match(last?.reason ?? '', /^verified: gone after the remedy, for 3\d min$/);
  await pass(60 * MINUTE);
  assert.equal(audit().length, 4, 'once');
}); // biome-ignore format: one line each

test('one that another put in its place, or that an operator took away, is left alone', async (t) => {
  for (const value of ['maintenance', null]) {
    const { node, taints, settings } = await cluster(t);
    const { sink, pass, audit } = actingWith(t, settings);
    sink.incident(lost());
    await pass(70_000);
    node.spec.taints = value === null ? [] : [{ key: 'faultline.dev/fault', value, effect: 'NoSchedule' }];
    sink.incident(over());
    await pass(40 * MINUTE);
    assert.deepEqual(taints(), value === null ? [] : ['faultline.dev/fault=maintenance']);
    assert.equal(audit().at(-1), value === null ? 'done verified' : 'refused not_ours');
    const asked = audit().length;
    await pass(200 * MINUTE);
    assert.equal(audit().length, asked, 'once');
  }
});

test('without the key it stays, whatever is verified', async (t) => {
  const { taints, settings } = await cluster(t);
  const { sink, pass } = actingWith(t, { ...settings, takeBack: { on: false, verifiedMs: 0 } });
  sink.incident(lost());
  await pass(70_000);
  sink.incident(over());
  await pass(9000 * MINUTE);
  assert.equal(taints().length, 1);
});

test('the next run takes back what this one set, also where it was killed between intention and answer', async (t) => {
  for (const cut of [false, true]) {
    const { taints, settings } = await cluster(t);
    const first = actingWith(t, settings);
    first.sink.incident(lost());
    await first.pass(70_000);
    await first.sink.stop();
    const path = join(first.folder, 'acting.jsonl');
    if (cut) writeFileSync(path, readFileSync(path, 'utf8').split('\n').slice(0, 1).join('\n').concat('\n{"schema":"fau'));
    const next = again(t, first, settings, [over()]);
    await next.pass(40 * MINUTE);
    assert.deepEqual(taints(), []);
    await next.sink.stop();
    const third = again(t, next, settings, [over()]);
    await third.pass(40 * MINUTE);
    if (!cut) assert.deepEqual(third.audit(), next.audit(), 'nothing is left to take back');
  }
}); // biome-ignore format: one line each

test('the end of a condition that failed is tried again by the next run, and set again where the fault comes back', async (t) => {
  const { fake, node, settings } = await cluster(t);
  const options = { ...settings, rules: CONDITION, takeBack: { on: false, verifiedMs: 0 } };
  const state = () => node.status.conditions.map(({ status }) => status);
  const first = actingWith(t, options);
  first.sink.incident(lost());
  await first.pass(70_000);
  fake.forbids = true;
  first.sink.incident(over([]));
  await first.pass(5_000);
  assert.deepEqual([state(), first.audit().at(-1)], [['True'], 'failed over']);
  await first.sink.stop();
  fake.forbids = false;
  const next = again(t, first, options, [over([])]);
  await next.pass(5_000);
  assert.deepEqual([state(), next.audit().at(-1)], [['False'], 'done over']);
  next.sink.incident(lost({ reopened: 1, reopenedMs: T0 + 100_000, revision: 9 }));
  await next.pass(70_000);
  await next.pass(70_000);
  assert.deepEqual(state(), ['True']);
});

const said = (word: Verdict['verdict']): Verdict => verdict('7f3c41d2a0b1', T0, { verdict: word });
const other = (more: Partial<Incident>): Incident => lost({ id: 'bbbbbbbbbbbb', ...more });
const NOW = T0 + 60 * MINUTE;
const cases: readonly [string, Incident | null, readonly Incident[], Verdict | null, string | null][] = [
  ['verified for long enough', over(), [], null, 'verified'],
  ['open', lost({ stages: [REMEDY, VERIFIED] }), [], null, null],
  ['gone, and no remedy was seen', over([VERIFIED]), [], null, null],
  ['the remedy did not help', over([REMEDY, { ...VERIFIED, outcome: 'failed' }]), [], null, null],
  ['the last remedy is not verified yet', over([REMEDY, VERIFIED, { ...VERIFIED, outcome: 'in_progress', endedMs: null }]), [], null, null],
  ['verified a moment ago', over([REMEDY, { ...VERIFIED, endedMs: NOW - 1000 }]), [], null, null],
  ['taken up by another', over(undefined, { mergedInto: 'aaaaaaaaaaaa' }), [], null, null],
  ['called wrong while it is open', lost(), [], said('wrong'), 'called_wrong'],
  ['called right: that ends nothing', lost(), [], said('right'), null],
  ['another fault asks for the same', over(), [other({})], null, null],
  ['also where it was called wrong', lost(), [other({})], said('wrong'), null],
  ['another fault is over', over(), [other({ state: 'resolved' })], null, 'verified'],
  ['another fault has no rule', over(), [other({ root: { ...lost().root, kind: 'gpu.thermal_throttle' } })], null, 'verified'],
  ['nothing knows it any more', null, [], null, null],
]; // biome-ignore format: a table

for (const [what, incident, others, spoken, expected] of cases)
  test(`a taint, ${what}: ${expected ?? 'it stays'}`, () => {
    const config = { rules: TAINT, takeBack: TAKE_BACK };
    const known = { incident, others, verdict: spoken, nowMs: NOW };
    assert.equal(mayBeTakenBack('taint', known, config)?.type ?? null, expected);
    assert.equal(mayBeTakenBack('gpu_reset', known, config), null);
    assert.equal(mayBeTakenBack('taint', known, { ...config, takeBack: { on: false, verifiedMs: 0 } }), null);
  });

test('incidents of others, however many, drive out no fault of the node: its condition stays', async (t) => {
  const { node, settings } = await cluster(t);
  const { sink, pass } = actingWith(t, { ...settings, rules: CONDITION });
  sink.incident(lost());
  await pass(70_000);
  const states = () => node.status.conditions.map(({ status }) => status);
  assert.deepEqual(states(), ['True']);
  for (const state of ['resolved', 'open'] as const) {
    for (let i = 0; i < 1100; i += 1) sink.incident({ ...ofJob(), id: `${state} ${i}`, state });
    await pass(70_000);
    assert.deepEqual(states(), ['True'], state);
  }
  sink.incident(over());
  await pass(70_000);
  assert.deepEqual(states(), ['False']);
});

function ofJob(): Incident {
  const root = { eventId: 'e-job', kind: 'job.rank_crashed', component: { type: 'job', id: 'a' } } as const;
  return lost({ root, chain: [], events: [], severity: 'error' });
}
