// Ranks and tasks that the lines of a job name as missing where the others wait, of each framework that lists them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const STALL = 'One or more tensors were submitted to be reduced, gathered or broadcasted by subset of ranks and are waiting for remainder of ranks for more than 60 seconds.'; // biome-ignore format: one line

test("Horovod's missing ranks are looked at, in its old and its new form, and behind srun's labels", async (t) => {
  const list = ['Missing ranks:', '3: [allreduce.embed.weight]', '6: [allreduce.embed.weight, allreduce.head.weight]'];
  const head = '[2026-11-29 05:40:12.118: W /src/horovod/common/stall_inspector.cc:107] ';
  for (const lines of [
    [head + STALL, ...list],
    [head + STALL, ...list, 'step 12 loss 1.9'],
    [head + STALL, ...list].map((line) => `0: ${line}`),
  ]) {
    const text = await scannedLogs(t, { 'hvd.log': lines });
    assert.match(text, /ranks 3, 6 did not submit allreduce\.embed\.weight/);
    assert.match(text, /Do +find out why ranks 3, 6 of hvd did not join the others/);
    assert.match(text, /Now +see the end of the log of ranks 3, 6; on their hosts, nvidia-smi; sudo dmesg -T/);
    assert.doesNotMatch(text, /most likely it is the program/);
  }
  const old = await scannedLogs(t, {
    'hvd.log': [`WARNING: ${STALL}`, 'Stalled ops:', 'HorovodAllreduce_dense_0 [missing ranks: 4]'],
  });
  assert.match(old, /Do +find out why rank 4 of hvd did not join the others/);
});

test('of a monitored barrier all ranks are named, and of a barrier of JAX the task', async (t) => {
  const torch = await scannedLogs(t, {
    'a.log': ['[rank0]: RuntimeError: [Rank 0]: Ranks 9, 12 failed to pass monitoredBarrier in 60000 ms'],
  });
  assert.match(torch, /Do +find out why ranks 9, 12 did not join the others/);
  const jax = await scannedLogs(t, {
    'w.log': [
      '2026-11-29 05:40:12.118000: E external/xla/xla/pjrt/distributed/client.h:80] Terminating process because the JAX distributed service detected fatal errors. absl::Status: DEADLINE_EXCEEDED: Barrier timed out. Id: PjRT_Client_Connect::0.',
      '# of tasks that reached the barrier: 15/16.',
      'The first task at the barrier: /job:jax_worker/replica:0/task:0. Some timed out task names:',
      '/job:jax_worker/replica:0/task:11',
    ],
  });
  assert.match(jax, /To find out +why task 11 did not come to the barrier/);
});

test('a list without such a head, or the head without a list, names none', async (t) => {
  const bare = await scannedLogs(t, { 'a.log': ['3: [allreduce.embed.weight]', 'step 12 loss 1.9'] });
  assert.doesNotMatch(bare, /why ranks? .*did not join|INCIDENT/);
  const alone = await scannedLogs(t, {
    'a.log': [`[2026-11-29 05:40:12.118: W /src/stall_inspector.cc:107] ${STALL}`],
  });
  assert.doesNotMatch(alone, /why ranks? .*did not join/);
});

test('a port that NCCL calls failed is looked at on its host, before the peer that was not reached', async (t) => {
  const text = await scannedLogs(t, {
    'slurm-771.out': [
      'hx-05:4012:4048 [2] 2026-11-29 02:10:11 transport/net_ib.cc:2161 NCCL WARN NET/IB: mlx5_7:1 Got async fatal event: port error',
      'hx-05:4012:4041 [2] 2026-11-29 02:10:19 transport/net_ib.cc:2301 NCCL WARN NET/IB: Got completion from peer 10.9.4.11<40112> with status=IBV_WC_RETRY_EXC_ERR(12) opcode=IBV_WC_RDMA_WRITE(1) reqSize=0 vendor_err=129 req_type=Send hca mlx5_7',
    ],
  });
  assert.match(text, /\n1 incident out of /);
  assert.match(text, /Do +see whether the port of mlx5_7 of hx-05 is down/);
  assert.match(
    text,
    /Now +on hx-05, ibstat mlx5_7; sudo dmesg -T .*\nThen +where it is or was down: let no new work onto hx-05 .*once nothing runs over it, reseat/s,
  );
});
