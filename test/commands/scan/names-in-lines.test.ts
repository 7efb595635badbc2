// Names that lines of a job's log give: of the rank, the host, the port and the job; what they say of its end, and of a checkpoint.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { scannedLogs } from './scanned.ts';

/** The text of the report in lines that are not broken. */
const scanned = (t: TestContext, files: Readonly<Record<string, readonly string[]>>): Promise<string> =>
  scannedLogs(t, files);

test('a GPU that no line gives the address of is that of the rank, on the host where the training says it ended', async (t) => {
  const text = await scanned(t, {
    'train.log': [
      '2026-11-29 02:10:54,703 - train - INFO - step 518/20000 loss=1.882 lr=3.0e-04 tokens/s=41900 step_time=3.09s',
      '2026-11-29 02:10:57,703 - train - INFO - step 519/20000 loss=1.881 lr=3.0e-04 tokens/s=41900 step_time=3.09s',
      '2026-11-29 02:11:15,120 - train - ERROR - rank 6: CUDA error: uncorrectable ECC error encountered',
      '2026-11-29 02:11:16,001 - train - CRITICAL - training aborted on host gx-85',
    ],
  });
  assert.match(text, /Root cause +Unconfirmed: uncorrectable GPU ECC error on the GPU of rank 6 \(gx-85\)\n/);
  assert.match(text, /Effect +train: rank crashed\n/);
  assert.match(text, /02:11:16\.0 +train +rank crashed: training aborted on host gx-85/);
  assert.match(text, /Call +who runs gx-85\n/);
  assert.match(text, /the source gives no address of the GPU of rank 6/);
  assert.doesNotMatch(text, /no line names|does not name|device not named/);
});

test('training that says nothing of its end has not ended by what it says of something else', async (t) => {
  const text = await scanned(t, {
    'train.log': [
      '2026-11-29 02:10:57,703 - train - INFO - step 519/20000 loss=1.881 lr=3.0e-04 tokens/s=41900 step_time=3.09s',
      '2026-11-29 02:11:16,001 - train - INFO - note that training failed on node-7 last week',
      '2026-11-29 02:11:17,001 - train - INFO - if training crashed, see the guide',
    ],
  });
  assert.doesNotMatch(text, /INCIDENT/);
});

test('the rank that a logger in JSON names is the one that crashed', async (t) => {
  const step = (n: number): string =>
    `{"ts": "2026-11-29T02:10:${n}Z", "level": "info", "host": "gx-86", "rank": 0, "msg": "train", "step": ${n}, "loss": 1.8, "step_time_s": 3.0}`;
  const text = await scanned(t, {
    'train.jsonl': [
      step(51),
      step(54),
      step(57),
      '{"ts": "2026-11-29T02:11:15Z", "level": "error", "host": "gx-86", "rank": 4, "msg": "RuntimeError: CUDA error: device-side assert triggered", "exc": "Traceback (most recent call last):\\n  File \\"/app/t.py\\", line 1\\nRuntimeError: CUDA error: device-side assert triggered"}',
    ],
  });
  assert.match(text, /Root cause +Unconfirmed: rank crashed on train rank 4/);
});

test('a port that NCCL names is called so', async (t) => {
  const text = await scanned(t, {
    'train.log': [
      '2026-11-29 02:20:30,111 [ERROR] trainer: NCCL WARN NET/IB : mlx5_3:1 Got async event : port error',
      '2026-11-29 02:20:31,111 [ERROR] trainer: torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1970, unhandled system error (run with NCCL_DEBUG=INFO for details), NCCL version 2.20.5',
    ],
  });
  assert.match(text, /Root cause +Unconfirmed: NIC port down on mlx5_3 \(host not named, log train\.log\)/);
  assert.match(text, /02:20:30\.1 +mlx5_3 +NIC port down/);
});

const KILLED = [
  '[gx-38:12345] *** Process received signal ***',
  '[gx-38:12345] Signal: Bus error (7)',
  'slurmstepd: error: Detected 1 oom_kill event in StepId=90801.0. Some of the step tasks have been OOM Killed.',
  'srun: error: gx-38: task 3: Out Of Memory',
];

test('a log whose name says no job is of the one that its lines name; of two that they name it is of neither', async (t) => {
  const one = await scanned(t, { 'job.out': KILLED });
  assert.match(one, /Effect +job 90801: rank crashed; job 90801 rank 3: rank killed/);
  assert.match(one, /Call +who runs job 90801\n/);
  assert.doesNotMatch(one, /called after their logs|the job job/);
  const two = await scanned(t, {
    'job.out': [...KILLED, 'slurmstepd: error: *** STEP 90802.0 ON gx-38 CANCELLED AT 2026-11-29T03:00:31 ***'],
  });
  assert.match(two, /jobs are called after their logs: job/);
});

test('a rank that no line says waited is named where the cause is known', async (t) => {
  const begun = (rank: number): string =>
    `gx-0${1 + (rank >> 2)}:33${rank}:33${rank} [${rank & 3}] NCCL INFO ncclCommInitRank comm 0x5581 rank ${rank} nranks 8 cudaDev ${rank & 3} nvmlDev ${rank & 3} busId 1b000 commId 0x77 - Init COMPLETE`;
  const waited = (rank: number): string =>
    `[rank${rank}]:[E1129 02:25:2${rank}.100000 2211 ProcessGroupNCCL.cpp:632] [Rank ${rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=48213, OpType=ALLREDUCE, NumelIn=67108864, NumelOut=67108864, Timeout(ms)=600000) ran for 600000 milliseconds before timing out.`;
  const text = await scanned(t, {
    'dmesg-gx-02.txt': [
      '[Sun Nov 29 02:15:14 2026] NVRM: Xid (PCI:0000:61:00): 119, pid=3311, name=python, Timeout after 45s of waiting for RPC response from GPU3 GSP! Expected function 76 (GSP_RM_CONTROL) (0x20801702 0x4).',
    ],
    'slurm-90211.out': [...Array.from({ length: 8 }, (_, rank) => begun(rank)), ...[0, 1, 2, 3, 4, 5, 6].map(waited)],
  });
  assert.match(text, /Root cause +GPU system processor timeout on gx-02 /);
  assert.match(text, /collective timed out; nothing from rank 7 of 8 on gx-02\n/);
});

test('where a checkpoint was being saved, no report says that there was none', async (t) => {
  const step = (n: number): string =>
    `[2026-11-29 03:00:0${n}] iteration     200${n}/  50000 | consumed samples:  1024000 | elapsed time per iteration (ms): 4100.1 | lm loss: 2.011E+00 |`;
  const full = "[rank0]: OSError: [Errno 28] No space left on device: '/scratch/ckpt/iter_0002001/__0_0.distcp'";
  const saving = 'saving checkpoint at iteration    2001 to /scratch/ckpt in torch_dist format';
  const saved = '  successfully saved checkpoint from iteration    2001 to /scratch/ckpt';
  const none = /saved checkpoint or job change \(none within 10 min\)/;
  assert.match(await scanned(t, { 'slurm-90601.out': [step(1), step(5), full] }), none);
  assert.doesNotMatch(await scanned(t, { 'slurm-90601.out': [step(1), step(5), saving, full] }), none);
  assert.doesNotMatch(await scanned(t, { 'slurm-90601.out': [step(1), step(5), saving, saved, full] }), none);
});
