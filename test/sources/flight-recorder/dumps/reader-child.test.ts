// The reader process: the same answer as in our own, no rights, and every way in which it can end.

import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { analyseFlightRecorder, nativePath } from '../../../../src/native.ts';
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

test('an unreadable path is told, not fatal', async () => {
  const { document } = await readDumps([join(root, 'nothing')], never, { program });
  assert.match(document.job.errors.join(), /No such file/);
});

test('a reader that dies, says nothing or never ends is an error with its reason', async () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['kill -SEGV $$', /ended by SIGSEGV/],
    ['exit 75', /ended by signal 11/],
    ['exit 4', /more memory/],
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
