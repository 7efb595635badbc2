// File trouble: each failure says what is there and what to do, whoever reported it: Node, native code or a library.

import assert from 'node:assert/strict';
import { mkdtempSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readTrouble, writeTrouble } from '../../../src/helpers/files/file-trouble.ts';

const folder = mkdtempSync(join(tmpdir(), 'fl-trouble-'));

function thrown(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

test('what the system reports is said in words, with what to do', () => {
  const absent = join(folder, 'none');
  const through = join(folder, 'file', 'more');
  writeFileSync(join(folder, 'file'), '');
  const read = (path: string) => readTrouble(thrown(() => readFileSync(path)), path, 'Name another'); // biome-ignore format: one call
  assert.equal(read(absent), 'there is no such file. Name another');
  assert.equal(read(folder), 'it is a folder, not a file. Name another');
  assert.equal(read(through), 'a part of its path is a file, no folder. Name another');
  const out = join(absent, 'out');
  const error = thrown(() => openSync(out, 'w'));
  assert.equal(writeTrouble(error, out, 'Name another'), 'its folder is not there. Name another');
});

test('who may open a file that this user may not is said, in the words of native code too', () => {
  const shut = new Error(`${folder}: Permission denied`);
  assert.match(readTrouble(shut, folder, 'Name another'), /^this user may not\. .*Use sudo: sudo /);
});

test('what is not known keeps its words, and a remedy of its own', () => {
  assert.equal(readTrouble(new Error('it hums'), folder, 'Name another'), 'it hums. Name another');
  const own = Object.assign(new Error('it is a FIFO'), { remedy: 'Use a file' });
  assert.equal(readTrouble(own, folder, 'Name another'), 'it is a FIFO. Use a file');
});
