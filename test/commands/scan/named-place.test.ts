// Where it broke, of logs of jobs and of logs that no line names: the machine that the lines say, or that none does; never the log.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { installationRoot } from '../../../src/native.ts';
import { PROGRAM } from '../../program.ts';
import { scan } from './scan-here.ts';
import { scannedLogs } from './scanned.ts';

const STEPS = [
  '[2026-11-29 13:00:02] iteration      100/   50000 | consumed samples:        25600 | elapsed time per iteration (ms): 412.3 | lm loss: 2.1E+00 |',
  '[2026-11-29 13:01:02] iteration      200/   50000 | consumed samples:        51200 | elapsed time per iteration (ms): 411.9 | lm loss: 2.0E+00 |',
];
const OOM = [
  '[rank3]: Traceback (most recent call last):',
  '[rank3]:   File "/home/u/train.py", line 212, in <module>',
  '[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 3 has a total capacity of 79.11 GiB of which 1.20 GiB is free.',
];
const TASK = 'srun: error: gx-11: task 3: Exited with exit code 1';
const STEP = 'slurmstepd: error: *** STEP 8812.0 ON gx-10 CANCELLED AT 2026-11-29T13:01:40 ***';
const LOST = '[ 8812.100000] NVRM: Xid (PCI:0000:9b:00): 79, GPU has fallen off the bus.';

type Files = Readonly<Record<string, readonly string[]>>;

/** The text of the report in lines that are not broken. */
async function scanned(t: TestContext, files: Files): Promise<string> {
  return (await written(t, files)).replace(/\n +/g, ' ');
}

async function written(t: TestContext, files: Files, ...options: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-place-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, lines] of Object.entries(files)) writeFileSync(join(folder, name), `${lines.join('\n')}\n`);
  const { stdout, stderr, status } = await scan([...options, ...Object.keys(files).map((name) => join(folder, name))]);
  assert.equal(status, 0, stderr);
  return stdout;
}

test('the rank of a job that ran out of GPU memory is on the host that srun names', async (t) => {
  const text = await scanned(t, { 'slurm-8812.out': [...STEPS, ...OOM, TASK, STEP] });
  assert.match(text, /Root cause +Unconfirmed: GPU out of memory on job 8812 rank 3 \(gx-11, its GPU 3\)/);
  assert.match(text, /gx-11 can stay in service/);
  assert.match(text, /Call +who runs job 8812\n/);
  assert.match(text, /seen [\d-]+ 13:01:02\n/);
  assert.doesNotMatch(text, /slurm-8812(?!\.out)|open, |no line names/);
});

test('where several hosts are named, and none for the rank, all are said; where none is, that', async (t) => {
  const other = 'srun: error: gx-12: task 9: Killed';
  const several = await scanned(t, { 'slurm-8812.out': [...STEPS, ...OOM, STEP, other] });
  assert.match(several, /on job 8812 rank 3 \(gx-10 or gx-12, its GPU 3\)/);
  const none = await scanned(t, { 'train.log': [...STEPS, ...OOM] });
  assert.match(none, /on train rank 3 \(host not named, log train\.log, its GPU 3\)/);
  assert.match(none, /no line names the host of train\.log jobs are called after their logs: train/);
});

test('a kernel log without a host is not taken for one, alone or next to a log of a job that names one', async (t) => {
  const alone = await scanned(t, { 'dmesg.txt': [LOST] });
  assert.match(alone, /GPU fell off the bus on gpu 0000:9b:00\.0 \(host not named, log dmesg\.txt\)/);
  assert.match(alone, /let no new work onto the host of dmesg\.txt/);
  assert.match(alone, /once nothing runs on that host, save /);
  const runbook = /Runbook +(\S+)#/.exec(alone)?.[1];
  assert.equal(runbook, join(installationRoot(), 'docs/runbooks/gpu.md'));
  const { stdout } = spawnSync(process.execPath, [PROGRAM, 'scan', '-'], { input: `${LOST}\n` });
  const piped = stdout.toString().replace(/\n +/g, ' ');
  assert.match(
    piped,
    /let no new work onto this log's host \(not named\) \(Slurm:\s+scontrol update nodename=HOST .*once\s+nothing\s+runs\s+on\s+that\s+host,\s+save /s,
  );
  assert.doesNotMatch(piped, /of stdin|log stdin|was written/);
  const nextTo = await scanned(t, { 'dmesg.txt': [LOST], 'slurm-8812.out': [...STEPS, TASK] });
  assert.match(nextTo, /GPU fell off the bus on gx-11 gpu 0000:9b:00\.0/);
  assert.match(nextTo, /that dmesg\.txt is of gx-11 only the log of a job says/);
  assert.doesNotMatch(nextTo, /no line names the host/);
});

test('the document says of which log only the log of a job has the host: its user may have written any', async (t) => {
  const text = await written(t, { 'dmesg.txt': [LOST], 'slurm-8812.out': [TASK] }, '--json');
  const { inputs } = JSON.parse(text) as { inputs: readonly { assumed: readonly string[] }[] };
  assert.deepEqual(inputs.map(({ assumed }) => assumed), [['boot_time', 'host_from_job_log'], ['time_of_other_log']]); // biome-ignore format: one line
});

test('a rank that waits is not said to be the one that stopped, and the way on is a command', async (t) => {
  const waited =
    '[2026-11-29 13:15:51] [rank7]:[E1129 13:15:51.100 ProcessGroupNCCL.cpp:629] [Rank 7] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=48210, OpType=ALLREDUCE, NumelIn=1048576, NumelOut=1048576, Timeout(ms)=600000) ran for 600019 milliseconds before timing out.';
  const text = await scanned(t, { 'slurm-8812.out': [waited] });
  assert.match(
    text,
    /No root cause yet in what was read\. job 8812 rank 7 collective timed out: waited 10 min in\nALLREDUCE, number 48210/,
  );
  assert.match(text, /Most likely a rank that stopped elsewhere \(30 %\)/);
  assert.doesNotMatch(text, /rank crashed on/);
  assert.match(text, /Now +faultline fr DIR/);
  assert.match(text, /TORCH_NCCL_DUMP_ON_TIMEOUT=1 TORCH_FR_BUFFER_SIZE=\d+\).*py-spy dump/s);
  assert.match(text, /Call +who runs job 8812\n/);
});

test('where another process holds more of the GPU than the one that ran out, that one is to be looked for', async (t) => {
  const words = (other: string, own: string) =>
    `torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of 79.11 GiB of which 1.22 GiB is free. Process 912345 has ${other} memory in use. Including non-PyTorch memory, this process has ${own} memory in use.`;
  const taken = await scanned(t, { 'slurm-78.out': [...STEPS, words('74.10 GiB', '3.70 GiB'), TASK] });
  assert.match(taken, /Do +see whose process 912345 is, which holds 74\.10 GiB of the GPU/);
  assert.match(taken, /Now +on gx-11, ps -o pid,user,lstart,args -p 912345: /);
  assert.match(taken, /Call +who runs gx-11/);
  assert.doesNotMatch(taken, /most likely it is the program/);
  const own = await scanned(t, { 'slurm-78.out': [...STEPS, words('512.00 MiB', '77.40 GiB'), TASK] });
  assert.match(own, /Now +a smaller batch or shorter sequences/);
});

test('in a container the program calls itself by a number: what cannot fit next to it is itself', async (t) => {
  const words = (others: string, allocated: string) =>
    `torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.00 GiB. GPU 2 has a total capacity of 79.11 GiB of which 1.83 GiB is free. ${others} Of the allocated memory ${allocated} GiB is allocated by PyTorch, and 4.77 GiB is reserved by PyTorch but unallocated.`;
  const itself = await scanned(t, {
    'slurm-78.out': [...STEPS, words('Process 40211 has 77.27 GiB memory in use.', '70.90'), TASK],
  });
  assert.match(itself, /Now +a smaller batch or shorter sequences/);
  assert.doesNotMatch(itself, /40211 is, which/);
  const another = await scanned(t, {
    'slurm-78.out': [
      ...STEPS,
      words('Process 40211 has 12.40 GiB memory in use. Process 912 has 64.80 GiB memory in use.', '5.10'),
      TASK,
    ],
  });
  assert.match(another, /Do +see whose process 912 is, which holds 64\.80 GiB/);
  const nextTo = await scanned(t, {
    'slurm-78.out': [...STEPS, words('Process 912 has 60.20 GiB memory in use.', '11.30'), TASK],
  });
  assert.match(nextTo, /Do +see whose process 912 is, which holds 60\.20 GiB/);
});

test('the name of a log of a job on several hosts aims no command at the first of them', async (t) => {
  const failed = (rank: number) => [
    '2026-11-27 10:00:00 INFO step 10 loss 2.0',
    `[rank${rank}]: Traceback (most recent call last):`,
    `[rank${rank}]: RuntimeError: CUDA error: uncorrectable ECC error encountered`,
  ];
  assert.match(await scannedLogs(t, { 'ft-412233-hx-06.out': failed(3) }), /Call +who runs hx-06\n/);
  assert.doesNotMatch((await scannedLogs(t, { 'ft-412233-hx-06.out': failed(13) })).replaceAll('412233-hx-06.out', ''), /hx-06/); // biome-ignore format: one line
});
