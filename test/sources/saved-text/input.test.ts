// Inputs: packed files and archives give the bytes that were packed, damaged ones what is left of them.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { inputsIn } from '../../../src/sources/saved-text/input.ts';

async function* pieces(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

interface Found {
  readonly texts: Record<string, string>;
  readonly failures: readonly string[];
}

async function read(bytes: Buffer, name = 'x', size = 1000): Promise<Found> {
  const texts: Record<string, string> = {};
  const failures: string[] = [];
  const input = { name, savedMs: 0, bytes: pieces(bytes, size) };
  for await (const each of inputsIn(input, (failed, why) => failures.push(`${failed}: ${why}`))) {
    const parts: Buffer[] = [];
    for await (const part of each.bytes) parts.push(part);
    texts[each.name] = Buffer.concat(parts).toString();
  }
  return { texts, failures };
}

/** One ustar member. */
function member(name: string, content: string | Buffer, type = '0'): Buffer {
  const header = Buffer.alloc(512);
  const bytes = Buffer.from(content);
  header.write(name);
  header.write(bytes.length.toString(8).padStart(11, '0'), 124);
  header.write('14000000000', 136);
  header.write(type, 156);
  header.write('ustar\u000000', 257);
  header.fill(' ', 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\u0000 `, 148);
  return Buffer.concat([header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]);
}

const TEXT = 'one line\n'.repeat(500);
const END = Buffer.alloc(1024);
const LONG = `${'folder/'.repeat(30)}log`;
const TAR = Buffer.concat([
  member('a/', '', '5'),
  member('a/dmesg', TEXT),
  member('a/link', '', '2'),
  member('a/core', Buffer.alloc(2000, 7)),
  member('a/job.gz', gzipSync('packed within\n')),
  member('././@LongLink', `${LONG}\0`, 'L'),
  member(LONG.slice(0, 100), 'of a long name\n'),
  END,
]);
const IN_TAR = { 'x!a/dmesg': TEXT, 'x!a/job': 'packed within\n', [`x!${LONG}`]: 'of a long name\n' };

test('a file that is not packed is as it is, in pieces of any size', async () => {
  for (const size of [1, 7, 100_000])
    assert.deepEqual((await read(Buffer.from('a\nb\n'), 'x', size)).texts, { x: 'a\nb\n' });
});

test('bzip2 is undone where the program is there, and named where it is not', async () => {
  const packed = spawnSync('bzip2', ['--stdout'], { input: TEXT });
  const there = packed.status === 0;
  const { texts, failures } = await read(there ? packed.stdout : Buffer.from('BZh91AY&SY'), 'd.bz2');
  if (there) assert.deepEqual([texts, failures], [{ d: TEXT }, []]);
  else assert.match(failures[0] ?? '', /^d\.bz2: there is no bzip2: install bzip2, or unpack it first$/);
});

test('gzip, zstd and xz are undone, by their first bytes and not by their names', async () => {
  assert.deepEqual((await read(gzipSync(TEXT), 'd.gz')).texts, { d: TEXT });
  assert.deepEqual((await read(zstdCompressSync(TEXT), 'log')).texts, { log: TEXT });
  const packed = spawnSync('xz', ['--stdout'], { input: TEXT });
  const there = packed.error === undefined;
  const { texts, failures } = await read(there ? packed.stdout : Buffer.from('fd377a585a000000', 'hex'), 'd.xz');
  assert.deepEqual(texts, { d: there ? TEXT : '' });
  assert.equal(failures.length, there ? 0 : 1);
});

test('the members of an archive are inputs, packed or not, whatever it was packed with', async () => {
  const notText = ['x!a/core: it is not text'];
  for (const bytes of [TAR, gzipSync(TAR), zstdCompressSync(TAR)])
    for (const size of [100, 513, 100_000])
      assert.deepEqual(await read(bytes, 'x', size), { texts: IN_TAR, failures: notText });
});

test('of a damaged file what can be read counts, and why no more is said', async () => {
  const cut = await read(gzipSync(TAR).subarray(0, -30), 'x');
  assert.equal(cut.texts['x!a/dmesg'], TEXT);
  assert.equal(cut.failures.filter((why) => why.includes('unexpected end')).length, 1);
  const spoilt = Buffer.from(TAR);
  spoilt.fill('?', 512 + 124, 512 + 136);
  assert.deepEqual(await read(spoilt, 'x'), { texts: {}, failures: ['x: the archive is damaged'] });
});

test('a member that says it is larger than the archive ends with it', async () => {
  const header = member('a/huge', 'x').subarray(0, 512);
  const { texts } = await read(Buffer.concat([header, Buffer.from('x')]), 'x');
  assert.deepEqual(texts, { 'x!a/huge': 'x' });
});
