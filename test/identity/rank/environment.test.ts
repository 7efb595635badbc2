// A rank's environment: what is taken from it, what is not, and what hostile ones do.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { devicesOf, rankEnvironment } from '../../../src/identity/rank/environment.ts';

const environ = (entries: Readonly<Record<string, string>>): Readonly<Record<string, string>> => entries;

test('rank, job, dumps, pipe and devices are taken', () => {
  const rank = rankEnvironment(
    environ({
      SECRET_TOKEN: 'hunter2',
      RANK: '12',
      WORLD_SIZE: '16',
      LOCAL_RANK: '4',
      SLURM_JOB_ID: '981',
      TORCH_NCCL_DEBUG_INFO_TEMP_FILE: '/dumps/nccl_trace_rank_',
      TORCH_NCCL_DEBUG_INFO_PIPE_FILE: '/run/fr/pipe_',
      CUDA_VISIBLE_DEVICES: '0,1',
    }),
  );
  assert.deepEqual(rank, {
    rank: 12,
    worldSize: 16,
    localRank: 4,
    job: '981',
    dumpPrefixes: ['/dumps/nccl_trace_rank_'],
    pipe: '/run/fr/pipe_12.pipe',
    devices: { ...devicesOf({}), cuda: '0,1' },
    off: null,
  });
});

test('without a prefix the defaults of PyTorch are looked at', () => {
  assert.deepEqual(rankEnvironment(environ({ RANK: '0', HOME: '/home/a' }))?.dumpPrefixes, [
    '/home/a/.cache/torch/comm_lib_trace_rank_',
    '/home/a/.cache/torch/nccl_trace_rank_',
    '/tmp/nccl_trace_rank_',
  ]);
  assert.equal(
    rankEnvironment(environ({ RANK: '0', XDG_CACHE_HOME: '/c' }))?.dumpPrefixes[0],
    '/c/torch/comm_lib_trace_rank_',
  );
});

test('the newer of two names counts, and a buffer of no entries is a recorder that is off', () => {
  const rank = rankEnvironment(
    environ({
      RANK: '1',
      TORCH_NCCL_DEBUG_INFO_TEMP_FILE: '/old_',
      TORCH_FR_DUMP_TEMP_FILE: '/new_',
      TORCH_FR_BUFFER_SIZE: '0',
    }),
  );
  assert.deepEqual([rank?.dumpPrefixes, rank?.off], [['/new_'], 'TORCH_FR_BUFFER_SIZE=0']);
});

test('what is not a rank is none; paths that climb, relative paths and odd job names are not taken', () => {
  for (const odd of [
    {},
    { RANK: '' },
    { RANK: '-1' },
    { RANK: '4', WORLD_SIZE: '4' },
    { RANK: '99999999' },
    { RANK: '1e3' },
  ]) {
    assert.equal(rankEnvironment(environ(odd)), null);
  }
  const rank = rankEnvironment(
    environ({
      RANK: '1',
      TORCH_FR_DUMP_TEMP_FILE: '/dumps/../etc/x_',
      TORCH_FR_DEBUG_INFO_PIPE_FILE: 'pipe_',
      TORCHELASTIC_RUN_ID: 'a/b',
    }),
  );
  assert.deepEqual([rank?.dumpPrefixes, rank?.pipe, rank?.job], [[], null, null]);
  assert.equal(rankEnvironment(environ({ RANK: '1', TORCHELASTIC_RUN_ID: 'none' }))?.job, null);
});

test('an object without the variables, or with the names of its own parts, is not a rank', () => {
  assert.equal(rankEnvironment({}), null);
  assert.equal(rankEnvironment(Object.create({ RANK: '1' })), null);
});
