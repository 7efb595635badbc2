// The script for slurmd's prologue and epilogue: it leaves one whole file, and never fails, as that would drain the node.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { jobFileOf } from '../../src/sources/slurm/read/job-files.ts';

const SCRIPT = join(import.meta.dirname, '../../deploy/slurm/faultline-job');
const place = mkdtempSync(join(tmpdir(), 'faultline-prologue-'));
after(() => rmSync(place, { recursive: true }));
const folder = join(place, 'jobs');

function run(environment: Record<string, string>): number | null {
  const { status, stdout, stderr } = spawnSync(SCRIPT, { env: { FAULTLINE_JOB_FOLDER: folder, ...environment } });
  assert.equal(`${stdout}${stderr}`, '');
  return status;
}

const JOB = {
  SLURM_JOB_ID: '993',
  SLURM_JOB_UID: '1001',
  SLURM_JOB_USER: 'ada',
  SLURM_ARRAY_JOB_ID: '991',
  SLURM_ARRAY_TASK_ID: '3',
  SLURM_JOB_GPUS: '4,5',
  SLURM_JOB_STDOUT: '/s/train-993.out',
};

test('a prologue leaves one file of the job, which its epilogue takes away', () => {
  assert.equal(run({ ...JOB, SLURM_SCRIPT_CONTEXT: 'prolog_slurmd' }), 0);
  assert.deepEqual(readdirSync(folder), ['993']);
  const file = jobFileOf(readFileSync(join(folder, '993'), 'utf8'));
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  assert.deepEqual(
    [file?.number, file?.user, file?.uid, file?.array, file?.gpus, file?.output, file?.bootId],
    [993, 'ada', 1001, { job: 991, task: 3 }, [4, 5], '/s/train-993.out', boot],
  );
  assert.equal(run({ ...JOB, SLURM_SCRIPT_CONTEXT: 'epilog_slurmd' }), 0);
  assert.deepEqual(readdirSync(folder), []);
});

test('a user cannot say whose job it is by the name of a job or folder', () => {
  const evil = 'x\nSLURM_JOB_USER=root\nSLURM_JOB_UID=0\nSLURM_JOB_GPUS=0,1,2,3';
  run({ ...JOB, SLURM_JOB_NAME: evil, SLURM_JOB_WORK_DIR: evil, SLURM_SCRIPT_CONTEXT: 'prolog_slurmd' });
  const file = jobFileOf(readFileSync(join(folder, '993'), 'utf8'));
  assert.deepEqual([file?.user, file?.uid, file?.gpus, file?.name], ['ada', 1001, [4, 5], 'x']);
});

test('it ends with 0 whatever is wrong: no job, no folder that it may make, no such file to take away', () => {
  for (const context of ['prolog_slurmd', 'epilog_slurmd', '']) {
    assert.equal(run({ SLURM_SCRIPT_CONTEXT: context }), 0);
    assert.equal(run({ ...JOB, SLURM_JOB_ID: '../../etc/x', SLURM_SCRIPT_CONTEXT: context }), 0);
    assert.equal(run({ ...JOB, FAULTLINE_JOB_FOLDER: '/proc/nowhere', SLURM_SCRIPT_CONTEXT: context }), 0);
  }
  assert.equal(run({ ...JOB, SLURM_JOB_ID: '4', SLURM_SCRIPT_CONTEXT: 'epilog_slurmd' }), 0);
});
