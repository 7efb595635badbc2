// Drains made and seen on a real Slurm: by others with their reason, by this daemon with its own, counted by the breaker, and as stages;
// a maintenance reservation as planned work. scripts/test-slurm runs it.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Identity } from '../../../../src/identity/identity.ts';
import { IncidentBook } from '../../../../src/incidents/lifecycle.ts';
import { makeEvent } from '../../../../src/model/make-event.ts';
import type { EventInput } from '../../../../src/model/record.ts';
import { SlurmDrain } from '../../../../src/sinks/acting/targets/slurm.ts';
import { SmallFiles } from '../../../../src/sources/files/small-files.ts';
import { usualPlaces } from '../../../../src/sources/slurm/find/installation.ts';
import { SlurmSource } from '../../../../src/sources/slurm/slurm-source.ts';
import { explanation } from '../../../incidents/sample.ts';
import { actingWith, lost } from '../../../sinks/acting/harness.ts';
import { until } from '../../../until.ts';
import { Cluster } from './cluster.ts';

const events: EventInput[] = [];
const place = mkdtempSync(join(tmpdir(), 'faultline-none-'));
let cluster: Cluster;
let source: SlurmSource;

before(async () => {
  cluster = await Cluster.start(process.env.FAULTLINE_SLURM ?? assert.fail('started by scripts/test-slurm'));
  const settings = { enabled: 'on', intervalMs: 500, spreadMs: 0, nodeIntervalMs: 1000, conf: cluster.conf, programs: cluster.programs, rest: null, jobFolder: null, jobMapping: null, plannedReasons: ['maintenance'] } as const; // biome-ignore format: one line
  const folders = { jobs: join(place, 'jobs'), mapping: join(place, 'map'), bootId: join(place, 'boot') };
  source = new SlurmSource(settings, { host: 'node-3', places: usualPlaces('/proc', '/sys'), folders, now: Date.now, steady: (ms) => ms, files: new SmallFiles(), identity: new Identity('node-3') }); // biome-ignore format: one line
  source.start({ samples() {}, text() {}, discovery() {}, failed: (error) => assert.fail(String(error)), event: (event) => void events.push(event) }, new AbortController().signal); // biome-ignore format: one line
  await until(() => source.health()[0]?.status === 'works', { seen: () => source.health() });
});

after(async () => {
  await source?.stop();
  await cluster?.stop();
  rmSync(place, { recursive: true, force: true });
});

const seen = () => events.map(({ kind, state }) => `${kind} ${state}`);
const update = (...words: string[]) => cluster.run('scontrol', 'update', 'NodeName=n1', ...words);
const next = (kind: string, from: number) => until(() => events.slice(from).find((event) => event.kind === kind), { seen, limitMs: 60_000 }); // biome-ignore format: one line
const settings = () => ({ programs: cluster.programs, conf: cluster.conf, node: 'n1' });

test('a drain of others, empty at once, and its end: stages with user and reason', async () => {
  const book = new IncidentBook('node-3', []);
  const { events: chain, action } = lost();
  book.apply(explanation({ events: chain, action }));
  const from = events.length;
  await until(() => source.health()[0]?.detail !== 'starting');
  update('State=DRAIN', 'Reason=xid 79 on gpu 2');
  await next('host.emptied', from);
  update('State=RESUME');
  await next('host.resumed', from);
  const stages =
    events
      .slice(from)
      .flatMap((input) => book.lived(makeEvent('node-3', input)))
      .at(-1)?.stages ?? [];
  assert.deepEqual(stages.slice(1).map(({ name, outcome, by, reason }) => `${name} ${outcome} ${by} ${reason}`), [
    'quarantined succeeded root xid 79 on gpu 2',
    'drained skipped root nothing ran there',
    'returned succeeded null null',
  ]); // biome-ignore format: one list
});

test('a job that runs on: drained is in progress until it ends', async () => {
  const job = cluster.submit('work', 'sleep 600');
  await until(() => cluster.run('squeue', '-h', '-j', String(job), '-o', '%T').includes('RUNNING'));
  const from = events.length;
  update('State=DRAIN', 'Reason=fans');
  await next('host.drained', from);
  assert.equal(seen().slice(from).includes('host.emptied point'), false);
  cluster.cancel(job);
  await next('host.emptied', from);
  update('State=RESUME');
  await next('host.resumed', from);
});

test('made by the sink: refused where the breaker counts the node of others, then drained with kind and incident, and seen', async (t) => {
  const rules = [{ action: 'slurm_drain', kinds: ['gpu.lost'], hosts: ['*'] }] as const;
  const none = { maxNodes: 1, maxShare: 0.5, storm: 4, stormMs: 600_000, actionsADay: 4 };
  const first = actingWith(t, { rules, slurm: settings(), breaker: none });
  first.sink.incident(lost());
  await first.pass(70_000);
  assert.deepEqual(first.audit(), ['refused breaker'], 'half of one node is none');
  assert.doesNotMatch(cluster.run('scontrol', 'show', 'node', 'n1'), /DRAIN/);
  await first.sink.stop();
});

test('drained by it, with the reason that Slurm shows; its own is taken back, that of others is not', async () => {
  const from = events.length;
  const target = new SlurmDrain(settings(), 'node-3', 'gpu.lost 7f3c41');
  assert.deepEqual([await target.isDone(), await target.count()], [false, { out: [], nodes: 1 }]);
  await target.act();
  assert.deepEqual([await target.isDone(), (await target.count()).out], [true, ['n1']]);
  const event = await next('host.drained', from);
  assert.deepEqual(event.attributes?.reason, 'faultline: gpu.lost 7f3c41');
  await target.undo();
  assert.equal(await target.isDone(), false);
  update('State=DRAIN', 'Reason=anna is at it');
  await assert.rejects(target.undo(), { type: 'not_ours' });
  update('State=RESUME');
  await next('host.resumed', from);
});

test('planned: a maintenance reservation with its name and end, and a drain whose reason says so', async () => {
  const from = events.length;
  cluster.run('scontrol', 'create', 'reservation', 'ReservationName=fans', 'StartTime=now', 'Duration=60', 'Nodes=n1', 'Flags=MAINT,IGNORE_JOBS', 'Users=root'); // biome-ignore format: one line
  const plan = await next('host.maintenance', from);
  assert.deepEqual([plan.state, plan.attributes?.by], ['onset', 'root']);
  assert.match(String(plan.attributes?.note), /^reservation fans/);
  assert.ok(Date.parse(String(plan.attributes?.until)) > Date.now() + 3_000_000);
  cluster.run('scontrol', 'delete', 'ReservationName=fans');
  const over = () => events.slice(from).some(({ kind, state }) => kind === 'host.maintenance' && state === 'clear');
  await until(over, { seen, limitMs: 60_000 });
  const later = events.length;
  update('State=DRAIN', 'Reason=Maintenance: BIOS');
  const drain = await next('host.maintenance', later);
  assert.deepEqual([drain.attributes?.note, drain.attributes?.by], ['Maintenance: BIOS', 'root']);
  update('State=RESUME');
  await until(() => events.slice(later).some(({ kind, state }) => kind === 'host.maintenance' && state === 'clear'), { seen, limitMs: 60_000 }); // biome-ignore format: one line
});
