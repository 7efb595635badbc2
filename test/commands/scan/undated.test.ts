// A log without any time next to one that dates the same: one incident, at the time that is known.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { scan } from './scan-here.ts';
import { scannedLogs } from './scanned.ts';

interface Scanned {
  readonly inputs: readonly { readonly assumed: readonly string[] }[];
  readonly incidents: readonly {
    readonly root: { readonly kind: string; readonly component: { readonly type: string } };
    readonly chain: readonly { readonly kind: string; readonly time: string; readonly order_unknown: boolean }[];
  }[];
}

function saved(t: TestContext, files: Readonly<Record<string, readonly string[]>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-scan-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, lines] of Object.entries(files)) writeFileSync(join(folder, name), `${lines.join('\n')}\n`);
  return folder;
}

async function scanned(folder: string): Promise<Scanned> {
  return JSON.parse((await scan(['--json', folder])).stdout);
}

const at = (time: string, text: string): string => `2026-11-28T${time}.331000+00:00 gx-03 kernel: ${text}`;
const killed = (time: string, group: string, pid: number): string =>
  at(
    time,
    `oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=x,mems_allowed=0-1,oom_memcg=${group},task_memcg=${group},task=python3,pid=${pid},uid=2031`,
  );
const SLURM = '/system.slice/slurmstepd.scope/job_4831';
const STEP =
  'slurmstepd: error: Detected 1 oom_kill event in StepId=4831.0. Some of the step tasks have been OOM Killed.';

test('what a scheduler says of a step without a time is the kill in the control group of its job', async (t) => {
  const folder = saved(t, {
    'kern.log': [killed('06:32:11', SLURM, 80111)],
    'slurm-4831.out': [STEP, 'srun: error: gx-03: task 0: Out Of Memory'],
  });
  const { incidents, inputs } = await scanned(folder);
  assert.equal(incidents.length, 1);
  assert.equal(incidents[0]?.root.component.type, 'process');
  const last = incidents[0]?.chain.at(-1);
  assert.deepEqual([last?.kind, last?.time.slice(0, 19), last?.order_unknown], ['job.rank_killed', '2026-11-28T06:32:11', false]); // biome-ignore format: one row
  assert.deepEqual(inputs.map(({ assumed }) => assumed), [[], ['time_of_other_log']]); // biome-ignore format: one row
  assert.match((await scan([folder])).stdout, /without times is put at the fault that another log dates/);
});

test('a line without a time in a log that has times is of the kill of its job, minutes after the line before it', async (t) => {
  const job = (step: string) => [
    '[2026-11-28 06:31:50,101][INFO] loader: index 11/64',
    step,
    'srun: error: gx-03: task 0: Out Of Memory',
  ];
  const kernel = [killed('06:32:11', SLURM, 80111)];
  const { incidents } = await scanned(saved(t, { 'kern.log': kernel, 'slurm-4831.out': job(STEP) }));
  assert.equal(incidents.length, 1);
  assert.equal(incidents[0]?.root.component.type, 'process');
  assert.equal(incidents[0]?.chain.at(-1)?.time.slice(0, 19), '2026-11-28T06:32:11');
  const other = job(STEP.replace('4831', '4832'));
  assert.equal((await scanned(saved(t, { 'kern.log': kernel, 'slurm-4832.out': other }))).incidents.length, 2);
});

test('PBS says it of the number that its log is called after, and torchrun of the process', async (t) => {
  const pbs = saved(t, {
    'kern.log': [killed('06:32:11', '/pbs_jobs.service/jobid/5512.pbs01', 80111)],
    'lmp.o5512': ['=>> PBS: job killed: mem job total 268468220 kb exceeded limit 268435456 kb'],
  });
  assert.equal((await scanned(pbs)).incidents.length, 1);
  const torchrun = saved(t, {
    'kern.log': [killed('06:32:11', '/user.slice/user-1000.slice/session-4.scope', 70231)],
    'run.log': ['torch.distributed.elastic.multiprocessing.api: failed (exitcode: -9) local_rank: 3 (pid: 70231) of binary: /opt/conda/bin/python3'], // biome-ignore format: one line
  });
  assert.equal((await scanned(torchrun)).incidents.length, 1);
});

test('a kill in the control group of another job is another incident', async (t) => {
  const folder = saved(t, {
    'kern.log': [killed('06:32:11', '/system.slice/slurmstepd.scope/job_4799', 80111)],
    'slurm-4831.out': [STEP],
  });
  assert.equal((await scanned(folder)).incidents.length, 2);
});

const FABRIC = [
  '2026-11-28T03:00:01.100000+00:00 gx-44 systemd[1]: nvidia-fabricmanager.service: Main process exited, code=exited, status=1/FAILURE',
];
const NOT_YET = 'RuntimeError: Unexpected error from cudaGetDeviceCount(). Error 802: system not yet initialized';

test('the same at the same place is one, which a job met', async (t) => {
  const folder = saved(t, { 'gx-44.log': FABRIC, 'job.out': [NOT_YET] });
  assert.equal((await scanned(folder)).incidents.length, 1);
  assert.match((await scan([folder])).stdout, /Effect {6}a job there ended: RuntimeError/);
});

test('which of two times hours apart is meant nothing says: then it is neither', async (t) => {
  const twice = [...FABRIC, ...FABRIC.map((line) => line.replace('T03', 'T09'))];
  const folder = saved(t, { 'gx-44.log': twice, 'job.out': [NOT_YET] });
  const { inputs } = await scanned(folder);
  assert.deepEqual(inputs.at(-1)?.assumed, ['file_time']);
});

test('a job without times is put to the only fault that can have ended it, in an order that is open', async (t) => {
  const folder = saved(t, {
    messages: [at('03:12:09', 'NVRM: Xid (PCI:0000:9b:00): 79, pid=8812, name=python3, GPU has fallen off the bus.')],
    'train.out': ['step 100 loss 2.1', 'torch.AcceleratorError: CUDA error: unspecified launch failure'],
  });
  const { incidents } = await scanned(folder);
  assert.equal(incidents.length, 1);
  assert.equal(incidents[0]?.root.kind, 'gpu.lost');
  assert.equal(incidents[0]?.chain.at(-1)?.order_unknown, true);
});

test('a traceback without times below a dated step is of when the only thing broke that can have ended it', async (t) => {
  const kernel = (time: string, message: string) => `2026-11-27T${time}+00:00 hx-4 kernel: ${message}`;
  const fell = kernel('08:00:41.120000', 'NVRM: Xid (PCI:0000:9a:00): 79, GPU has fallen off the bus.');
  const job = [
    '[2026-11-27 08:00:20] iteration     410/  9000 | elapsed time per iteration (ms): 6021.4 | lm loss: 2.110E+00 |',
    '[rank3]: Traceback (most recent call last):',
    '[rank3]: torch.AcceleratorError: CUDA error: unspecified launch failure',
  ];
  const one = await scannedLogs(t, { messages: [fell], 'job-77.log': job });
  assert.equal(one.match(/^INCIDENT/gm)?.length, 1, one);
  assert.match(one, /Effect +hx-4 gpu .*job 77 rank 3: rank crashed/);
  // Two things broke at two times: of which of them it is, nothing says.
  const other = kernel('08:05:41.120000', 'NVRM: Xid (PCI:0000:5a:00): 79, GPU has fallen off the bus.');
  const two = await scannedLogs(t, { messages: [fell, other], 'job-77.log': job });
  assert.doesNotMatch(two, /Effect +hx-4 gpu .*job 77 rank 3/);
});
