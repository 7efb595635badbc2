// What command lines say of ranks: launchers as people call them, local ranks that are handed on, titles of inference servers.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type SaidByCommand, saidByCommand } from '../../../src/identity/rank/said-by-command.ts';

const world = (hosts: object) => Buffer.from(JSON.stringify(hosts)).toString('base64url');
const CASES: readonly (readonly [string, Partial<SaidByCommand> | null])[] = [
  ['torchrun --nproc_per_node=8 train.py', { nodes: 1, nodeRank: 0, perNode: 8 }],
  ['/opt/venv/bin/python3 /opt/venv/bin/torchrun --standalone --nproc-per-node gpu train.py', { nodes: 1, nodeRank: 0 }],
  ['python -m torch.distributed.run --nnodes=4 --node-rank=3 --nproc-per-node=8 -m pkg.train', { nodes: 4, nodeRank: 3, perNode: 8 }],
  ['torchrun --nnodes 2:2 --node_rank 1 --nproc_per_node 4 x.py --node_rank 7', { nodes: 2, nodeRank: 1, perNode: 4 }],
  ['torchrun --nnodes=1:4 --nproc_per_node=8 --rdzv-backend=c10d train.py', { perNode: 8 }], // elastic: how many nodes is not said
  ['torchrun --nnodes=2 --nproc_per_node=8 --rdzv-backend=c10d train.py', { nodes: 2, perNode: 8 }],
  ['python -m torch.distributed.launch --nproc_per_node=2 train.py', { nodes: 1, nodeRank: 0, perNode: 2 }],
  ['accelerate launch --num_machines 2 --machine_rank 1 --num_processes 16 train.py', { nodes: 2, nodeRank: 1, perNode: 8 }],
  ['accelerate launch train.py', null],
  [`python -u -m deepspeed.launcher.launch --world_info=${world({ a: [0, 1], b: [0, 1] })} --node_rank=1 train.py`, { nodes: 2, nodeRank: 1, perNode: 2 }],
  [`python -m deepspeed.launcher.launch --world_info=${world({ a: [0, 1], b: [0] })} --node_rank=1 train.py`, null],
  ['python -m deepspeed.launcher.launch --world_info=%%% --node_rank=1 train.py', null],
  ['mpirun -np 4 python train.py', { nodes: 1, nodeRank: 0, perNode: 4 }],
  ['mpirun -np 16 -H a:8,b:8 python train.py', null],
  ['mpirun --hostfile h -np 16 python train.py', null],
  ['python -u train.py --local_rank=3 --deepspeed', { localRank: 3 }],
  ['python train.py --local-rank 5', { localRank: 5 }],
  ['python train.py --local_rank=-1', null],
  ['VLLM::Worker_TP3', { titleRank: 3 }],
  ['VLLM::Worker_TP3_EP3', { titleRank: 3 }],
  ['VLLM::Worker_PP1_TP0', null],
  ['VLLM::EngineCore', null],
  ['sglang::scheduler_TP1', { titleRank: 1 }],
  ['sglang::scheduler_DP0_TP1', null],
  ['python train.py', null],
  ['torchrun --nnodes=99999999999 --nproc_per_node=x train.py', null],
  ['', null],
]; // biome-ignore format: one row a command

for (const [text, said] of CASES)
  test(`${text.slice(0, 90)}`, () => {
    const nothing = { localRank: null, nodes: null, nodeRank: null, perNode: null, titleRank: null };
    assert.deepEqual(saidByCommand(text === '' ? [] : text.split(' ')), said === null ? null : { ...nothing, ...said });
  });
