// faultline fr as a user runs it: text and document, what is not there yet, what cannot be read.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { progressText } from '../../src/commands/fr/progress.ts';
import { namedRanks } from '../../src/commands/fr/ranks.ts';
import { makeCase } from '../native-fr/generator/cases.ts';
import { faultline, folder } from './run-cli.ts';

function job(kind: 'cascade' | 'healthy' | 'mismatch_dtype', seed = 1): { path: string; culprits: readonly number[] } {
  const made = makeCase(kind, seed);
  const path = folder();
  for (const { name, bytes } of made.files) writeFileSync(join(path, name), bytes);
  return { path, culprits: made.culprits };
}

test('text says who, where, since when, who waits, how sure and what to look at', async () => {
  const { path, culprits } = job('cascade');
  const { status, stdout, stderr } = await faultline(['fr', path]);
  assert.deepEqual([status, stderr], [0, '']);
  assert.match(stdout, new RegExp(`^NOT JOINED +\\d+ % sure\\nWho +Rank ${culprits[0]} did not enter`, 'm'));
  for (const label of ['Where', 'Since', 'Wait', 'Seen', 'Because', 'Look next']) {
    assert.match(stdout, new RegExp(`^${label} `, 'm'));
  }
  for (const line of stdout.split('\n')) assert.ok(line.length <= 100, line);
});

test('--json prints the document of the contract', async () => {
  const { path, culprits } = job('mismatch_dtype');
  const { status, stdout } = await faultline(['fr', path, '--json']);
  const document = JSON.parse(stdout);
  assert.deepEqual([status, document.schema, document.culprits[0].rank], [0, 'faultline/fr/1', culprits[0]]);
  assert.deepEqual([document.verdicts[0].type, document.mismatches[0].what], ['mismatch', 'dtype']);
  assert.deepEqual([document.mismatches[0].expected.dtype, document.mismatches[0].found.dtype], ['BFloat16', 'Half']);
});

test('a healthy job is reported as healthy', async () => {
  const { status, stdout } = await faultline(['fr', job('healthy').path]);
  assert.equal(status, 0);
  assert.match(stdout, /^NO STALL SEEN/m);
});

test('a dump that names no operation and no group says nothing of the job', async () => {
  const path = folder();
  writeFileSync(join(path, 'rank_0'), '{"a":1}');
  writeFileSync(join(path, 'rank_1'), '{"a":');
  const { stdout } = await faultline(['fr', path]);
  assert.match(stdout, /^NOTHING CAN BE SAID$/m);
  const { verdicts } = JSON.parse((await faultline(['fr', path, '--json'])).stdout);
  assert.deepEqual([verdicts[0].type, verdicts[0].confidence], ['none', 0]);
});

test('nothing to read ends with status 1', async () => {
  const empty = await faultline(['fr', folder()]);
  assert.equal(empty.status, 1);
  assert.match(empty.stderr, /^FL2401 /m);
  const other = folder();
  writeFileSync(join(other, 'rank_0'), 'hello');
  const unread = await faultline(['fr', other]);
  assert.equal(unread.status, 1);
  assert.match(unread.stderr, /^FL2401 the only file in .* could not be read as a dump: give the folder .*$/m);
  assert.match(unread.stderr, /rank_0: is neither a pickled dump nor one in JSON: it begins with "hello"$/m);
  const gone = await faultline(['fr', '/nonexistent/dumps']);
  assert.equal(
    gone.stderr,
    'FL2402 /nonexistent/dumps: No such file or directory. Give the folder or the files that TORCH_FR_DUMP_TEMP_FILE names\n',
  );
});

test('of operations that were launched together the one that differs is named', async () => {
  const path = folder();
  const { files, culprits } = makeCase('coalesced_mismatch', 1);
  for (const { name, bytes } of files) writeFileSync(join(path, name), bytes);
  const { stdout } = await faultline(['fr', path]);
  const said = stdout.replaceAll(/\s+/g, ' ');
  const [wrong, right] = ['[[99]]', '[[256]]'];
  assert.ok(said.includes(`Rank ${culprits[0]} called all_reduce with ${wrong} as number 3 of 3 launched together where the others had ${right}`), said); // biome-ignore format: one line
});

test('of a file that is not a dump it is said how it begins', async () => {
  const whys: string[] = [];
  for (const content of ['ELF\x01\x02', 'Traceback (most recent', '[1, 2]']) {
    const path = folder();
    writeFileSync(join(path, 'rank_0'), Buffer.from(content, 'latin1'));
    whys.push(/begins with (.*)$/m.exec((await faultline(['fr', path])).stderr)?.[1] ?? '');
  }
  assert.deepEqual(whys, ['"ELF\\x01\\x02"', '"Traceback (most "', '"[1, 2]"']);
});

test('text from a dump cannot steer the terminal', async () => {
  const path = folder();
  const entry = (rank: number) =>
    `{"record_id":0,"profiling_name":"gloo:\\u001b[2Jwipe\\u202e","process_group":["0","default_pg"],"collective_seq_id":1,"retired":false,"time_created_ns":${rank + 1}}`;
  for (const rank of [0, 1]) {
    writeFileSync(join(path, `rank_${rank}`), `{"version":"2.10","pg_status":{},"entries":[${entry(rank)}]}`);
  }
  const { stdout } = await faultline(['fr', path]);
  assert.match(stdout, /wipe/);
  for (const mark of ['\u001b', '\u202e']) assert.ok(!stdout.includes(mark));
});

test('ranks are written as runs, and long lists are cut', () => {
  assert.equal(namedRanks([3]), 'rank 3');
  assert.equal(namedRanks([0, 1, 2, 4, 5, 9]), 'ranks 0…2, 4, 5, 9');
  const odd = Array.from({ length: 20 }, (_, index) => index * 2 + 1);
  assert.equal(namedRanks(odd), 'ranks 1, 3, 5, 7, 9, 11, 13, 15 and 12 more');
});

test('progress says what, how far and how long still', () => {
  assert.equal(progressText({ files: 0, done: 0, bytes: 0 }, 0), 'looking for dumps');
  assert.equal(
    progressText({ files: 1024, done: 256, bytes: 64e6 }, 1000),
    'reading dump 256 of 1024, 64 MB, 3 s left',
  );
  assert.equal(progressText({ files: 8, done: 8, bytes: 1 }, 1), 'joining 8 dumps');
});

test('--job for dumps, which do not say their job, is reported to choose nothing', async () => {
  const { path } = job('healthy');
  const { status, stderr, stdout } = await faultline(['fr', '--job', 'llama', path]);
  assert.equal(status, 0);
  assert.match(stderr, /^FL2420 --job llama chooses among summaries, .* analysed as one\. Give the folder .*\n$/);
  assert.match(stdout, /^NO STALL SEEN/m);
  const summary = await faultline(['fr', '--summary', '--job', 'llama', path]);
  assert.equal(summary.stderr, '');
  const file = join(folder(), 'llama.jsonl');
  writeFileSync(file, summary.stdout);
  assert.equal((await faultline(['fr', '--job', 'llama', file])).stderr, '');
});

test('older dumps of the same ranks are reported once, with what to do if they are of another job', async () => {
  const { path } = job('healthy');
  const other = makeCase('cascade', 1, 16, { tickMs: 1, dumped: () => 12 });
  for (const { name, bytes } of other.files) writeFileSync(join(path, `run1_${name}`), bytes);
  const { stdout } = await faultline(['fr', path]);
  assert.match(
    stdout.replaceAll(/\s+/g, ' '),
    /Older dumps of ranks 0…15 were left out .* give the files of one job alone/,
  );
  assert.equal(stdout.includes('Not read'), false);
});

test('in a ring that all are part of, no rank is said to differ from the others', async () => {
  const path = folder();
  const groups = [[0, 1], [1, 2], [2, 0]]; // biome-ignore format: one line
  for (const rank of [0, 1, 2]) {
    const entries = [rank, (rank + 2) % 3].map((group, record) => ({
      record_id: record, pg_id: group, process_group: [`${group + 1}`, `g${group}`], collective_seq_id: 1, op_id: 1, profiling_name: 'nccl:all_reduce',
      time_created_ns: `${1_795_818_000_000_000_000n + BigInt(record)}`, input_sizes: [[8]], state: 'scheduled', retired: false, is_p2p: false,
    })); // biome-ignore format: one line
    const config = Object.fromEntries(groups.map((ranks, group) => [`${group + 1}`, { name: `${group + 1}`, desc: `g${group}`, ranks: `[${ranks.join(', ')}]` }])); // biome-ignore format: one line
    writeFileSync(join(path, `rank_${rank}`), JSON.stringify({ version: '2.9', pg_config: config, entries }));
  }
  const { stdout } = await faultline(['fr', path]);
  assert.match(stdout, /^LOCK ORDER .*\nWho +Ranks 0…2 wait for each other/m);
  assert.equal(stdout.includes('than the others'), false);
});
