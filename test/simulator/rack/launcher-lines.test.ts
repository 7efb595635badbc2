// Launcher lines: the decoders of real logs read them as the end of the rank that the scenario names.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { launcherLines, type RankEnd } from '../../../src/simulator/rack/launcher-lines.ts';

const NOW = new Date('2026-11-28T12:03:11.417Z');
const lines = (end: RankEnd): string[] => launcherLines(end, { ranks: [4, 5, 6] }, 'node-1', NOW);

test('torchrun ends the others and says how the one ended, by its place on the host', () => {
  assert.deepEqual(lines({ rank: 5 }), [
    'W1128 12:03:11.417000 39000 torch/distributed/elastic/multiprocessing/api.py:897] Sending process 40004 closing signal SIGTERM',
    'W1128 12:03:11.417000 39000 torch/distributed/elastic/multiprocessing/api.py:897] Sending process 40006 closing signal SIGTERM',
    'E1128 12:03:11.417000 39000 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: -9) local_rank: 1 (pid: 40005) of binary: /usr/bin/python3',
  ]);
});

test('srun and mpirun say it in their own words', () => {
  assert.deepEqual(lines({ rank: 5, signal: 11, launcher: 'srun' }), [
    'srun: error: node-1: task 5: Segmentation fault',
  ]);
  assert.deepEqual(lines({ rank: 5, code: 3, launcher: 'srun' }), [
    'srun: error: node-1: task 5: Exited with exit code 3',
  ]);
  assert.deepEqual(lines({ rank: 5, pid: 77, signal: 6, launcher: 'mpirun' }), [
    'mpirun noticed that process rank 5 with PID 77 on node node-1 exited on signal 6 (Aborted).',
  ]);
  assert.equal(lines({ rank: 5, code: 1, launcher: 'mpirun' }).at(-1), '  Exit code:    1');
  assert.deepEqual(lines({ rank: 5, launcher: 'none' }), []);
});
