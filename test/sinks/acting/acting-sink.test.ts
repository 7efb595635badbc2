// Acting: what a rule allows is done once, recorded first, and nothing is done where anything speaks against it.

import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeNote } from '../../../src/model/documents/note.ts';
import type { Incident } from '../../../src/model/incident.ts';
import type { Silence } from '../../../src/model/note.ts';
import type { Stage } from '../../../src/model/stage.ts';
import { T0 } from '../../incidents/sample.ts';
import { FakeApiServer } from './fake-api-server.ts';
import { actingWith, GPU, HOST, lost, temporary, UUID } from './harness.ts';

const ALL = ['node-1', 'node-2', 'node-3', 'node-4'];
const kubernetes = (fake: FakeApiServer) => ({ taint: 'faultline.dev/fault', effect: 'NoSchedule', condition: 'FaultlineFault', url: fake.url, caFile: null, tokenFile: null, node: 'node-3' }) as const; // biome-ignore format: one line

test('a taint once the root has been the same for a minute: recorded before it is set, then a stage', async (t) => {
  const fake = await FakeApiServer.start(t, ALL);
  const { sink, reports, audit, pass } = actingWith(t, { kubernetes: kubernetes(fake) });
  let before: string[] = [];
  fake.onPatch = () => {
    before = audit();
  };
  sink.incident(lost());
  await pass(30_000);
  assert.deepEqual(fake.asked, [], 'not settled');
  await pass(40_000);
  assert.deepEqual(before, ['intended']);
  assert.deepEqual(fake.node('node-3').spec.taints, [{ key: 'faultline.dev/fault', value: 'gpu.lost', effect: 'NoSchedule' }]); // biome-ignore format: one line
  assert.deepEqual([audit(), reports.map(({ name, action, outcome, by }) => `${name} ${action} ${outcome} ${by}`)], [['intended', 'done'], ['quarantined taint succeeded faultline']]); // biome-ignore format: one line
  const asked = fake.asked.length;
  sink.incident(lost({ revision: 9, confidence: 0.98 }));
  await pass(600_000);
  assert.equal(fake.asked.length, asked, 'once');
});

const WHY_NOT: readonly (readonly [string, Partial<Incident>])[] = [
  ['unconfirmed', { unconfirmed: 'the kernel log' }],
  ['trust', { events: lost().events.map((event) => ({ ...event, trust: 'tenant' as const })) }],
  ['trust', { events: [] }],
  ['confidence', { confidence: 0.84 }],
  ['root_unknown', { rootKnown: false }],
  ['severity', { severity: 'warning' }],
  ['made_up', { made: 'injected' }],
  ['made_up', { made: 'simulated' }],
  ['elsewhere', { root: { eventId: 'e-lost', kind: 'gpu.lost', component: { type: 'gpu', id: '0000:1d:00.0', host: 'node-4' } } }],
  ['advice', { action: { kind: 'check_config', target: null, why: '' } }],
  ['merged', { mergedInto: 'aaaaaaaaaaaa' }],
  ['log', { log: 'unavailable' }],
]; // biome-ignore format: one line each

for (const [type, more] of WHY_NOT) {
  test(`nothing is done: ${type} ${Object.keys(more)}; the stage says why, once`, async (t) => {
    const fake = await FakeApiServer.start(t, ALL);
    const { sink, reports, audit, pass } = actingWith(t, { kubernetes: kubernetes(fake) });
    sink.incident(lost(more));
    await pass(70_000);
    await pass(70_000);
    assert.deepEqual([fake.asked, audit()], [[], [`refused ${type}`]]);
    assert.equal(reports.length, 1);
    assert.match(`${reports[0]?.outcome} ${reports[0]?.reason}`, new RegExp(`^skipped ${type}: `));
  });
}

test('no rule for the kind or the host, or an incident that is over: nothing, not even a record', async (t) => {
  const fake = await FakeApiServer.start(t, ALL);
  const rules = [{ action: 'taint', kinds: ['nic.*'], hosts: ['*'] }, { action: 'taint', kinds: ['gpu.lost'], hosts: ['gpu-*'] }] as const; // biome-ignore format: one line
  const { sink, audit, pass } = actingWith(t, { kubernetes: kubernetes(fake), rules });
  sink.incident(lost());
  await pass(70_000);
  assert.deepEqual([fake.asked, audit()], [[], []]);
});

test('breaker: nodes that others took out count; it closes when they are back', async (t) => {
  const fake = await FakeApiServer.start(t, ALL);
  fake.node('node-1').spec.unschedulable = true;
  const { sink, reports, audit, pass } = actingWith(t, { kubernetes: kubernetes(fake) });
  sink.incident(lost());
  await pass(70_000);
  assert.match(reports[0]?.reason ?? '', /^breaker: 1 of 4 nodes are out of service, and with this one no more than 1 may be/);
  assert.deepEqual([fake.node('node-3').spec.taints, audit()], [[], ['refused breaker']]);
  fake.node('node-1').spec.unschedulable = false;
  await pass(70_000);
  assert.deepEqual(audit(), ['refused breaker', 'intended', 'done']);
}); // biome-ignore format: one line each

for (const status of ['False', 'Unknown'])
  test(`breaker: a node that is out by itself counts, on whatever page it is: Ready is ${status}`, async (t) => {
    const fake = await FakeApiServer.start(t, ALL);
    const { conditions } = fake.node('node-4').status;
    conditions.push({ type: 'Ready', status, reason: 'x', message: '' });
    const { sink, audit, pass } = actingWith(t, { kubernetes: kubernetes(fake) });
    sink.incident(lost());
    await pass(70_000);
    assert.deepEqual(audit(), ['refused breaker']);
    conditions.pop();
    await pass(70_000);
    assert.deepEqual(audit(), ['refused breaker', 'intended', 'done']);
  });

test('breaker: a share of a small cluster may be none', async (t) => {
  const fake = await FakeApiServer.start(t, ALL);
  const breaker = { maxNodes: 10, maxShare: 0.2, storm: 4, stormMs: 600_000, actionsADay: 4 };
  const { sink, audit, pass } = actingWith(t, { kubernetes: kubernetes(fake), breaker });
  sink.incident(lost());
  await pass(70_000);
  assert.deepEqual(audit(), ['refused breaker']);
});

test('breaker: two nodes in the same moment: each takes its own back rather than both staying out', async (t) => {
  const fake = await FakeApiServer.start(t, ALL);
  const { sink, reports, audit, pass } = actingWith(t, { kubernetes: kubernetes(fake) });
  fake.onPatch = () => {
    fake.node('node-4').metadata.labels['faultline.dev/fault'] = 'gpu.lost';
  };
  sink.incident(lost());
  await pass(70_000);
  assert.deepEqual([fake.node('node-3').spec.taints, fake.node('node-3').metadata.labels], [[], {}]);
  assert.deepEqual([audit(), reports.at(-1)?.outcome], [['intended', 'undone breaker'], 'cancelled']);
});

test('in a storm nothing is done', async (t) => {
  const fake = await FakeApiServer.start(t, ALL);
  const { sink, audit, pass } = actingWith(t, { kubernetes: kubernetes(fake) });
  for (const id of ['a', 'b', 'c']) sink.incident(lost({ id, root: { ...lost().root, kind: 'nic.lost' } }));
  sink.incident(lost());
  await pass(70_000);
  assert.deepEqual([fake.asked, audit()], [[], ['refused storm']]);
});

test('the stop file stops it between two looks, whatever lies there; away again, it is done', async (t) => {
  const fake = await FakeApiServer.start(t, ALL);
  const { sink, folder, audit, pass } = actingWith(t, { kubernetes: kubernetes(fake) });
  mkdirSync(join(folder, 'acting.stop'));
  sink.incident(lost());
  await pass(70_000);
  assert.deepEqual([fake.asked, audit()], [[], ['refused stopped']]);
  assert.match(sink.health().detail, /stopped by .*acting\.stop: faultline acting allow/);
  rmSync(join(folder, 'acting.stop'), { recursive: true });
  await pass(70_000);
  assert.deepEqual(audit().slice(1), ['intended', 'done']);
});

test('a stop that comes while the cluster is counted still counts', async (t) => {
  const fake = await FakeApiServer.start(t, ALL);
  const { sink, folder, audit, pass } = actingWith(t, { kubernetes: kubernetes(fake) }, {});
  const list = fake.asked;
  const push = list.push.bind(list);
  list.push = (...asked) => {
    if (asked[0]?.includes('includeObject=None') === true) writeFileSync(join(folder, 'acting.stop'), '');
    return push(...asked);
  };
  sink.incident(lost());
  await pass(70_000);
  assert.deepEqual([audit(), fake.node('node-3').spec.taints], [['refused stopped'], []]);
});

test('silenced, or called wrong: not now, or not at all', async (t) => {
  const fake = await FakeApiServer.start(t, ALL);
  const silence = makeNote({ kind: 'silence', state: 'start', host: 'node-3', atMs: T0, by: 'anna', note: null, matchers: [], fromMs: null, untilMs: null, silenceId: null }) as Silence; // biome-ignore format: one line
  const { sink, audit, pass } = actingWith(t, { kubernetes: kubernetes(fake) }, { silenced: () => silence });
  sink.incident(lost());
  await pass(70_000);
  assert.deepEqual([fake.asked, audit()], [[], ['refused silenced']]);
});

test('taints of others stay, also where another writes the node in between', async (t) => {
  const fake = await FakeApiServer.start(t, ALL);
  const other = { key: 'nvidia.com/gpu', value: 'present', effect: 'NoSchedule' };
  fake.node('node-3').spec.taints.push(other);
  fake.conflicts = 3;
  const { sink, audit, pass } = actingWith(t, { kubernetes: kubernetes(fake) });
  sink.incident(lost());
  await pass(70_000);
  assert.deepEqual(fake.node('node-3').spec.taints, [other, { key: 'faultline.dev/fault', value: 'gpu.lost', effect: 'NoSchedule' }]); // biome-ignore format: one line
  assert.deepEqual(audit(), ['intended', 'done']);
});

test('dry run: the API server is asked whether it would take it, and nothing changes', async (t) => {
  const fake = await FakeApiServer.start(t, ALL);
  const { sink, reports, audit, pass } = actingWith(t, { kubernetes: kubernetes(fake), dryRun: true });
  sink.incident(lost());
  await pass(70_000);
  assert.match(fake.asked.at(-1) ?? '', /^PATCH .*fieldManager=faultline&dryRun=All$/);
  assert.deepEqual([fake.node('node-3').spec.taints, audit()], [[], ['dry_run']]);
  assert.match(
    reports[0]?.reason ?? '',
    /^dry run, would be done: taint node node-3 faultline\.dev\/fault=gpu\.lost:NoSchedule/,
  );
});

test('refused by the server: tried three times with pauses, then left; the stage has the error', async (t) => {
  const fake = await FakeApiServer.start(t, ALL);
  fake.forbids = true;
  const { sink, reports, audit, pass } = actingWith(t, { kubernetes: kubernetes(fake), breaker: { maxNodes: 1, maxShare: 1, storm: 4, stormMs: 600_000, actionsADay: 9 } });
  sink.incident(lost());
  for (let i = 0; i < 8; i += 1) await pass(600_000);
  assert.equal(audit().filter((step) => step === 'failed forbidden').length, 3);
  assert.deepEqual([reports.at(-1)?.outcome, reports.at(-1)?.error?.type], ['failed', 'forbidden']);
  assert.equal(sink.health().status, 'failing');
}); // biome-ignore format: one line each

test('what cannot be recorded is not done', async (t) => {
  const fake = await FakeApiServer.start(t, ALL);
  const { sink, folder, pass } = actingWith(t, { kubernetes: kubernetes(fake) });
  mkdirSync(join(folder, 'acting.jsonl'));
  sink.incident(lost());
  await pass(70_000);
  assert.deepEqual(fake.node('node-3').spec.taints, []);
  assert.match(sink.health().detail, /FL3231/);
});

test('a condition says what is, and ends with the fault', async (t) => {
  const fake = await FakeApiServer.start(t, ALL);
  const rules = [{ action: 'condition', kinds: ['gpu.*'], hosts: ['*'] }] as const;
  const { sink, pass } = actingWith(t, { kubernetes: kubernetes(fake), rules });
  sink.incident(lost());
  await pass(70_000);
  const [set] = fake.node('node-3').status.conditions;
  assert.deepEqual([set?.type, set?.status, set?.reason], ['FaultlineFault', 'True', 'GpuLost']);
  sink.incident(lost({ state: 'resolved', resolvedMs: T0 + 100_000 }));
  await pass(5_000);
  await pass(5_000);
  assert.deepEqual(fake.node('node-3').status.conditions.map(({ status }) => status), ['False']); // biome-ignore format: one line
});

test('the end of a condition that fails is tried again, after a pause, until it works', async (t) => {
  const fake = await FakeApiServer.start(t, ALL);
  const rules = [{ action: 'condition', kinds: ['gpu.*'], hosts: ['*'] }] as const;
  const { sink, audit, pass } = actingWith(t, { kubernetes: kubernetes(fake), rules });
  const state = () => fake.node('node-3').status.conditions.map(({ status }) => status);
  sink.incident(lost());
  await pass(70_000);
  fake.forbids = true;
  sink.incident(lost({ state: 'resolved', resolvedMs: T0 + 100_000 }));
  await pass(5_000);
  await pass(5_000);
  assert.deepEqual([state(), audit().slice(2)], [['True'], ['intended over', 'failed over']], 'once, then a pause');
  assert.equal(sink.health().status, 'failing');
  await pass(120_000);
  assert.equal(audit().filter((step) => step === 'failed over').length, 2);
  fake.forbids = false;
  await pass(10_000_000);
  assert.deepEqual([state(), audit().at(-1)], [['False'], 'done over']);
  const asked = fake.asked.length;
  await pass(10_000_000);
  assert.equal(fake.asked.length, asked, 'once');
});

/** One line of the record, as an earlier run left it. */
const acted = (agoMs: number, step = 'intended', type: string | null = null): string => JSON.stringify({ schema: 'faultline/act/1', time: new Date(T0 - agoMs).toISOString(), host: 'node-3', action: 'taint', step, type, why: 'a "step":"intended","type":null', words: 'x' }); // biome-ignore format: one line

test('what an earlier run did within a day counts towards the limit a day, also behind a line that was cut off', async (t) => {
  const HOUR = 3_600_000;
  const fake = await FakeApiServer.start(t, ALL);
  const { sink, folder, pass } = actingWith(t, { kubernetes: kubernetes(fake) });
  const last = () => JSON.parse(readFileSync(join(folder, 'acting.jsonl'), 'utf8').trimEnd().split('\n').at(-1) ?? '') as { step: string; type: string | null }; // biome-ignore format: one chain
  writeFileSync(join(folder, 'acting.jsonl.1'), `${acted(30 * HOUR)}\n${acted(20 * HOUR)}\n`);
  const cut = `${acted(3 * HOUR).slice(0, 60)}${acted(2 * HOUR)}`;
  const others = [acted(4 * HOUR, 'done'), acted(4 * HOUR, 'refused', 'storm'), acted(4 * HOUR, 'intended', 'over')];
  writeFileSync(join(folder, 'acting.jsonl'), `${[...others, acted(5 * HOUR), cut, acted(HOUR)].join('\n')}\n`);
  sink.incident(lost());
  await pass(70_000);
  assert.deepEqual([fake.node('node-3').spec.taints, last().type], [[], 'limit_a_day']);
  await pass(5 * HOUR);
  assert.equal(last().step, 'done', 'the first of the four is a day old');
});

for (const [what, spoil] of [
  ['not a file', (path: string) => void mkdirSync(path)],
  ['a link', (path: string) => symlinkSync('/nowhere', path)],
  ['a time that is none', (path: string) => writeFileSync(path, `${acted(0).replace(/"time":"[^"]+"/, '"time":"soon"')}\n`)],
] as const)
  test(`where the record cannot be read nothing is done, and it is said: ${what}`, async (t) => {
    const fake = await FakeApiServer.start(t, ALL);
    const { sink, folder, pass } = actingWith(t, { kubernetes: kubernetes(fake) });
    spoil(join(folder, 'acting.jsonl'));
    sink.incident(lost());
    await pass(70_000);
    assert.deepEqual(fake.asked, []);
    assert.match(`${sink.health().status} ${sink.health().detail}`, /^failing FL3231 nothing is done: how much was done today cannot be read/);
    rmSync(join(folder, 'acting.jsonl'), { recursive: true });
    await pass(70_000);
    assert.deepEqual([fake.node('node-3').spec.taints.length, sink.health().status], [1, 'works']);
  }); // biome-ignore format: one line each

const stage = (more: Partial<Stage>): Stage => ({ id: 'x', name: 'quarantined', action: 'drain', component: HOST, by: 'anna', source: 'slurm', beganMs: T0 + 10, endedMs: T0 + 10, waitMs: 0, outcome: 'succeeded', reason: null, error: null, ...more }); // biome-ignore format: one line

/** A program of the system that keeps its arguments. */
function program(folder: string, name: string, lines: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${lines}\n`);
  chmodSync(path, 0o755);
  return path;
}

test('a GPU is reset only on an empty node, by its UUID, after our own handles are closed', async (t) => {
  const rules = [{ action: 'gpu_reset', kinds: ['gpu.lost'], hosts: ['*'] }] as const;
  const released: number[] = [];
  const folder = temporary(t);
  const path = program(folder, 'nvidia-smi', `echo "$@" > ${folder}/args`);
  const { sink, audit, pass } = actingWith(t, { rules, resetProgram: path }, { releaseDevices: (ms) => released.push(ms) < 0 }); // biome-ignore format: one line
  sink.incident(lost());
  await pass(70_000);
  assert.deepEqual(audit(), ['refused not_empty']);
  const stages = [stage({}), stage({ id: 'd', name: 'drained', beganMs: T0 + 10, endedMs: T0 + 500 })];
  sink.incident(lost({ stages: [...stages, stage({ id: 'r', name: 'returned', beganMs: T0 + 600 })] }));
  await pass(70_000);
  assert.deepEqual(audit(), ['refused not_empty'], 'it is back in service');
  sink.incident(lost({ stages }));
  await pass(70_000);
  assert.deepEqual([audit().slice(1), released], [['intended', 'done'], [180_000]]);
  assert.equal(readFileSync(join(folder, 'args'), 'utf8'), `--gpu-reset -i ${UUID}\n`);
});

test('a program that others may change is not run', async (t) => {
  const rules = [{ action: 'gpu_reset', kinds: ['gpu.lost'], hosts: ['*'] }] as const;
  const folder = temporary(t);
  const path = program(folder, 'nvidia-smi', `echo ran > ${folder}/ran`);
  chmodSync(path, 0o777);
  const { sink, reports, pass } = actingWith(t, { rules, resetProgram: path });
  sink.incident(lost({ stages: [stage({}), stage({ id: 'd', name: 'drained', endedMs: T0 + 500 })] }));
  await pass(70_000);
  assert.match(reports[0]?.error?.message ?? '', /nvidia-smi is not run: every user may write/);
  assert.throws(() => readFileSync(join(folder, 'ran')), { code: 'ENOENT' });
});

test('after a restart what was done is not done again', async (t) => {
  const fake = await FakeApiServer.start(t, ALL);
  const own = stage({ id: 'acting taint', action: 'taint', by: 'faultline', source: 'acting' });
  const { audit, pass } = actingWith(t, { kubernetes: kubernetes(fake) }, { known: [lost({ stages: [own] })] });
  await pass(70_000);
  assert.deepEqual([fake.asked, audit(), GPU.aliases], [[], [], [UUID]]);
});
