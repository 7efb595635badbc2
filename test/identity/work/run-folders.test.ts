// Where a job is recorded by Weights & Biases and TensorBoard: by option, variable and the names of files that it writes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namedFolders, runFoldersOf } from '../../../src/identity/work/run-folders.ts';
import type { WrittenFile } from '../../../src/native.ts';
import { processFact } from './facts.ts';
import { only } from './views.ts';

const file = (path: string, by: WrittenFile['by'] = 'itself'): WrittenFile => ({ path, inode: 1, by, output: false });
const short = (folders: ReturnType<typeof runFoldersOf>) => folders.map(({ tool, path }) => `${tool} ${path}`);

test('options of the trainers and variables name them', () => {
  const command = [
    'python',
    'pretrain_gpt.py',
    '--tensorboard-dir',
    '/runs/tb',
    '--wandb-save-dir=/runs/wb',
    '--lr',
    '1',
  ];
  assert.deepEqual(namedFolders(command, { WANDB_DIR: '/home/ada', TENSORBOARD_LOGGING_DIR: 'logs/7' }), [
    { tool: 'wandb', path: '/runs/wb', knownBy: 'command line' },
    { tool: 'wandb', path: '/home/ada', knownBy: 'WANDB_DIR' },
    { tool: 'tensorboard', path: '/runs/tb', knownBy: 'command line' },
    { tool: 'tensorboard', path: 'logs/7', knownBy: 'TENSORBOARD_LOGGING_DIR' },
  ]);
});

test('an option without a value, an empty one, and one that could steer a terminal name nothing', () => {
  for (const command of [
    ['x.py', '--tensorboard-dir'],
    ['x.py', '--wandb_dir', '--lr'],
    ['x.py', '--logging_dir='],
  ])
    assert.deepEqual(namedFolders(command, { WANDB_DIR: '', TENSORBOARD_LOGGING_DIR: '/a\u001b[2J' }), []);
});

test('a file that either tool writes names its folder; files of others, and of what started the job, do not', () => {
  const writes = [
    file('/runs/7/events.out.tfevents.1764400000.n3.4711.0'),
    file('/home/ada/wandb/run-20261129_101500-k3v9x2ab/logs/debug.log'),
    file('/home/ada/wandb/offline-run-20261129_101500-k3v9x2ac/run-k3v9x2ac.wandb', 'group'),
    file('/elsewhere/events.out.tfevents.1.n3', 'ancestor'),
    file('/home/ada/wandb/notes.txt'),
    file('/runs/7/events.out.tfevents.d/x'),
  ];
  assert.deepEqual(short(runFoldersOf([{ folders: [], writes }])), [
    'wandb /home/ada/wandb/offline-run-20261129_101500-k3v9x2ac',
    'wandb /home/ada/wandb/run-20261129_101500-k3v9x2ab',
    'tensorboard /runs/7',
  ]);
});

test('eight ranks with one folder have it once, their number is bounded, and a job without one has none', () => {
  const rank = (path: string) => ({ folders: namedFolders(['x.py', '--tensorboard-dir', path], {}), writes: [] });
  assert.equal(runFoldersOf(Array.from({ length: 8 }, () => rank('/runs/tb'))).length, 1);
  assert.equal(runFoldersOf(Array.from({ length: 99 }, (_, n) => rank(`/runs/${n}`))).length, 16);
  assert.equal('runFolders' in only({ processes: [processFact(10, { variables: { RANK: '0' } })] }), false);
});

test('they are part of the job', () => {
  const variables = { RANK: '0', WORLD_SIZE: '1', WANDB_DIR: '/runs/wb' };
  const work = only({ processes: [processFact(10, { variables, folders: namedFolders([], variables) })] });
  assert.deepEqual(work.runFolders, [{ tool: 'wandb', path: '/runs/wb', knownBy: 'WANDB_DIR' }]);
});
