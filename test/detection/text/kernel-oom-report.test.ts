// What the kernel prints before it kills for want of memory: of how much there was, what limit was reached, and who held it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeKernelLine, kernelContext, releaseHeld } from '../../../src/detection/text/kernel.ts';
import type { Attributes } from '../../../src/model/event.ts';
import type { TextRecord } from '../../../src/model/record.ts';
import { kernelRecord, START_MS } from './lines.ts';

const BEGUN =
  'python3 invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP), order=0, oom_score_adj=0';
const MEMORY = [
  'Mem-Info:',
  'active_anon:1024 inactive_anon:120586240 isolated_anon:0\n active_file:104 inactive_file:0 isolated_file:0\n slab_reclaimable:20000 slab_unreclaimable:100000\n mapped:5000 shmem:13107200 pagetables:240000 bounce:0\n free:100000 free_pcp:0 free_cma:0',
  'Node 0 active_anon:4096kB inactive_anon:482344960kB mapped:20000kB shmem:52428800kB',
  'Node 0 Normal free:51200kB min:45000kB low:60000kB high:75000kB present:268435456kB managed:264241152kB mlocked:0kB',
  'Node 1 Normal free:51200kB min:45000kB low:60000kB high:75000kB present:268435456kB managed:264241152kB mlocked:0kB',
  '134217728 pages RAM',
  '0 pages HighMem/MovableOnly',
  '2097152 pages reserved',
];
const TABLE = [
  'Tasks state (memory values in pages):',
  '[  pid  ]   uid  tgid total_vm      rss pgtables_bytes swapents oom_score_adj name',
  '[   1021]     0  1021    12345     1024   122880        0         -1000 systemd-udevd',
  '[  50100]  1001 50100 10663296  9331648  41231600        0             0 data loader',
  '[  48211]  1000 48211 100663296 50331648 412316000        0             0 python3',
  '[  48212]  1000 48212 100663296 49331648 412316000        0             0 python3',
];
const SUMMARY =
  'oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0-1,global_oom,task_memcg=/slurm/job_991,task=python3,pid=48211,uid=1000';
const KILLED =
  'Out of memory: Killed process 48211 (python3) total-vm:402653184kB, anon-rss:201326592kB, file-rss:2048kB, shmem-rss:0kB, UID:1000 pgtables:412316kB oom_score_adj:0';

function facts(
  lines: readonly string[],
  of: (record: TextRecord, i: number) => TextRecord = (record) => record,
): Attributes[] {
  const context = kernelContext('node-3');
  return lines
    .flatMap((line, i) => decodeKernelLine(of(kernelRecord(line, i), i), context))
    .filter(({ kind }) => kind === 'host.oom')
    .map(({ attributes = {} }) => attributes);
}

test('of a host that ran out: all of its memory, what was shared, and the largest tasks with what each held', () => {
  const [summary, killed] = facts([BEGUN, ...MEMORY, ...TABLE, SUMMARY, KILLED]);
  const wanted = {
    scope: 'host',
    ram_kib: 528_482_304,
    shmem_kib: 52_428_800,
    largest: 'python3 (48211) 192 GiB, python3 (48212) 188 GiB, data loader (50100) 35.6 GiB',
  };
  for (const each of [summary, killed]) assert.deepEqual({ ...each, ...wanted }, each);
});

test('pages of 64 KiB are known by the memory of all zones', () => {
  const large = MEMORY.map((line) => line.replace('134217728', '8388608').replace('2097152', '131072'));
  assert.equal(facts([BEGUN, ...large, KILLED])[0]?.ram_kib, 528_482_304);
});

test('of a group: its limit and what it used; a group without a limit has none', () => {
  const killed = KILLED.replace('Out of', 'Memory cgroup out of');
  const of = (limit: string): Attributes | undefined => facts([BEGUN, `memory: usage 67108864kB, limit ${limit}kB, failcnt 31`, killed])[0]; // biome-ignore format: one line
  assert.deepEqual([of('67108864')?.usage_kib, of('67108864')?.limit_kib], [67_108_864, 67_108_864]);
  assert.equal(of('67108864')?.scope, undefined);
  assert.equal(of('9007199254740988')?.limit_kib, undefined);
});

test('a kill has nothing of a report before the last one, of half a minute ago, or that a program wrote', () => {
  const later = (record: TextRecord, i: number): TextRecord => ({ ...record, timeMs: START_MS + (i < 8 ? 0 : 60_000) });
  assert.equal(facts([BEGUN, ...MEMORY, KILLED], later).at(-1)?.ram_kib, undefined);
  assert.equal(facts([BEGUN, ...MEMORY, KILLED, KILLED.replaceAll('48211', '7')])[1]?.ram_kib, undefined);
  const program = (record: TextRecord, i: number): TextRecord =>
    i === 1 ? record : { ...record, attributes: { priority: 4, facility: 3 } };
  assert.equal(facts([KILLED, KILLED], program)[1]?.ram_kib, undefined);
  const written = (record: TextRecord, i: number): TextRecord =>
    i < 9 ? { ...record, attributes: { priority: 4, facility: 3 } } : record;
  assert.equal(facts([BEGUN, ...MEMORY, KILLED], written)[0]?.ram_kib, undefined);
});

test('a name that reads like the table is a name', () => {
  const row = '[  48213]  1000 48213 9 7 1 0 0 ] 1 2 3 4 5 0 a';
  const [killed] = facts([BEGUN, ...TABLE.slice(0, 2), row, KILLED]);
  assert.match(String(killed?.largest), /\(48213\) 0 GiB$/);
});

test('a call for a kill whose own line is not in the log is one kill, of a process that has no name', () => {
  const context = kernelContext('node-3');
  const call = BEGUN.replace('python3', 'GC Thread#2');
  const lines = [call, call, ...MEMORY, ...TABLE].map((line, i) => kernelRecord(line, i));
  assert.deepEqual(
    lines.flatMap((record) => decodeKernelLine(record, context)),
    [],
  );
  const found = releaseHeld(context, START_MS + 60_000);
  assert.deepEqual(
    found.map(({ kind, component, attributes }) => [kind, component?.id, attributes?.called_by, attributes?.ram_kib]),
    [['host.oom', 'node-3', 'GC Thread#2', 528_482_304]],
  );
});

test('a kill that follows says all of it, and a program that prints the words calls for none', () => {
  const context = kernelContext('node-3');
  const kinds = [BEGUN, ...MEMORY, KILLED].flatMap((line, i) => decodeKernelLine(kernelRecord(line, i), context));
  assert.deepEqual(
    [...kinds, ...releaseHeld(context, START_MS + 60_000)].map(({ attributes }) => attributes?.pid),
    [48211],
  );
  const record = kernelRecord(BEGUN);
  const said = { ...record, attributes: { ...record.attributes, facility: 3 } };
  assert.deepEqual([...decodeKernelLine(said, context), ...releaseHeld(context, START_MS + 120_000)], []);
});
