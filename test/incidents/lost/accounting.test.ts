// Slurm's accounting as sacct of several versions writes it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountedHours, readAccounting } from '../../../src/incidents/lost/accounting.ts';
import { isInNodeList } from '../../../src/incidents/lost/node-list.ts';

const HEAD = 'JobID|JobIDRaw|User|Account|State|Start|End|AllocTRES|NNodes|NodeList';
const START = 1_763_300_000;

test('a table has its jobs without their steps, GPUs counted once, times in the zone or as seconds', () => {
  const jobs = readAccounting(
    [
      HEAD,
      `991_3|995|alice|nlp|CANCELLED by 1000|${START}|${START + 3600}|billing=8,cpu=64,gres/gpu:h100=8,gres/gpu=8,mem=1T,node=2|2|gpu[01-02]`,
      `991_3.batch|995.batch|||COMPLETED|${START}|${START + 3600}|cpu=64,gres/gpu=8|1|gpu01`,
      '992|992|bob|nlp|RUNNING|2026-11-16T10:00:00|Unknown|gres/gpu:a100=2|1|gpu01',
      '993|993|bob|nlp|PENDING|Unknown|Unknown|||None assigned',
      '994|994|bob|nlp|COMPLETED|2026-11-16T10:00:00|2026-11-16T11:00:00|cpu=4|1|gpu01',
    ].join('\n'),
  );
  assert.deepEqual(
    jobs?.map(({ id, user, state, gpus, nodes, endMs }) => [id, user, state, gpus, nodes, endMs]),
    [
      ['991_3', 'alice', 'CANCELLED', 8, 2, (START + 3600) * 1000],
      ['992', 'bob', 'RUNNING', 2, 1, null],
    ],
  );
  assert.equal(jobs?.[1]?.startMs, new Date('2026-11-16T10:00:00').getTime());
});

/** Field by field as the data parsers v0.0.37 (22.05) and v0.0.41 (24.05) write them. */
const OLD = { job_id: 991, array: { job_id: 0, task_id: null }, user: 'alice', account: 'nlp', state: { current: 'NODE_FAIL', reason: 'None' }, time: { start: START, end: START + 7200, elapsed: 7200 }, allocation_nodes: 1, nodes: 'gpu01', tres: { allocated: [{ type: 'cpu', name: null, id: 1, count: 64 }, { type: 'gres', name: 'gpu', id: 1001, count: 4 }] } }; // biome-ignore format: as recorded
const NEW = { job_id: 995, array: { job_id: 991, task_id: { set: true, infinite: false, number: 3 } }, user: '', association: { user: 'alice', account: 'nlp' }, account: 'nlp', state: { current: ['COMPLETED'], reason: 'None' }, time: { start: { set: true, infinite: false, number: START }, end: { set: true, infinite: false, number: START + 7200 } }, allocation_nodes: 1, nodes: 'gpu01', tres: { allocated: [{ type: 'gres', name: 'gpu', count: 4 }, { type: 'gres', name: 'gpu:h100', count: 4 }] } }; // biome-ignore format: as recorded

test('JSON of any version gives the same', () => {
  const read = (job: object) => readAccounting(JSON.stringify({ meta: {}, jobs: [job], errors: [] }))?.[0];
  assert.deepEqual(read(OLD), { id: '991', user: 'alice', account: 'nlp', state: 'NODE_FAIL', startMs: START * 1000, endMs: (START + 7200) * 1000, gpus: 4, nodes: 1, nodeList: 'gpu01' }); // biome-ignore format: one line
  const later = read(NEW);
  assert.deepEqual([later?.id, later?.user, later?.state, later?.gpus], ['991_3', 'alice', 'COMPLETED', 4]);
  const noTask = read({ ...NEW, array: { job_id: 0, task_id: { set: false, infinite: false, number: 0 } } });
  assert.equal(noTask?.id, '995');
  assert.equal(read({ ...NEW, time: { ...NEW.time, end: 0 } })?.endMs, null, 'it runs');
});

test('what is neither is refused, and damaged entries are left out', () => {
  for (const text of ['', 'hello', '{', '{"jobs": 3}', '[]', 'JobID|State\n1|COMPLETED'])
    assert.equal(readAccounting(text), null, text);
  assert.deepEqual(
    readAccounting('{"jobs": [null, 3, {}, {"job_id": "x"}, {"job_id": 1, "time": {"start": "no"}}]}'),
    [],
  );
  assert.deepEqual(readAccounting(`${HEAD}\n1|||||||||\n|||`), []);
});

test('hours are those of one node within the window', () => {
  const [job] = readAccounting(`${HEAD}\n1|1|a|b|X|${START}|${START + 36_000}|gres/gpu=16|2|n[1-2]`) ?? [];
  assert.ok(job);
  assert.equal(accountedHours(job, 0, (START + 72_000) * 1000), 80);
  assert.equal(accountedHours(job, (START + 18_000) * 1000, (START + 21_600) * 1000), 8);
  assert.equal(accountedHours(job, (START + 40_000) * 1000, (START + 72_000) * 1000), 0);
});

test('a node is found in a list as Slurm writes it', () => {
  for (const [
    list,
    node,
  ] of [['gpu[01-04,7]', 'gpu03'], ['gpu[01-04,7]', 'gpu7'], ['a,gpu1,b', 'gpu1.example.org'], ['r[1-2]n[01-20]', 'r2n13'], ['gpu[8-12]', 'gpu10'], ['gpu[1-3]-ib', 'gpu2-ib']] as const) // biome-ignore format: one line
    assert.ok(isInNodeList(list, node), `${node} in ${list}`);
  for (const [
    list,
    node,
  ] of [['gpu[01-04]', 'gpu3'], ['gpu[1-4]', 'gpu03'], ['gpu[1-4]', 'gpu5'], ['gpu1', 'gpu10'], ['', 'gpu1'], ['gpu[1-', 'gpu1'], ['None assigned', 'gpu1']] as const) // biome-ignore format: one line
    assert.ok(!isInNodeList(list, node), `${node} not in ${list}`);
});
