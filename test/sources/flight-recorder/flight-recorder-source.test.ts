// The source from dump files and a fake procfs to events of the right ranks, once each, and its health.

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Kind } from '../../../src/model/kind.ts';
import { knowing } from '../../identity/knowing.ts';
import { type CaseKind, makeCase } from '../../native-fr/generator/cases.ts';
import { ALL_HERE, job, procOf, ranksOf, root, shareFiles, start } from './source-under-test.ts';

test('the rank that did not come is reported, with those that wait for it, once', async () => {
  const { folder, culprits } = job('not_joined');
  const { source, events, until } = start([folder], mkdtempSync(join(root, 'proc-')), { identity: knowing(ALL_HERE) });
  await until(() => events.length === 16);
  await source.stop();
  assert.deepEqual(
    ranksOf(events, 'job.collective_desync'),
    culprits.map((rank) => `rank/llama/${rank}`),
  );
  const waiting = ranksOf(events, 'job.collective_timeout');
  assert.equal(waiting.length, 15);
  assert.ok(!waiting.includes(`rank/llama/${culprits[0]}`));
  const desync = events.find(({ kind }) => kind === 'job.collective_desync');
  assert.deepEqual([desync?.trust, desync?.source, desync?.component?.host], ['tenant', 'flight-recorder', 'node-3']);
  const { job: name, verdict, operation, culprits: named, rank } = desync?.attributes ?? {};
  assert.deepEqual(
    [name, verdict, operation, named, rank],
    ['llama', 'not_joined', 'all_reduce', `${culprits[0]}`, culprits[0]],
  );
  assert.match(JSON.stringify(desync?.evidence?.[0]), new RegExp(`rank ${culprits[0]} did not enter all_reduce`));
  assert.equal(new Set(events.map(({ kind, component }) => `${kind} ${component?.id}`)).size, events.length);
});

test('a stall lasts while the ranks of this host stand there, and is over when they are gone', async () => {
  const { folder, culprits } = job('not_joined');
  const here = [...new Set([culprits[0] ?? 0, 0, 1])];
  const proc = procOf(here, folder);
  shareFiles(proc, here.length);
  let aheadMs = 0;
  const { source, events, until } = start([folder], proc, { now: () => Date.now() + aheadMs });
  await until(() => events.length >= here.length);
  assert.ok(events.every(({ state }) => state === 'onset'));
  const reported = events.length;
  rmSync(join(proc, '100'), { recursive: true });
  aheadMs += 11_000;
  await until(() => source.health()[0]?.detail.includes(`${here.length - 1} ranks`) ?? false);
  assert.equal(events.length, reported);
  for (const pid of here.keys()) rmSync(join(proc, `${100 + pid}`), { recursive: true, force: true });
  aheadMs += 11_000;
  await until(() => events.length >= 2 * reported);
  await source.stop();
  const of = (state: string) => events.filter((each) => each.state === state).map(({ kind, component }) => `${kind} ${component?.id}`); // biome-ignore format: one line
  assert.deepEqual(of('clear'), of('onset'));
});

test('a stall is over when its job is seen to make steps again, and no other job is', async () => {
  const { folder, culprits } = job('not_joined');
  const proc = procOf([culprits[0] ?? 0], folder);
  shareFiles(proc, 1);
  const { source, events, until } = start([folder], proc);
  await until(() => events.length > 0);
  source.continues('another');
  assert.ok(events.every(({ state }) => state === 'onset'));
  const reported = events.length;
  source.continues('llama');
  source.continues('llama');
  await source.stop();
  assert.deepEqual(events.slice(reported).map(({ state }) => state), Array(reported).fill('clear')); // biome-ignore format: one line
});

test('a stall of many ranks does not hand over all of its events in one turn of the loop', async () => {
  const { folder } = job('not_joined');
  const { source, events, until } = start([folder], mkdtempSync(join(root, 'proc-')), { identity: knowing(ALL_HERE) });
  let most = 0;
  let before = 0;
  let stopped = false;
  const turn = (): void => {
    most = Math.max(most, events.length - before);
    before = events.length;
    if (!stopped) setImmediate(turn);
  };
  setImmediate(turn);
  await until(() => events.length === 16);
  stopped = true;
  await source.stop();
  assert.ok(most > 0 && most <= 8, `${most} in one turn`);
});

test('a mismatch names what was expected and what came', async () => {
  const { folder, culprits } = job('mismatch_dtype');
  const { source, events, until } = start([folder], mkdtempSync(join(root, 'proc-')), { identity: knowing(ALL_HERE) });
  await until(() => events.length > 0);
  await source.stop();
  assert.deepEqual(ranksOf(events, 'job.collective_mismatch'), [`rank/llama/${culprits[0]}`]);
  const { expected, found } = events.find(({ kind }) => kind === 'job.collective_mismatch')?.attributes ?? {};
  assert.match(`${expected} / ${found}`, /BFloat16 \/ .*Half/);
});

test('a healthy job is read and says nothing', async () => {
  const { folder } = job('healthy');
  const identity = knowing([]);
  const { source, events, until } = start([folder], mkdtempSync(join(root, 'proc-')), { identity });
  await until(() => (source.counts()[0]?.reads ?? 0) > 0);
  await source.stop();
  assert.deepEqual(events, []);
  // Whose processes they are may be inferred from them, where nothing else says so.
  const [dumped, ...others] = identity.work.dumped.values();
  const named = readdirSync(folder).map((name) => Number(/\d+$/.exec(name)?.[0])).sort((a, b) => a - b); // biome-ignore format: one list
  assert.deepEqual([dumped?.user, dumped?.job, dumped?.ranks, others], [statSync(folder).uid, 'llama', named, []]);
  assert.equal(source.health()[0]?.status, 'works');
});

test('ranks of this host get events of their own, the others one of the job', async () => {
  const { folder, culprits } = job('not_joined');
  const [culprit = 0] = culprits;
  const local = [0, 1, 2, 3, 4].filter((rank) => rank !== culprit).slice(0, 4);
  const { source, events, until } = start([folder], mkdtempSync(join(root, 'proc-')), {
    identity: knowing([{ job: 'llama', ranks: local }]),
  });
  await until(() => events.length > 0);
  await source.stop();
  assert.deepEqual(ranksOf(events, 'job.collective_desync'), ['job/llama']);
  assert.deepEqual(
    ranksOf(events, 'job.collective_timeout'),
    local.map((rank) => `rank/llama/${rank}`),
  );
  assert.equal(events[0]?.attributes?.ranks_elsewhere, `${culprit}`);
});

test("of a job that has no rank here each stall is reported once, as the job's, however often its dumps are read", async () => {
  const cases: readonly (readonly [CaseKind, Kind])[] = [
    ['not_joined', 'job.collective_desync'],
    ['mismatch_dtype', 'job.collective_mismatch'],
    ['silent_rank', 'job.collective_desync'],
    ['late_completer', 'job.collective_desync'],
  ];
  for (const [kind, reported] of cases) {
    const { folder } = job(kind);
    const { source, events, until } = start([folder], mkdtempSync(join(root, 'proc-')));
    await until(() => (source.counts()[0]?.reads ?? 0) > 0);
    for (let again = 1; again <= 3; again += 1) {
      // Written again, as a copy over a shared file system is.
      for (const { name, bytes } of makeCase(kind, 1).files) writeFileSync(join(folder, name), bytes);
      await until(() => (source.counts()[0]?.reads ?? 0) > again);
    }
    await source.stop();
    const stalls = events.filter((event) => event.kind !== 'job.straggler');
    assert.ok(stalls.length >= 1 && stalls.length <= 2, `${kind}: ${stalls.length} events`);
    assert.equal(stalls[0]?.kind, reported, kind);
    // A GPU that does not finish what the others finished is not the program's doing.
    const hardware = stalls.some(({ attributes }) => String(attributes?.next).startsWith('XID, ECC and NVLink'));
    assert.equal(hardware, kind === 'late_completer', kind);
    assert.ok(
      events.every(({ component }) => component?.type === 'job' && component.id === 'llama'),
      kind,
    );
    assert.ok(
      events.every(({ attributes }) => attributes?.ranks !== undefined),
      kind,
    );
  }
});

test('a rank without a dump is accused only where its dump would have to be here', async () => {
  const { folder, culprits } = job('silent_rank');
  const [culprit = 0] = culprits;
  const others = [...Array(16).keys()].filter((rank) => rank !== culprit).slice(0, 12);
  const accused = async (ranks: readonly number[]): Promise<readonly string[]> => {
    const { source, events, until } = start([folder], mkdtempSync(join(root, 'proc-')), { identity: knowing([{ job: 'llama', ranks }]) }); // biome-ignore format: one line
    await until(() => events.some(({ kind }) => kind !== 'job.straggler'));
    await source.stop();
    assert.ok(events.some(({ attributes }) => attributes?.culprits === `${culprit}`));
    return ranksOf(events, 'job.collective_desync');
  };
  assert.deepEqual(await accused([culprit, ...others]), [`rank/llama/${culprit}`]);
  // Ranks of another host dump here too: its dump would be among them.
  assert.deepEqual(await accused(others), ['job/llama']);
  for (const { name } of makeCase('silent_rank', 1).files) {
    if (!others.some((rank) => name.endsWith(`_${rank}`))) rmSync(join(folder, name));
  }
  assert.deepEqual(await accused(others), []);
});

test('a reader that dies is reported in health and ends nothing', async () => {
  const { folder } = job('not_joined');
  const { source, until } = start([folder], mkdtempSync(join(root, 'proc-')), { program: '/bin/false' });
  await until(() => source.health()[0]?.status === 'failed');
  await source.stop();
  assert.match(source.health()[0]?.detail ?? '', /^FL2411 .*status 1/);
});

test('a job that is too large for the reader is reported with its folder, and what reads it', async () => {
  const { folder } = job('not_joined');
  const program = join(mkdtempSync(join(root, 'full-')), 'reader');
  writeFileSync(program, '#!/bin/sh\nexit 4\n', { mode: 0o755 });
  const { source, until } = start([folder], mkdtempSync(join(root, 'proc-')), { program });
  await until(() => source.health()[0]?.status === 'failed');
  await source.stop();
  const [health] = source.health();
  assert.ok(health?.detail.startsWith(`FL2411 dumps in ${folder} were not analysed: `), health?.detail);
  assert.match(health?.detail ?? '', /16 files need more memory than the 1 GiB/);
  assert.ok(health?.remedy?.startsWith(`faultline fr ${folder} reads them by hand`), `${health?.remedy}`);
});

test('without jobs and dumps it is absent, and says what would fix it', async () => {
  const { source, until } = start([], mkdtempSync(join(root, 'proc-')));
  assert.match(source.health()[0]?.detail ?? '', /^starting/);
  await until(() => !source.health()[0]?.detail.startsWith('starting'));
  await source.stop();
  assert.match(source.health()[0]?.remedy ?? '', /TORCH_FR_DUMP_TEMP_FILE/);
});
