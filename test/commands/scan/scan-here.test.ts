// A scan in the test's own process prints what a process that is started for it prints, also after others.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { faultline } from '../run-cli.ts';
import { scan } from './scan-here.ts';

const root = mkdtempSync(join(tmpdir(), 'faultline-here-'));
after(() => rmSync(root, { recursive: true, force: true }));

function saved(name: string, lines: readonly string[]): string {
  const path = join(root, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

const kern = saved('rack/gx-07/kern.log', [
  'Feb 14 05:03:41 gx-07 kernel: NVRM: Xid (PCI:0000:9b:00): 79, GPU has fallen off the bus.',
  'Feb 14 05:03:41 gx-07 kernel: NVRM: GPU 0000:9b:00.0: GPU has fallen off the bus.',
]);
const job = saved('rack/slurm-77.out', [
  'gx-07:812:901 [0] NCCL INFO comm 0x55d1 rank 0 nranks 4 cudaDev 0 nvmlDev 0 busId b3000 commId 0x1 - Init COMPLETE',
  '[rank0]:[E1128 14:31:00.812345678 ProcessGroupNCCL.cpp:616] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=88123, OpType=ALLREDUCE, NumelIn=67108864, NumelOut=67108864, Timeout(ms)=600000) ran for 600072 milliseconds before timing out.',
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.',
  'see https://alice:secret@store.example/x for more',
]);
const words = saved('frobd.txt', ['frobd: all 12 shelves answer', 'frobd: uplink xq7 of shelf 3 went down']);
const quiet = saved('quiet.log', [
  'Feb 14 05:03:41 node-a kernel: EXT4-fs (md127p3): re-mounted r/w. Quota mode: none.',
]);

const CASES: Readonly<Record<string, readonly string[]>> = {
  'one log': [kern],
  'a folder': [join(root, 'rack')],
  'a document of a folder': ['--json', join(root, 'rack')],
  'a page for a ticket': ['--format', 'markdown', kern],
  'a page for a browser': ['--format', 'html', kern],
  'a guess by words': [words],
  'nothing found': [quiet],
  'a host that is not there': ['--host', 'node-z', kern],
  'an incident that decides the status': ['--fail-on', 'critical', kern],
  'what cannot be read': [join(root, 'none.log'), job],
  'a format that there is not': ['--format', 'pdf', kern],
};

for (const [what, line] of Object.entries(CASES))
  test(`the same bytes and status: ${what}`, async () => {
    const [first, again] = [await scan(line), await scan(line)];
    const alone = await faultline(['scan', ...line]);
    assert.deepEqual(first, alone);
    assert.deepEqual(again, alone);
  });
