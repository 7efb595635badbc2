// What a command line says: who starts ranks, and with which framework.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { frameworkOf } from '../../../src/identity/work/framework.ts';
import { launcherOf } from '../../../src/identity/work/launcher.ts';

// biome-ignore format: one row a command line
const LAUNCHERS: readonly (readonly [line: string, launcher: string | null])[] = [
  ['/usr/bin/python3 /usr/local/bin/torchrun --nproc-per-node 8 train.py', 'torchrun'],
  ['torchrun --standalone train.py', 'torchrun'],
  ['python3.11 -u -m torch.distributed.run --nnodes 2 train.py', 'torchrun'],
  ['python -X faulthandler -m torch.distributed.launch train.py', 'torchrun'],
  ['/venv/bin/python /venv/bin/accelerate launch train.py', 'accelerate'],
  ['python -m deepspeed.launcher.launch --world_info=x train.py', 'deepspeed'],
  ['python /venv/bin/deepspeed train.py', 'deepspeed'],
  ['mpirun -np 8 ./train', 'mpi'],
  ['/opt/openmpi/bin/orted -mca ess env', 'mpi'],
  ['hydra_pmi_proxy --control-port n1:1', 'mpi'],
  ['slurmstepd: [991.0]', 'slurm'],
  ['srun python train.py', 'slurm'],
  ['bash /var/spool/slurmd/job00991/slurm_script', null],
  ['python train.py --launcher torchrun', null],
  ['python -m train torchrun', null],
  ['python -c import_torchrun', null],
  ['/bin/sh -c torchrun', null],
  ['', null],
];

test('launchers are known by the program or the module that runs, never by an argument', () => {
  for (const [line, launcher] of LAUNCHERS) assert.equal(launcherOf(line.split(' ')), launcher, line);
});

// biome-ignore format: one row a process
const FRAMEWORKS: readonly (readonly [line: string, variables: Record<string, string>, libraries: readonly string[], name: string | null])[] = [
  ['python -m torchtitan.train --job.config_file x', {}, ['libtorch_cpu'], 'torchtitan'],
  ['python /opt/megatron-lm/pretrain_gpt.py --num-layers 4', {}, [], 'megatron'],
  ['python train.py --tensor-model-parallel-size 8', {}, [], 'megatron'],
  ['python train.py --deepspeed ds.json', {}, [], 'deepspeed'],
  ['python train.py', { ACCELERATE_USE_DEEPSPEED: 'true' }, [], 'deepspeed'],
  ['/venv/bin/python /venv/bin/vllm serve m', {}, ['libtorch_cpu'], 'vllm'],
  ['python -m sglang.launch_server', {}, [], 'sglang'],
  ['ray::TrainWorker', {}, [], 'ray'],
  ['python train.py', { JAX_PROCESS_ID: '0' }, [], 'jax'],
  ['python train.py', {}, ['/jaxlib/'], 'jax'],
  ['python train.py', {}, ['libtorch_cpu', 'libtorch_python'], 'pytorch'],
  ['python train.py', {}, [], null],
  ['python /home/u/my-vllm-notes.py', {}, [], null],
];

test('frameworks are known by command line, variables and libraries, what is built on others first', () => {
  for (const [line, variables, libraries, name] of FRAMEWORKS)
    assert.equal(frameworkOf(line.split(' '), variables, libraries)?.name ?? null, name, line);
});
