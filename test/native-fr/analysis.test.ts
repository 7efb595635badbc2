// The analysis of whole jobs: every injected fault is named, in any order of files, without holding up JavaScript.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { analyseFlightRecorder } from '../../src/native.ts';
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
    test(`${kind} is told, and exactly the right ranks are named`, async () => {
      for (let seed = 0; seed < 6; seed += 1) {
        const made = makeCase(kind, seed);
        const document = await analyseCase(made);
        const told = document.verdicts.map(({ type, culprits }) => `${type} ${culprits.join()}`);
        assert.equal(scoreOf(made, document), 'right', `seed ${seed}: ${told.join('; ')}`);
      }
    });
  }
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

test('a rank whose file cannot be read is told with the place, and the others are still joined', async () => {
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

test('links, folders beside dumps and other files are passed over', async () => {
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

test('a folder that is not there is told; an abort ends the analysis', async () => {
  const document = await analyseFlightRecorder([join(root, 'nothing')]);
  assert.match(document.job.errors.join(), /nothing: No such file/);
  const folder = write(makeCase('healthy', 1, 8).files);
  await assert.rejects(analyseFlightRecorder([folder], { signal: AbortSignal.abort() }), /FL2403 .*cancelled/);
});

test('JavaScript goes on while dumps are read', async () => {
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
