// Places of dumps: one folder is read once, under the name that the configuration gives it before that of a launcher.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { rankEnvironment } from '../../../../src/identity/rank/environment.ts';
import type { RankProcess } from '../../../../src/identity/rank/processes.ts';
import { Places } from '../../../../src/sources/flight-recorder/dumps/places.ts';

const root = mkdtempSync(join(tmpdir(), 'fl-places-'));
after(() => rmSync(root, { recursive: true }));

function folder(): string {
  const path = mkdtempSync(join(root, 'job-'));
  mkdirSync(path, { recursive: true });
  return path;
}

function rank(pid: number, prefix: string, job: string): RankProcess {
  const [RANK, WORLD_SIZE] = [`${pid % 100}`, '8'];
  const environment = rankEnvironment({ RANK, WORLD_SIZE, SLURM_JOB_ID: job, TORCH_FR_DUMP_TEMP_FILE: prefix });
  assert.ok(environment !== null);
  return { ...environment, pid, root: '', role: '' };
}

const reported = (places: Places) =>
  places.all.map(({ job, localRanks, worldSize }) => ({ job, ranks: [...localRanks], worldSize }));

test('a folder that the configuration and the ranks name is one place, under the name of the configuration', async () => {
  const path = folder();
  const places = new Places([{ path, pattern: '*', job: 'llama' }]);
  const ranks = [rank(100, `${path}/nccl_trace_rank_`, '4711'), rank(101, `${path}/nccl_trace_rank_`, '4711')];
  const jobs = await places.refresh(ranks, 0);
  assert.deepEqual(reported(places), [{ job: 'llama', ranks: [0, 1], worldSize: 8 }]);
  assert.deepEqual([...jobs], [[100, 'llama'], [101, 'llama']]); // biome-ignore format: one line
  const none = await places.refresh([], 0);
  assert.deepEqual(reported(places), [{ job: 'llama', ranks: [], worldSize: 8 }]);
  assert.equal(none.size, 0);
});

test('names that the configured pattern does not take are a place of their own', async () => {
  const path = folder();
  const places = new Places([{ path, pattern: 'other_*', job: 'llama' }]);
  await places.refresh([rank(100, `${path}/nccl_trace_rank_`, '4711')], 0);
  assert.deepEqual(
    reported(places).map(({ job, ranks }) => [job, ranks]),
    [
      ['llama', []],
      ['4711', [0]],
    ],
  );
});

test('two jobs that dump into one configured folder without a name stay two', async () => {
  const path = folder();
  const places = new Places([{ path, pattern: '*', job: null }]);
  await places.refresh([rank(100, `${path}/a_`, '4711'), rank(101, `${path}/b_`, '4712')], 0);
  assert.deepEqual(
    reported(places).map(({ job, ranks }) => [job, ranks]),
    [
      ['4711', [0]],
      ['4712', [1]],
    ],
  );
});
