// What an operator's command reads of dumps, it reads in the confined child: a file that ends the child is left out by its name.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, describe, test } from 'node:test';
import type { FlightRecorderDocument } from '../../../../src/model/documents/flight-recorder.ts';
import { native, nativePath } from '../../../../src/native.ts';
import { type AnalyseOptions, analyseDumps } from '../../../../src/sources/flight-recorder/dumps/analyse.ts';
import { makeCase } from '../../../native-fr/generator/cases.ts';
import { builtShim, markedJob, shimmedReader } from './shim.ts';

const SIZE = 64;
const root = mkdtempSync(join(tmpdir(), 'fl-analyse-'));
after(() => rmSync(root, { recursive: true }));

function written(): { folder: string; culprits: readonly number[] } {
  const { files, culprits } = makeCase('cascade', 1, 16);
  const folder = mkdtempSync(join(root, 'job-'));
  for (const { name, bytes } of files) writeFileSync(join(folder, name), bytes);
  return { folder, culprits };
}

const ranks = ({ culprits }: FlightRecorderDocument): number[] => culprits.map(({ rank }) => rank);
const refusals = ({ job }: FlightRecorderDocument): string[] =>
  job.dumps.flatMap(({ rank, rejected }) => (rejected === undefined ? [] : [`${rank}: ${rejected.why}`]));

test('the addon has no reader of dumps: neither an export nor a line of its code', () => {
  assert.deepEqual(
    Object.keys(native()).filter((name) => /flight|dump|pickle|analys/i.test(name)),
    [],
  );
  const code = readFileSync(nativePath('faultline.node'), 'latin1');
  assert.ok(!/flight_recorder|read_pickle|faultline\/fr\/1/.test(code));
  assert.match(
    readFileSync(nativePath('faultline-fr'), 'latin1'),
    /faultline\/fr\/1/,
    'where it is looked for, it is found',
  );
});

test('the child has given up every right, and paths are those that the user gave', async () => {
  const { folder, culprits } = written();
  const { document, kept } = await analyseDumps([relative(process.cwd(), folder)]);
  assert.deepEqual([ranks(document), kept], [culprits, '']);
  assert.equal(document.job.dumps[0]?.path, join(relative(process.cwd(), folder), 'nccl_trace_rank_0'));
  const odd = join(folder, '@1000,100:');
  writeFileSync(odd, 'no dump');
  assert.deepEqual(refusals((await analyseDumps([odd])).document).length, 1);
});

test('a file that needs more memory than there is is left out by its name, and the others are read', async () => {
  const { folder, culprits } = written();
  writeFileSync(join(folder, 'nccl_trace_rank_40'), Buffer.alloc(28 * 1024 * 1024, '\x80\x02}'));
  const { document } = await analyseDumps([folder], { memoryMib: 24 });
  assert.deepEqual(ranks(document), culprits);
  assert.match(refusals(document).join(), /^40: needs more memory than the 24 MiB that its reader may take/);
});

test('where no file is to blame for want of memory, it is said how much there was', async () => {
  const { folder } = written();
  for (let rank = 40; rank < 45; rank += 1) {
    writeFileSync(join(folder, `nccl_trace_rank_${rank}`), Buffer.alloc(28 * 1024 * 1024, '\x80\x02}'));
  }
  await assert.rejects(analyseDumps([folder], { memoryMib: 24 }), /FL2403 .* more memory than the 24 MiB/);
});

test('a reader that is missing, fails or answers nonsense is an error that says so', async () => {
  const script = (text: string): AnalyseOptions => {
    const program = join(mkdtempSync(join(root, 's-')), 'reader');
    writeFileSync(program, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    return { program };
  };
  const program = join(root, 'no-such-reader');
  await assert.rejects(analyseDumps([root], { program }), /FL2403 .*no-such-reader could not be run: ENOENT/);
  await assert.rejects(analyseDumps([root], script('kill -SEGV $$')), /FL2403 .*ended by SIGSEGV/);
  await assert.rejects(analyseDumps([root], script('exit 75')), /FL2403 .*ended by SIGSEGV/);
  await assert.rejects(analyseDumps([root], script('exit 3')), /FL2403 .*status 3/);
  await assert.rejects(analyseDumps([root], script('echo; echo nonsense')), /FL2403 .*no document/);
  const abort = new AbortController();
  const stopped = analyseDumps([root], { ...script('exec sleep 60'), signal: abort.signal });
  abort.abort();
  await assert.rejects(stopped, /FL2403 .*cancelled/);
});

const library = builtShim(root);
describe('a file that ends the child', {
  skip: library === null ? 'needs a C compiler: apt-get install gcc' : false,
}, () => {
  test('by a crash: it is named with the signal, and the others are read', async () => {
    const { folder, culprits, marked } = markedJob(root, SIZE);
    const { document } = await analyseDumps([folder], { program: shimmedReader(library ?? '', 'parses') });
    assert.deepEqual([ranks(document), document.job.dumps.length], [culprits, SIZE]);
    assert.match(refusals(document).join(), new RegExp(`^${marked}: ended its reader twice .*Segmentation fault`));
  });

  test('once, as an administrator might: it is read all the same', async () => {
    const { folder, culprits } = markedJob(root, SIZE);
    const { document } = await analyseDumps([folder], { program: shimmedReader(library ?? '', 'parses-first') });
    assert.deepEqual([ranks(document), refusals(document)], [culprits, []]);
  });

  test('by work without end: it is named with the time that it had, and the others are read', async () => {
    const { folder, culprits, marked } = markedJob(root, SIZE);
    const options = { program: shimmedReader(library ?? '', 'loops'), fileSeconds: 1 };
    const { document } = await analyseDumps([folder], options);
    assert.deepEqual(ranks(document), culprits);
    assert.match(refusals(document).join(), new RegExp(`^${marked}: was still being read after 1 s`));
  });
});
