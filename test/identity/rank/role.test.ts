// Which part of the work a rank does: from its command line, and nothing where that does not say it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { roleOf } from '../../../src/identity/rank/role.ts';

const role = (line: string, rank: number, worldSize: number | null = 16): string =>
  roleOf(line.split(' '), rank, worldSize);

test('ranks of one program without stages are of one role', () => {
  const line = '/usr/bin/python3 -u /job/pretrain_gpt.py --tensor-model-parallel-size 8 --seed 3';
  assert.equal(role(line, 0), 'pretrain_gpt.py');
  assert.equal(role(line, 15), 'pretrain_gpt.py');
  assert.equal(role('python -m torchtitan.train --job.config_file x.toml', 4), 'torchtitan.train');
  assert.equal(role('/opt/bench --size 4', 1), 'bench');
});

test('pipeline stages do different work: each is a role', () => {
  const megatron = 'python pretrain_gpt.py --pipeline-model-parallel-size 4';
  assert.deepEqual(
    [0, 3, 4, 15].map((rank) => role(megatron, rank)),
    [0, 0, 1, 3].map((stage) => `pretrain_gpt.py stage ${stage}/4`),
  );
  const titan = 'python -m torchtitan.train --parallelism.pipeline_parallel_degree=2';
  assert.deepEqual([role(titan, 7), role(titan, 8)], ['torchtitan.train stage 0/2', 'torchtitan.train stage 1/2']);
  const inside = `${megatron} --tensor-model-parallel-size 2 --use-tp-pp-dp-mapping`;
  assert.deepEqual(
    [0, 1, 2, 7, 8, 15].map((rank) => role(inside, rank).at(-3)),
    ['0', '0', '1', '3', '0', '3'],
  );
});

test('a server that fills and one that decodes are reported apart', () => {
  const server = 'python -m sglang.launch_server --disaggregation-mode';
  assert.equal(role(`${server} prefill`, 0), 'sglang.launch_server prefill');
  assert.equal(role(`${server}=decode`, 0), 'sglang.launch_server decode');
  assert.equal(role(`${server} null`, 0), 'sglang.launch_server');
});

test('a layout that does not add up, or whose size is unknown, is not a stage', () => {
  const line = 'python train.py --pipeline-model-parallel-size 3';
  assert.equal(role(line, 5, 16), 'train.py');
  assert.equal(role(line, 5, null), 'train.py');
  for (const size of ['x', '0', '-1', '1', '999999', '']) {
    assert.equal(role(`python train.py --pipeline-model-parallel-size ${size}`, 5), 'train.py', size);
  }
  assert.equal(roleOf([], 0, 1), '');
});

test('whatever a tenant writes there, a role is a short line of plain words', () => {
  const word = fc.oneof(fc.string({ unit: 'binary', maxLength: 200 }), fc.constantFrom('-m', '--pp-size', 'a.py', '8'));
  fc.assert(
    fc.property(fc.array(word, { maxLength: 20 }), fc.nat(100_000), fc.option(fc.nat(100_000)), (words, rank, world) =>
      assert.match(roleOf(words, rank, world), /^[\w.+/ -]{0,100}$/),
    ),
  );
});
