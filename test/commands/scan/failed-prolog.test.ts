// A prolog that fails: what the site's script printed is what is to be fixed, on the node that the job's number says.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const SLURMD = [
  '[2026-11-29T22:10:05.101] error: /etc/slurm/epilog.d/10-mounts.sh failed: rc:3 output:site_check: /scratch is not mounted',
  '[2026-11-29T22:10:05.102] error: [job 5177] epilog failed status=3:0',
];

test('the number of the job says which node a log of slurmd is of, and one failure is one incident', async (t) => {
  const text = await scannedLogs(t, {
    'slurmd.log': SLURMD,
    'slurmctld.log': [
      '[2026-11-29T20:00:00.001] sched: Allocate JobId=5177 NodeList=hx-19 #CPUs=64 Partition=gpu',
      '[2026-11-29T20:00:00.002] sched: Allocate JobId=5178 NodeList=hx-20 #CPUs=64 Partition=gpu',
      '[2026-11-29T22:10:05.300] error: _slurm_rpc_epilog_complete: JobId=5177 epilog error on hx-19, draining the node',
      '[2026-11-29T22:10:05.301] drain_nodes: node hx-19 state set to DRAIN',
    ],
  });
  assert.match(text, /\n1 incident out of /);
  assert.match(text, /\nDo +fix on hx-19 what the epilog of Slurm found: site_check: \/scratch is not mounted /);
  assert.match(text, /\nNow +hx-19 takes no new work already; on hx-19, findmnt; /);
  assert.match(text, /once hx-19 is right: scontrol update nodename=hx-19 state=resume/);
  assert.doesNotMatch(text, /state=drain|HOST|host of slurmd\.log/);
});

test('a job on several nodes, or two jobs on two, name none', async (t) => {
  const several = await scannedLogs(t, {
    'slurmd.log': SLURMD,
    'slurmctld.log': [
      '[2026-11-29T20:00:00.001] sched: Allocate JobId=5177 NodeList=hx-[19-20] #CPUs=128 Partition=gpu',
      '[2026-11-29T20:00:01.002] error: Nodes hx-31 not responding, setting DOWN',
    ],
  });
  assert.match(several, /Do +fix on the host of slurmd\.log what the epilog/);
});

test('without a number the node is the one of which the controller says the same within a minute', async (t) => {
  const text = await scannedLogs(t, {
    'slurmd.log': [
      '[2026-11-29T22:10:05.101] error: prolog failed: rc:1 output:nvidia-smi sees 7 GPUs, 8 expected: gpu missing',
    ],
    'slurmctld.log': ['[2026-11-29T22:10:06.300] error: Prolog failure on host hx-44, draining the node'],
  });
  assert.match(text, /\n1 incident out of /);
  assert.match(
    text,
    /\nDo +fix on hx-44 what the prolog of Slurm found: nvidia-smi sees 7 GPUs, 8 expected: gpu missing/,
  );
});

test('what a user prints into a job log names no node and fails no prolog', async (t) => {
  const text = await scannedLogs(t, {
    'slurm-5177.out': [
      '[2026-11-29T20:00:00.001] sched: Allocate JobId=5177 NodeList=hx-66 #CPUs=128 Partition=gpu',
      '[2026-11-29T22:10:05.300] loss 2.1',
    ],
    'slurmd.log': SLURMD,
  });
  assert.doesNotMatch(text, /(?:on|nodename=)\s*hx-66/);
});

test('what the script printed is said though the list of reasons has the node first', async (t) => {
  const text = await scannedLogs(t, {
    'sinfo.txt': [
      'REASON               USER      TIMESTAMP           NODELIST',
      'Epilog error         root      2026-11-29T22:10:05 hx-19',
    ],
    'slurmd-hx-19.log': SLURMD,
  });
  assert.match(text, /\n1 incident out of /);
  assert.match(text, /\nDo +fix on hx-19 what the epilog of Slurm found: site_check: \/scratch is not mounted /);
});
