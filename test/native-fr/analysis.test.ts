// The analysis of whole jobs: every injected fault is named, in any order of files, without holding up JavaScript.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { analyseFlightRecorder } from '../../src/sources/flight-recorder/dumps/analyse.ts';
import { analyseCase, scoreOf } from './accuracy.ts';
import { KINDS, makeCase } from './generator/cases.ts';

const root = mkdtempSync(join(tmpdir(), 'fl-fr-'));
after(() => rmSync(root, { recursive: true }));

function write(files: readonly { readonly name: string; readonly bytes: Buffer }[]): string {
  const folder = mkdtempSync(join(root, 'job-'));
  for (const { name, bytes } of files) writeFileSync(join(folder, name), bytes);
  return folder;
}

describe('a generated job with one fault', () => {
  for (const kind of KINDS) {
    test(`${kind} is reported, and exactly the right ranks are named`, async () => {
      for (let seed = 0; seed < 6; seed += 1) {
        const made = makeCase(kind, seed);
        const document = await analyseCase(made);
        const reported = document.verdicts.map(({ type, culprits }) => `${type} ${culprits.join()}`);
        assert.equal(scoreOf(made, document), 'right', `seed ${seed}: ${reported.join('; ')}`);
      }
    });
  }
});

test('a stall that continued is reported where it began, whatever the clocks of the hosts say', async () => {
  const entry = (group: number, sequence: number, retired: boolean, timeNs: number) =>
    `{"record_id":${timeNs},"pg_id":${group === 0 ? 0 : 1},"process_group":["${group}","${group === 0 ? 'default_pg' : 'tp'}"],` +
    `"collective_seq_id":${sequence},"op_id":${sequence},"profiling_name":"gloo:all_reduce","time_created_ns":${timeNs},"retired":${retired}}`;
  const dump = (...entries: string[]) =>
    Buffer.from(`{"version":"2.10","pg_status":{"0":{},"1":{}},"entries":[${entries.join()}]}`);
  // Rank 2 stops before the operation of its pair; its partner's clock is behind that of the ranks that wait in the world.
  const files = [0, 1, 2, 3].map((rank) => {
    const [pair, began] = [1 + (rank >> 1), [entry(1 + (rank >> 1), 1, true, 100), entry(0, 1, true, 200)]];
    const more =
      rank < 2 ? [entry(pair, 2, true, 300), entry(0, 2, false, 400)] : rank === 3 ? [entry(pair, 2, false, 900)] : [];
    return { name: `rank_${rank}`, bytes: dump(...began, ...more) };
  });
  const { verdicts } = await analyseFlightRecorder([write(files)]);
  assert.deepEqual(
    verdicts.map(({ type, culprits, group }) => [type, culprits, group?.ranks]),
    [['not_joined', [2], [2, 3]]],
  );
});

test('Gloo with several groups: its one list of members is of any of them and is not believed', async () => {
  const entry = (group: number, desc: string, sequence: number, operation: string, retired: boolean) =>
    `{"record_id":${sequence},"pg_id":${group === 0 ? 0 : 1},"process_group":["${group}","${desc}"],"collective_seq_id":${sequence},` +
    `"op_id":${sequence},"profiling_name":"gloo:${operation}","time_created_ns":${1_795_818_000_000_000_000n},"retired":${retired},` +
    '"input_sizes":[[4]],"output_sizes":[[4]],"input_dtypes":["Float"],"output_dtypes":["Float"],"state":"scheduled","is_p2p":false}';
  const dump = (rank: number) =>
    '{"version":"2.10","pg_config":{"":{"name":"","desc":"","ranks":"[0, 1]"}},"pg_status":{"0":{},"1":{}},"entries":[' +
    `${entry(1 + (rank >> 1), 'tp', 1, 'all_reduce', true)},${entry(0, 'default_pg', 1, rank === 2 ? 'broadcast' : 'all_reduce', false)}]}`;
  const files = (ranks: readonly number[]) =>
    ranks.map((rank) => ({ name: `rank_${rank}`, bytes: Buffer.from(dump(rank)) }));
  for (const ranks of [
    [0, 1, 2, 3],
    [1, 2, 3],
  ]) {
    const { verdicts, culprits, job } = await analyseFlightRecorder([write(files(ranks))]);
    assert.deepEqual([verdicts[0]?.type, culprits.map(({ rank }) => rank), job.world_size], ['mismatch', [2], 4]);
  }
  const cut = await analyseFlightRecorder([write([...files([1, 2, 3]), { name: 'rank_0', bytes: Buffer.alloc(0) }])]);
  assert.deepEqual([cut.culprits.map(({ rank }) => rank), cut.job.world_size], [[2], 4]);
});

test('the order in which files are given changes nothing', async () => {
  const made = makeCase('cascade', 3);
  const folder = write(made.files);
  const paths = made.files.map(({ name }) => join(folder, name));
  const first = await analyseFlightRecorder([folder]);
  for (const order of [paths.toReversed(), [...paths.slice(5), ...paths.slice(0, 5)], [...paths, ...paths]]) {
    assert.deepEqual(await analyseFlightRecorder(order), first);
  }
});

test('a rank whose file cannot be read is reported with the place, and the others are still joined', async () => {
  const made = makeCase('not_joined', 1);
  const [culprit] = made.culprits;
  const broken = made.files.find(({ name }) => !name.endsWith(`_${culprit}`));
  assert.ok(broken);
  const evil = Buffer.from('\x80\x02}cos\nsystem\n.', 'latin1');
  const document = await analyseFlightRecorder([
    write(made.files.map((file) => (file === broken ? { name: file.name, bytes: evil } : file))),
  ]);
  assert.deepEqual(
    document.culprits.map(({ rank }) => rank),
    [culprit],
  );
  const refused = document.job.dumps.find(({ path }) => path.endsWith(broken.name));
  assert.deepEqual(refused?.rejected, { offset: 3, opcode: 0x63, why: 'an opcode that no flight recorder writes' });
});

test('ranks come from the content where names do not tell, and hosts from names', async () => {
  const made = makeCase('cascade', 2);
  const named = made.files.map(({ bytes }, rank) => ({ name: `trace_rank_gpu${rank >> 3}.example_${rank}`, bytes }));
  const document = await analyseFlightRecorder([write(named)]);
  assert.deepEqual(
    document.culprits.map(({ rank }) => rank),
    made.culprits,
  );
  assert.deepEqual([...new Set(document.job.dumps.map(({ host }) => host))], ['gpu0.example', 'gpu1.example']);
});

test('links, folders next to dumps and other files are passed over', async () => {
  const made = makeCase('healthy', 1, 8);
  const folder = write(made.files);
  writeFileSync(join(folder, 'truth.json'), '{"type":"none","culprits":[]}');
  writeFileSync(join(folder, 'notes.txt'), 'rank 3');
  symlinkSync('/etc/hostname', join(folder, 'nccl_trace_rank_77'));
  const document = await analyseFlightRecorder([folder]);
  assert.deepEqual(
    document.job.dumps.map(({ rank, rejected }) => [rank, rejected]),
    made.files.map((_, rank) => [rank, undefined]),
  );
  assert.deepEqual(document.job.missing_ranks, []);
});

test('times keep their nanoseconds', async () => {
  const document = await analyseCase(makeCase('not_joined', 4));
  assert.match(document.verdicts[0]?.since ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/);
});

test('a folder that is not there is reported; an abort ends the analysis', async () => {
  const document = await analyseFlightRecorder([join(root, 'nothing')]);
  assert.match(document.job.errors.join(), /nothing: No such file/);
  const folder = write(makeCase('healthy', 1, 8).files);
  await assert.rejects(analyseFlightRecorder([folder], { signal: AbortSignal.abort() }), /FL2403 .*cancelled/);
});

test('JavaScript continues while dumps are read', async () => {
  const folder = write(makeCase('cascade', 5, 64).files);
  let turns = 0;
  const timer = setImmediate(function turn() {
    turns += 1;
    if (turns < 3) setImmediate(turn);
  });
  let before = 0;
  await analyseFlightRecorder([folder], {
    onStart: () => {
      before = turns;
    },
  });
  clearImmediate(timer);
  assert.equal(before, 0);
  assert.ok(turns >= 1, 'no turn of the event loop was taken between start and end');
});

test('a dump that was cut before its first operation hides a member, and makes no rank that is not there', async () => {
  const group = (rank: number) => (rank < 2 ? '1' : '2');
  const entry = (rank: number, desc: string, name: string, sequence: number, retired: boolean) =>
    `{"record_id":${sequence},"pg_id":${desc === 'tp' ? 1 : 0},"process_group":["${name}","${desc}"],"collective_seq_id":${sequence},"op_id":${sequence},` +
    `"profiling_name":"gloo:all_reduce","time_created_ns":${1_795_818_000_000_000_000n + BigInt(rank)},"retired":${retired},` +
    '"input_sizes":[[4]],"output_sizes":[[4]],"input_dtypes":["Float"],"output_dtypes":["Float"],"state":"scheduled","is_p2p":false}';
  const head =
    '{"version":"2.10","pg_config":{"":{"name":"","desc":"","ranks":"[]"}},"pg_status":{"0":{},"1":{}},"entries":[';
  const dump = (rank: number) =>
    `${head}${entry(rank, 'tp', group(rank), 1, rank < 2)}${rank < 2 ? `,${entry(rank, 'default_pg', '0', 1, false)}` : ''}]}`;
  const files = [0, 1, 3].map((rank) => ({ name: `rank_${rank}`, bytes: Buffer.from(dump(rank)) }));
  // The nameless group of its configuration was still read.
  const cut = Buffer.from(head.replace('"[]"', '"[0, 1, 2, 3]"').slice(0, -'"entries":['.length));
  const { culprits, job } = await analyseFlightRecorder([write([...files, { name: 'rank_2', bytes: cut }])]);
  assert.ok(!culprits.some(({ rank }) => rank > 3), JSON.stringify(culprits));
  assert.equal(job.world_size, 4);
});
