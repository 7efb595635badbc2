// The start of a file is read whole, up to a bound, also where the size of the file says nothing.

import assert from 'node:assert/strict';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readStart, readStartSync } from '../../src/helpers/read-start.ts';

test('whole where it is short, cut where it is long', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-start-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'text');
  writeFileSync(path, '0123456789');
  await using file = await open(path);
  assert.equal((await readStart(file, 100)).toString(), '0123456789');
  assert.equal((await readStart(file, 4)).toString(), '0123');
  const fd = openSync(path, 'r');
  assert.equal(readStartSync(fd, 100).toString(), '0123456789');
  assert.equal(readStartSync(fd, 4).toString(), '0123');
  closeSync(fd);
});

test('a file without a size is read to its end', async () => {
  await using file = await open('/proc/self/status');
  assert.match((await readStart(file, 65_536)).toString(), /^Name:[\s\S]*\n$/);
});

test('short reads are put together', async () => {
  const bytes = Buffer.from('abcdef');
  const drip = {
    read: async (buffer: Buffer, offset: number, _length: number, position: number | null) => ({
      bytesRead: bytes.copy(buffer, offset, position ?? 0, (position ?? 0) + 2),
    }),
  };
  assert.equal((await readStart(drip, 5)).toString(), 'abcdef'.slice(0, 5));
});
