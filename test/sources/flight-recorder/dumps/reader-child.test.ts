// The reader process: the same answer as in our own, no rights, and every way in which it can end.

import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { nativePath } from '../../../../src/native.ts';
import { analyseFlightRecorder } from '../../../../src/sources/flight-recorder/dumps/analyse.ts';
import { readDumps } from '../../../../src/sources/flight-recorder/dumps/reader-child.ts';
import { makeCase } from '../../../native-fr/generator/cases.ts';

const root = mkdtempSync(join(tmpdir(), 'fl-reader-'));
after(() => rmSync(root, { recursive: true }));
const program = nativePath('faultline-fr');
const never = new AbortController().signal;

function write(kind: 'cascade' | 'mismatch_size', size = 16): string[] {
  const folder = mkdtempSync(join(root, 'job-'));
  return makeCase(kind, 1, size).files.map(({ name, bytes }) => {
    writeFileSync(join(folder, name), bytes);
    return join(folder, name);
  });
}

function script(text: string): string {
  const path = join(mkdtempSync(join(root, 's-')), 'reader');
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

test('what the reader says is what is said here, with the parts that were cut counted', async () => {
  for (const kind of ['cascade', 'mismatch_size'] as const) {
    const paths = write(kind, 128);
    const { document, kept } = await readDumps(paths, never, { program });
    const here = await analyseFlightRecorder(paths);
    assert.equal(kept, '', 'everything could be taken from it');
    assert.deepEqual(document.culprits, here.culprits);
    assert.deepEqual(document.verdicts.map(({ type, since }) => [type, since]), here.verdicts.map(({ type, since }) => [type, since])); // biome-ignore format: one line
    assert.deepEqual([document.job.dumps.length, document.job.dumps_count], [0, 128]);
    const world = document.verdicts.find(({ waiting_count }) => waiting_count > 64);
    assert.ok(world === undefined || world.waiting.length === 64);
  }
});

test('a hostile dump is refused by byte and opcode, and the others are still joined', async () => {
  const paths = write('cascade');
  writeFileSync(paths[3] ?? '', Buffer.from("\x80\x02cos\nsystem\n(S'true'\ntR.", 'latin1'));
  const { document } = await readDumps(paths, never, { program });
  assert.deepEqual([document.job.dumps_count, document.job.refused_count], [16, 1]);
  assert.deepEqual(document.job.dumps[0]?.rejected?.opcode, 0x63);
});

/** Pairs of ranks of which one waits, as JSON; every name in every stack is as long as a name is shown, and needs escapes. */
function longWinded(): string[] {
  const folder = mkdtempSync(join(root, 'long-'));
  return Array.from({ length: 32 }, (_, rank) => {
    const pair = rank >> 1;
    const group = [`${pair}`, 'pp'];
    const entry = (sequence: number, state: string) => ({
      frames: Array.from({ length: 64 }, (_, depth) => ({ name: `${rank} ${depth} ${'"'.repeat(300)}`, filename: '\\'.repeat(300), line: 7 })), // biome-ignore format: one line
      record_id: sequence,
      pg_id: 0,
      process_group: group,
      collective_seq_id: sequence,
      p2p_seq_id: 0,
      op_id: sequence,
      profiling_name: 'nccl:all_reduce',
      time_created_ns: 1_795_818_000_000_000_000 + sequence * 1_000_000,
      input_sizes: [[8]],
      input_dtypes: ['Float'],
      output_sizes: [[8]],
      output_dtypes: ['Float'],
      state,
      retired: state === 'completed',
      timeout_ms: 600_000,
      is_p2p: false,
    });
    const dump = {
      version: '2.10',
      pg_config: { [`${pair}`]: { name: `${pair}`, desc: 'pp', ranks: `[${2 * pair}, ${2 * pair + 1}]` } },
      entries: rank % 2 === 0 ? [entry(1, 'completed'), entry(2, 'scheduled')] : [entry(1, 'completed')],
    };
    const path = join(folder, `nccl_trace_rank_${rank}`);
    writeFileSync(path, JSON.stringify(dump));
    return path;
  });
}

test('however long its texts are, the document is one that is parsed within a moment', async () => {
  const { document } = await readDumps(longWinded(), never, { program });
  const names = document.culprits.map(({ rank }) => rank);
  assert.deepEqual(
    names,
    Array.from({ length: 16 }, (_, pair) => 2 * pair + 1),
  );
  assert.deepEqual([document.verdicts.length, document.verdicts[0]?.frames[0]?.stack.length], [8, 16]);
  const { length } = JSON.stringify(document);
  assert.ok(length > 128 * 1024 && length < 256 * 1024, `${length}`);
});

test('several jobs at once each get their own answer', async () => {
  const jobs = [write('cascade', 16), write('mismatch_size', 32), write('cascade', 128), write('mismatch_size', 64)];
  const alone = await Promise.all(jobs.map((paths) => analyseFlightRecorder(paths)));
  const read = await Promise.all([...jobs, ...jobs].map((paths) => readDumps(paths, never, { program })));
  for (const [index, { document }] of read.entries()) {
    assert.equal(document.job.dumps_count, jobs[index % 4]?.length);
    assert.deepEqual(document.culprits, alone[index % 4]?.culprits);
  }
});

test('an unreadable path is reported, not fatal', async () => {
  const { document } = await readDumps([join(root, 'nothing')], never, { program });
  assert.match(document.job.errors.join(), /No such file/);
});

test('a reader that dies, says nothing or never ends is an error with its reason', async () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['kill -SEGV $$', /ended by SIGSEGV/],
    ['exit 75', /ended by SIGSEGV/],
    ['exit 4', /0 files need more memory than the 1 GiB/],
    ['echo; echo nonsense', /JSON/],
    ['echo; echo {}', /no document/],
  ];
  for (const [text, reason] of cases) {
    await assert.rejects(readDumps([], never, { program: script(text) }), reason);
  }
  await assert.rejects(readDumps([], never, { program: script('exec sleep 60'), deadlineMs: 50 }), /took longer/);
  await assert.rejects(readDumps([], never, { program: join(root, 'no-such-program') }), /ENOENT/);
  await assert.rejects(readDumps([], never, { program: script('exec yes'), deadlineMs: 30_000 }), /said more than/);
  const abort = new AbortController();
  const stopped = readDumps([], abort.signal, { program: script('exec sleep 60') });
  abort.abort();
  await assert.rejects(stopped, /stopped/);
});
