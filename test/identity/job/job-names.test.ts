// Job names: a log's job and a launcher's job are one where the same processes are behind both, and stay two where facts differ.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JobNames } from '../../../src/identity/job/job-names.ts';
import type { WrittenFile } from '../../../src/native.ts';

const log = (job: string, inode: number, owner = 1000) => ({ job, path: `/logs/${job}.log`, real: `/data/${job}.log`, inode, owner }); // biome-ignore format: one log
const rank = (pid: number, job: string | null = '991', user = 1000) => ({ pid, job, rank: pid - 100, root: '', namedBy: [user, user] as const }); // biome-ignore format: one rank
const file = (path: string, inode: number, by: WrittenFile['by'] = 'itself') => ({ path, inode, by, output: false });

function names(...jobs: string[]): JobNames {
  const made = new JobNames();
  made.configured(jobs.map((job) => ({ job, ranks: [] })));
  for (const [i, job] of jobs.entries()) made.follows(log(job, 10 + i));
  return made;
}

for (const by of ['itself', 'ancestor', 'pipe', 'group'] as const) {
  test(`ranks whose log is written by ${by} are of the job of the log, and the launcher's name is another one of it`, () => {
    const jobs = names('llama-70b', 'eval');
    const writes = new Map([100, 101].map((pid) => [pid, [file('/inside/llama-70b.log', 10, by)]]));
    jobs.ranks([rank(100), rank(101)], writes);
    assert.deepEqual([jobs.ofRank(rank(100)), jobs.ofRank(rank(101))], ['llama-70b', 'llama-70b']);
    assert.deepEqual([jobs.canonical('991'), jobs.aliasesOf('llama-70b')], ['llama-70b', ['991']]);
    assert.equal(jobs.ofDumps('/dumps/x', 1000, { job: '991', stranger: false }), 'llama-70b');
    assert.match(jobs.namedBy(100) ?? '', /writes \/logs\/llama-70b\.log$/);
    assert.deepEqual(jobs.conflicts, []);
  });
}

test('the nearest process counts: what a rank writes itself goes before what its launcher writes', () => {
  const jobs = names('llama-70b', 'batch');
  jobs.ranks([rank(100)], new Map([[100, [file('/x/batch.log', 11, 'ancestor'), file('/x/llama-70b.log', 10)]]]));
  assert.equal(jobs.ofRank(rank(100)), 'llama-70b');
  assert.deepEqual(jobs.conflicts, []);
});

test('two logs that are equally near decide nothing, and the reason is there', () => {
  const jobs = names('llama-70b', 'eval');
  jobs.ranks([rank(100)], new Map([[100, [file('/x/llama-70b.log', 10), file('/x/eval.log', 11)]]]));
  assert.equal(jobs.ofRank(rank(100)), '991');
  assert.equal(jobs.canonical('991'), '991');
  assert.deepEqual(jobs.conflicts, [
    'rank 0 of job 991 has no one log: logs of eval and llama-70b are equally near to it',
  ]);
});

test('one allocation with two jobs in it is two jobs', () => {
  const jobs = names('llama-70b', 'eval');
  jobs.ranks([rank(100), rank(101)], new Map([[100, [file('/x/llama-70b.log', 10)]], [101, [file('/x/eval.log', 11)]]])); // biome-ignore format: one call
  assert.deepEqual([jobs.ofRank(rank(100)), jobs.ofRank(rank(101))], ['llama-70b', 'eval']);
  assert.equal(jobs.canonical('991'), '991');
  assert.deepEqual(jobs.conflicts, ['ranks of job 991 belong to eval and llama-70b']);
});

test('a second user who writes to the log of a job does not become part of it', () => {
  const jobs = names('llama-70b', 'eval');
  const writes = new Map([100, 101].map((pid) => [pid, [file('/x/llama-70b.log', 10)]]));
  jobs.ranks([rank(100), rank(101, '992', 1001)], writes);
  assert.deepEqual([jobs.ofRank(rank(100)), jobs.ofRank(rank(101, '992', 1001))], ['llama-70b', '992']);
  assert.match(jobs.conflicts.join(), /rank 1 of job 992 is of user 1001, and job llama-70b of user 1000/);
});

test('a file of another name or another inode is another file; without inodes the whole path counts', () => {
  const jobs = names('llama-70b', 'eval');
  const seen = (written: WrittenFile) => {
    const one = names('llama-70b', 'eval');
    one.ranks([rank(100)], new Map([[100, [written]]]));
    return one.ofRank(rank(100));
  };
  assert.equal(seen(file('/x/llama-70b.log', 99)), '991');
  assert.equal(seen(file('/x/other.log', 10)), '991');
  assert.equal(seen(file('/x/llama-70b.log', 0)), '991');
  assert.equal(seen(file('/data/llama-70b.log', 0)), 'llama-70b');
  assert.equal(seen(file('/logs/llama-70b.log (deleted)', 10)), 'llama-70b');
  assert.equal(jobs.ofRank(rank(100)), '991');
});

test('a line that names the process of a rank joins the two, for the user whose file it is in', () => {
  const jobs = names('llama-70b', 'eval');
  jobs.lineNames('llama-70b', 100);
  jobs.lineNames('llama-70b', 101);
  jobs.lineNames('nothing-configured', 102);
  jobs.ranks([rank(100), rank(101, '992', 1001), rank(102)], new Map());
  assert.equal(jobs.ofRank(rank(100)), 'llama-70b');
  assert.equal(jobs.ofRank(rank(101, '992', 1001)), '992');
  assert.equal(jobs.ofRank(rank(102)), '991');
});

test('what a log said once stays when it is rotated, and a later run of the job is the same job', () => {
  const jobs = names('llama-70b', 'eval');
  jobs.ranks([rank(100)], new Map([[100, [file('/x/llama-70b.log', 10)]]]));
  jobs.follows(log('llama-70b', 77));
  jobs.ranks([rank(100)], new Map([[100, [file('/x/llama-70b.log.1', 10)]]]));
  assert.equal(jobs.ofRank(rank(100)), 'llama-70b');
  jobs.ranks([rank(200, '1004')], new Map([[200, [file('/x/llama-70b.log', 77)]]]));
  assert.deepEqual(jobs.aliasesOf('llama-70b'), ['991', '1004']);
});

test('the folder that the configuration names goes before the log, and a difference between them is a fact', () => {
  const jobs = names('llama-70b', 'eval');
  jobs.declared(new Map([[100, 'by-folder']]));
  jobs.ranks([rank(100)], new Map([[100, [file('/x/llama-70b.log', 10)]]]));
  assert.equal(jobs.ofRank(rank(100)), 'by-folder');
  assert.match(jobs.conflicts.join(), /dumps into the folder of job by-folder, and it writes \/logs\/llama-70b\.log/);
});
