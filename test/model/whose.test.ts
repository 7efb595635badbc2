import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinWhose, schedulerId, type Whose } from '../../src/model/whose.ts';

const ONE: Whose = {
  job: '991',
  aliases: [],
  manager: 'slurm',
  name: null,
  user: 'alice',
  account: null,
  queue: null,
  attempt: null,
  pods: [],
  ranks: [],
  by: 'device',
};

test('one job is named once, with all the ranks and pods that were hit', () => {
  const pod = (name: string) => ({ namespace: 'ml', name, uid: name, container: null });
  const joined = joinWhose([
    { ...ONE, ranks: [3], pods: [pod('a')] },
    { ...ONE, ranks: [1, 3], pods: [pod('a'), pod('b')], by: 'process' },
    { ...ONE, job: '992' },
  ]);
  assert.deepEqual(
    joined.map(({ job, ranks, pods, by }) => [job, ranks, pods.map(({ name }) => name), by]),
    [
      ['991', [1, 3], ['a', 'b'], 'process'],
      ['992', [], [], 'device'],
    ],
  );
});

test('jobs that were only there give way to those that were hit', () => {
  const there: Whose = { ...ONE, job: '5', by: 'host' };
  assert.deepEqual(
    joinWhose([there, ONE]).map(({ job }) => job),
    ['991'],
  );
  assert.deepEqual(
    joinWhose([there]).map(({ job }) => job),
    ['5'],
  );
});

test('pods of no known job are not one', () => {
  const of = (name: string): Whose => ({
    ...ONE,
    job: null,
    pods: [{ namespace: 'ml', name, uid: name, container: null }],
  });
  assert.equal(joinWhose([of('a'), of('b'), of('a')]).length, 2);
});

test('there are no more of them than a report can hold', () => {
  const many = Array.from({ length: 100 }, (_, n) => ({ ...ONE, job: `${n}`, ranks: Array.from({ length: 5000 }, (_, r) => r) })); // biome-ignore format: one line
  assert.deepEqual([joinWhose(many).length, joinWhose(many)[0]?.ranks.length], [16, 256]);
});

test('the id of a scheduler goes before the name that the configuration gave, and a pid names no job', () => {
  assert.equal(schedulerId('llama', ['4711', '991_3'], 'slurm'), '4711');
  assert.equal(schedulerId('991_3', ['995'], 'slurm'), '991_3');
  assert.equal(schedulerId('llama', [], 'torchrun'), 'llama');
  for (const made of ['pid-4711', 'pid-4711-uid-1000', '0123456789ab', 'pod-5f0c1d2e-0000-4000-8000-000000000000'])
    assert.equal(schedulerId(made, [], 'docker'), null, made);
  assert.equal(schedulerId('pid-controller', [], 'torchrun'), 'pid-controller');
  assert.equal(schedulerId(null, [], null), null);
});
