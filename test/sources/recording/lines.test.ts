// Lines come back whole wherever the chunks end; one that is too long is passed over, whatever its length.

import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { CheckedFile } from '../../../src/sources/files/checked-file.ts';
import { boundedLines } from '../../../src/sources/recording/lines.ts';

const folder = mkdtempSync(join(tmpdir(), 'lines '));
after(() => rmSync(folder, { recursive: true }));

async function linesOf(content: string, maxBytes: number): Promise<(string | null)[]> {
  const path = join(folder, 'file');
  writeFileSync(path, content);
  await using file = await CheckedFile.open(path);
  const lines: (string | null)[] = [];
  for await (const line of boundedLines(file, maxBytes)) lines.push(line);
  return lines;
}

test('lines, empty lines and a last line without its end', async () => {
  assert.deepEqual(await linesOf('a\n\nb\r\nä', 10), ['a', '', 'b', 'ä']);
  assert.deepEqual(await linesOf('', 10), []);
});

test('a line of more bytes than the bound is null, its neighbours are whole', async () => {
  const chunk = 64 * 1024; // what a read stream hands over at once
  const long = 'x'.repeat(3 * chunk);
  assert.deepEqual(await linesOf(`before\n${long}\nafter\n`, 100), ['before', null, 'after']);
  assert.deepEqual(await linesOf(`before\n${long}`, 100), ['before', null]);
  assert.deepEqual(await linesOf(`${long}\n${long}`, 3 * chunk), [long, long]);
});

test('a hole of 15 terabytes costs one line and no time', async () => {
  const path = join(folder, 'sparse');
  writeFileSync(path, 'before\n');
  truncateSync(path, 15 * 2 ** 40);
  appendFileSync(path, '\nafter\n');
  await using file = await CheckedFile.open(path);
  const lines: (string | null)[] = [];
  for await (const line of boundedLines(file, 100_000)) lines.push(line);
  assert.deepEqual(lines, ['before', null, 'after']);
});
