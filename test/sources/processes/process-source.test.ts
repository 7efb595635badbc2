// The source from a fake procfs to what it reports: jobs, ranks and devices once, and the end of a job.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Identity } from '../../../src/identity/identity.ts';
import type { Discovery, EventInput } from '../../../src/model/record.ts';
import { ProcessSource } from '../../../src/sources/processes/process-source.ts';
import { lookingAt } from '../../identity/knowing.ts';
import { until } from '../../until.ts';

const GPU = { type: 'gpu', id: '0000:9b:00.0', host: 'node-3', aliases: ['gpu 0'] } as const;
const GROUP = '0::/system.slice/slurmstepd.scope/job_991/step_0/user/task_3\n';

const PASSWD = 'root:x:0:0::/root:/bin/sh\nada:x:1000:100:Ada:/home/ada:/bin/sh\nodd\n:x:7::\n';

/** A procfs with one process of each row. */
function procOf(t: TestContext, processes: Readonly<Record<number, Readonly<Record<string, string>>>>): string {
  const proc = mkdtempSync(join(tmpdir(), 'fl-processes-'));
  t.after(() => rmSync(proc, { recursive: true }));
  const all: Readonly<Record<string, Readonly<Record<string, string>>>> = { self: {}, ...processes };
  for (const [pid, files] of Object.entries(all)) {
    mkdirSync(join(proc, pid, 'ns'), { recursive: true });
    symlinkSync('mnt:[1]', join(proc, pid, 'ns/mnt'));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(proc, pid, name), text);
  }
  return proc;
}

const task = (rank: number) => ({
  cgroup: GROUP,
  environ: `RANK=${rank}\0WORLD_SIZE=4\0SLURM_JOB_ID=991\0SECRET=x\0`,
  stat: `7 (python) S 3 ${'0 '.repeat(17)}500 0`,
  status: 'Uid:\t1000\t1000\t1000\t1000\nGid:\t100\t100\t100\t100\nNSpid:\t7\n',
  cmdline: 'python\0train.py\0',
});

function start(t: TestContext, proc: string) {
  const identity = lookingAt(new Identity('node-3'), proc);
  identity.gpus.found(GPU, 'H100');
  let nowMs = 0;
  const events: EventInput[] = [];
  const discoveries: Discovery[] = [];
  const source = new ProcessSource(
    { enabled: 'on', intervalMs: 5, reader: '' },
    { host: 'node-3', now: () => (nowMs += 2000), identity, own: async () => null, passwd: async () => PASSWD, proc },
  );
  t.after(() => source.stop());
  const emit = { samples() {}, text() {}, event: (event: EventInput) => events.push(event), discovery: (each: Discovery) => discoveries.push(each) }; // biome-ignore format: one line
  source.start(emit, new AbortController().signal);
  const looks = (more: number) => {
    const wanted = (source.counts()[0]?.reads ?? 0) + more;
    return until(() => (source.counts()[0]?.reads ?? 0) >= wanted, { seen: () => source.health() });
  };
  return { source, identity, events, discoveries, looks };
}

test('a job, its rank and its GPU are reported once, and its end when its last process is gone', async (t) => {
  const proc = procOf(t, { 7: task(3), 8: { cgroup: '0::/user.slice\n', environ: 'PATH=/bin\0' } });
  const { source, identity, events, discoveries, looks } = start(t, proc);
  identity.gpus.usedBy(GPU.id, [7]);
  await until(() => discoveries.some(({ component }) => component.type === 'rank'), { seen: () => source.health() });
  await looks(3);
  const said = discoveries.map(({ component, links }) => [component.id, links.map(({ from, to, relation }) => `${from.type}/${from.id} ${relation} ${to.type}/${to.id}`)]); // biome-ignore format: one line
  assert.deepEqual(said, [
    ['991', ['host/node-3 runs job/991']],
    ['991/3', ['host/node-3 runs job/991', 'gpu/0000:9b:00.0 runs rank/991/3', 'rank/991/3 member_of job/991']],
  ]);
  assert.deepEqual(discoveries[0]?.attributes, { manager: 'slurm', user: 'ada', name: 'train.py', world_size: 4, local_ranks: 1 }); // biome-ignore format: one line
  const [health] = source.health();
  assert.deepEqual([health?.status, health?.detail], ['works', '1 job here, 1 rank, 1 of their processes']);
  assert.doesNotMatch(JSON.stringify([...identity.work.processes.each()]), /SECRET/);
  identity.gpus.usedBy(GPU.id, []);
  rmSync(join(proc, '7'), { recursive: true });
  await until(() => events.length > 0, { seen: () => source.health() });
  await looks(2);
  assert.deepEqual(events.map(({ kind, component, trust }) => [kind, component?.id, trust]), [['job.ended', '991', 'kernel']]); // biome-ignore format: one line
});

test('a name that the configuration gives later is the same job, and nothing ended', async (t) => {
  const { source, identity, events, discoveries, looks } = start(t, procOf(t, { 7: task(3) }));
  await until(() => discoveries.length >= 2, { seen: () => source.health() });
  identity.jobs.configured([{ job: 'llama', ranks: [] }]);
  identity.jobs.declared(new Map([[7, 'llama']]));
  const found = await until(() => discoveries.find(({ component }) => component.id === 'llama/3') ?? null);
  assert.deepEqual(found.component.aliases, ['991/3']);
  await looks(2);
  assert.deepEqual(events, []);
});

test('a driver’s process without a job is a device’s use, and no job that ends', async (t) => {
  const proc = procOf(t, { 9: { cgroup: '0::/user.slice\n', environ: 'PATH=/bin\0', cmdline: 'python\0chat.py\0' } });
  const { source, identity, events, looks } = start(t, proc);
  identity.gpus.usedBy(GPU.id, [9]);
  await until(() => identity.work.view().devices.some(({ work }) => work !== null), { seen: () => source.health() });
  assert.deepEqual(identity.work.view().devices.map(({ work }) => work), ['pid-9']); // biome-ignore format: one line
  identity.gpus.usedBy(GPU.id, []);
  rmSync(join(proc, '9'), { recursive: true });
  await until(() => identity.work.view().works.length === 0, { seen: () => source.health() });
  await looks(2);
  assert.deepEqual(events, []);
});
