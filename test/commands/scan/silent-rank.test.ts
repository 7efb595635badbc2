// A collective that timed out, in a job's log alone: who waited, who is silent, on which host, and where its dumps lie.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { faultline } from '../run-cli.ts';
import { scan } from './scan-here.ts';

const timedOut = (rank: number): string =>
  `[rank${rank}]:[E1128 14:31:0${rank}.812345678 ProcessGroupNCCL.cpp:616] [Rank ${rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=88123, OpType=ALLREDUCE, NumelIn=67108864, NumelOut=67108864, Timeout(ms)=600000) ran for 600072 milliseconds before timing out.`;
const begun = (rank: number): string =>
  `gx-1${rank >> 1}:812:901 [${rank & 1}] NCCL INFO comm 0x55d1 rank ${rank} nranks 4 cudaDev 0 nvmlDev 0 busId b3000 commId 0x1 - Init COMPLETE`;

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'faultline-silent-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function scanned(path: string): Promise<string> {
  const { stdout, status, stderr } = await scan([path]);
  assert.equal(status, 0, stderr);
  return stdout.replace(/\n +/g, ' ');
}

test('the headline names each rank once, and the silent one with its host where a line names it', async (t) => {
  const path = folder(t);
  writeFileSync(join(path, 'slurm-77.out'), [...[0, 1, 2, 3].map(begun), ...[3, 0, 1].map(timedOut)].join('\n'));
  const text = await scanned(path);
  assert.match(text, /job 77 rank 0, 1, 3 collective timed out: waited 10 min in\sALLREDUCE, number 88123; nothing from rank 2 of 4 on gx-11\.\n/); // biome-ignore format: one text
  assert.match(text, /To find out +why rank 2 on gx-11 did not join/);
  assert.match(text, /Now +see rank 2 on gx-11: its log, and there sudo dmesg -T\n(?:.*\n)?Then +faultline fr DIR; DIR has the dumps/); // biome-ignore format: one text
  const { stdout } = await scan([path]);
  const upToCall = stdout.slice(stdout.indexOf('INCIDENT'), stdout.indexOf('\nCall')).split('\n');
  assert.ok(upToCall.length <= 14, `${upToCall.length} lines to read before the call`);
});

test('where dumps lie among what is read their folder is in the command', async (t) => {
  const path = folder(t);
  const dumps = join(path, 'dumps of 77');
  mkdirSync(dumps);
  writeFileSync(join(path, 'slurm-77.out'), [3, 0, 1].map(timedOut).join('\n'));
  for (const rank of [0, 1, 3]) writeFileSync(join(dumps, `nccl_trace_rank_${rank}`), Buffer.from([0x80, 2, 0x7d, 0, 0x2e])); // biome-ignore format: one line
  assert.match(
    await scanned(path),
    new RegExp(`[Tt]hen +faultline fr '${dumps}' names the rank that the others wait for`),
  );
});

test('a folder with other files only has no dumps, whether or not the reader of dumps can be run', async (t) => {
  const path = folder(t);
  writeFileSync(join(path, 'train.py'), 'import torch\n');
  const { status, stderr } = await faultline(['fr', path]);
  assert.equal(status, 1);
  assert.match(stderr, /FL2401 .*TORCH_NCCL_DUMP_ON_TIMEOUT=1/s);
  assert.doesNotMatch(stderr, /FL2403/);
});

test('a GPU that fell off the bus of the host whose rank the others waited for explains the wait', async (t) => {
  const path = folder(t);
  const lost = (name: string, lines: readonly string[]): void => {
    mkdirSync(join(path, name));
    writeFileSync(join(path, name, 'kern.log'), `${lines.join('\n')}\n`);
  };
  lost('gx-10', ['2026-11-28T14:20:00.100000+00:00 kernel: perf: interrupt took too long (3121 > 3120), lowering']);
  lost('gx-11', [
    "2026-11-28T14:20:50.100000+00:00 kernel: NVRM: Xid (PCI:0000:b3:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
    '2026-11-28T14:20:50.100100+00:00 kernel: NVRM: GPU 0000:b3:00.0: GPU has fallen off the bus.',
  ]);
  writeFileSync(join(path, 'slurm-77.out'), [...[0, 1, 2, 3].map(begun), ...[3, 0, 1].map(timedOut)].join('\n'));
  const text = await scanned(path);
  assert.equal(text.match(/^INCIDENT/gm)?.length, 1, text);
  assert.match(text, /Root cause +GPU fell off the bus on gx-11 gpu 0000:b3:00\.0/);
  assert.match(text, /Effect .*job 77 rank 0, 1, 3: collective timed out; nothing from rank 2 of 4 on gx-11/);
  assert.doesNotMatch(text, /Of one host\?|--host NAME/);
});

test('the line that a process ends with after the wait leaves the silent rank named, and the wait said once', async (t) => {
  const path = folder(t);
  const file = join(path, 'run.log');
  const end = (rank: number): string =>
    `[rank${rank}]:[F1128 14:41:0${rank}.812345678 ProcessGroupNCCL.cpp:1557] [PG ID 0 PG GUID 0(default_pg) Rank ${rank}] Terminating the process after attempting to dump debug info, due to collective timeout or exception.`;
  writeFileSync(file, `${[0, 1, 3].map(timedOut).join('\n')}\n${[0, 1].map(end).join('\n')}\n`);
  const { stdout } = await scan([file]);
  const text = stdout.replace(/\s+/g, ' ');
  assert.match(text, /To find out why rank 2 did not join/);
  assert.equal(text.split('→')[0]?.match(/collective timed out/g)?.length, 1, text);
});
