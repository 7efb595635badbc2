// faultline fr over hostile folders: very many files, names that steer terminals, what may not be read.

import assert from 'node:assert/strict';
import { linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeCase } from '../../native-fr/generator/cases.ts';
import { faultline, folder } from '../run-cli.ts';

function job(path: string): readonly number[] {
  const made = makeCase('cascade', 1);
  for (const { name, bytes } of made.files) writeFileSync(join(path, name), bytes);
  return made.culprits;
}

/** Whether a terminal would act on it: control characters but the newline, C1, and marks that turn the direction of text. */
function steers(text: string): boolean {
  return [...text].some((each) => {
    const point = each.codePointAt(0) ?? 0;
    const control = point < 0x20 || (point >= 0x7f && point < 0xa0);
    return (control && each !== '\n') || (point >= 0x202a && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069);
  });
}

test('among 100,000 other files the dumps are found and the rank is named', async () => {
  const path = folder();
  const culprits = job(path);
  // A file system allows some ten thousand names for one file.
  for (let i = 0; i < 100_000; i += 1) {
    const name = join(path, `metrics-${i}`);
    if (i % 20_000 === 0) writeFileSync(name, '{"metrics": []}');
    else linkSync(join(path, `metrics-${i - (i % 20_000)}`), name);
  }
  const { status, stdout } = await faultline(['fr', path, '--json']);
  rmSync(path, { recursive: true });
  const document = JSON.parse(stdout);
  assert.deepEqual([status, document.job.dumps.length, document.culprits[0].rank], [0, 16, culprits[0]]);
});

test('names with newlines, escapes and turned text are shown without steering the terminal', async () => {
  const path = folder();
  const culprits = job(path);
  const names = [
    'rank_20\u001b]0;owned\u0007',
    'rank_21\nCULPRIT rank 3',
    'rank_22\u202egpj',
    'rank_23\u009b2J',
    'a\u001b[2J',
  ];
  for (const name of names) writeFileSync(join(path, name), '\u0080\u0002cos\nsystem\n.', 'latin1');
  const gone = await faultline(['fr', path, join(path, '\u001b[2J\nnone')]);
  assert.equal(gone.status, 0);
  for (const text of [gone.stdout, gone.stderr]) assert.ok(!steers(text), JSON.stringify(text));
  assert.ok(!gone.stdout.split('\n').some((line) => line.startsWith('CULPRIT')));
  assert.match(gone.stdout, new RegExp(`Rank ${culprits[0]} did not enter`));
  const { stdout } = await faultline(['fr', path, '--json']);
  const document = JSON.parse(stdout);
  const refused = document.job.dumps.filter((dump: { rejected?: object }) => dump.rejected !== undefined);
  assert.deepEqual([refused.length >= 4, refused[0].rejected.opcode], [true, 0x63]);
});

test('links, folders in folders and files that may not be read are reported, and the dumps next to them read', async () => {
  const path = folder();
  const culprits = job(path);
  symlinkSync('/dev/zero', join(path, 'rank_30'));
  mkdirSync(join(path, 'a/b/c/d/e'), { recursive: true });
  symlinkSync(path, join(path, 'a/around'));
  const { status, stdout, stderr } = await faultline(['fr', path, join(path, 'rank_30'), '/proc/self/mem']);
  assert.equal(status, 0);
  assert.match(stdout, new RegExp(`Rank ${culprits[0]} did not enter`));
  assert.ok(!steers(stdout + stderr), JSON.stringify(stdout + stderr));
});
