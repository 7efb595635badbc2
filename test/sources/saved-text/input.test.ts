// Inputs: packed files and archives give the bytes that were packed, damaged ones what is left of them.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { crc32, deflateRawSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { inputsIn } from '../../../src/sources/saved-text/input.ts';

async function* pieces(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

interface Found {
  readonly texts: Record<string, string>;
  readonly failures: readonly string[];
  /** Of each archive: links and devices that were passed over. */
  readonly left: readonly (readonly [string, number, number])[];
}

async function read(bytes: Buffer, name = 'x', size = 1000): Promise<Found> {
  const texts: Record<string, string> = {};
  const failures: string[] = [];
  const left: Found['left'][number][] = [];
  const input = { name, savedMs: 0, bytes: pieces(bytes, size) };
  const report = {
    failed: (failed: string, why: string) => failures.push(`${failed}: ${why}`),
    left: (archive: string, links: number, devices: number) => left.push([archive, links, devices]),
  };
  for await (const each of inputsIn(input, report)) {
    const parts: Buffer[] = [];
    for await (const part of each.bytes) parts.push(part);
    texts[each.name] = Buffer.concat(parts).toString();
  }
  return { texts, failures, left };
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

test('what only looks like text to who counts control characters is binary; a log in Latin-1 is a log', async () => {
  let state = 7;
  const random = Uint8Array.from({ length: 2000 }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state >> 16;
  });
  assert.deepEqual((await read(Buffer.from(random), 'x.log')).failures, ['x.log: it is a binary file, not text']);
  const german = Buffer.from('Jan 15 14:32:01 node-3 kernel: Gerät für Prüfung nicht verfügbar\n'.repeat(20), 'latin1');
  assert.deepEqual((await read(german, 'y.log')).failures, []);
});

test('the members of an archive are inputs, packed or not, whatever it was packed with', async () => {
  const notText = ['x!a/core: it is a binary file, not text'];
  for (const bytes of [TAR, gzipSync(TAR), zstdCompressSync(TAR)])
    for (const size of [100, 513, 100_000])
      assert.deepEqual(await read(bytes, 'x', size), { texts: IN_TAR, failures: notText, left: [['x', 1, 0]] });
});

test('of a damaged file what can be read counts, and why no more is said', async () => {
  const cut = await read(gzipSync(TAR).subarray(0, -30), 'x');
  assert.equal(cut.texts['x!a/dmesg'], TEXT);
  assert.equal(cut.failures.filter((why) => why.includes('unexpected end')).length, 1);
  const spoilt = Buffer.from(TAR);
  spoilt.fill('?', 512 + 124, 512 + 136);
  assert.deepEqual(await read(spoilt, 'x'), { texts: {}, failures: ['x: the archive is damaged'], left: [] });
});

test('a member that says it is larger than the archive ends with it', async () => {
  const header = member('a/huge', 'x').subarray(0, 512);
  const { texts } = await read(Buffer.concat([header, Buffer.from('x')]), 'x');
  assert.deepEqual(texts, { 'x!a/huge': 'x' });
});

/** As zip packs it, to a pipe (sizes behind the bytes) or to a file. */
function zipped(files: Record<string, string | Buffer>, streamed: boolean, method = 8): Buffer {
  const parts = Object.entries(files).map(([name, content]) => {
    const plain = Buffer.from(content);
    const packed = method === 8 ? deflateRawSync(plain) : plain;
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50);
    header.writeUInt16LE(streamed ? 8 : 0, 6);
    header.writeUInt16LE(method, 8);
    header.writeUInt16LE(((2026 - 1980) << 9) | (11 << 5) | 28, 12);
    const sizes = Buffer.alloc(12);
    sizes.writeUInt32LE(crc32(plain));
    sizes.writeUInt32LE(packed.length, 4);
    sizes.writeUInt32LE(plain.length, 8);
    if (!streamed) sizes.copy(header, 14);
    header.writeUInt16LE(name.length, 26);
    return Buffer.concat([
      header,
      Buffer.from(name),
      packed,
      ...(streamed ? [Buffer.from('PK\u0007\u0008'), sizes] : []),
    ]);
  });
  return Buffer.concat([...parts, Buffer.from('PK\u0001\u0002'), Buffer.alloc(42)]);
}

const NOISE = randomBytes(100_000).toString('base64');

test('zip: files of known and of unknown size, in pieces of any size, and within other archives', async () => {
  const files = { 'a/dmesg': TEXT, 'a/': '', 'a/noise': NOISE, 'a/empty': '', 'b/job.gz': gzipSync('packed within\n') };
  const texts = { 'x!a/dmesg': TEXT, 'x!a/noise': NOISE, 'x!a/empty': '', 'x!b/job': 'packed within\n' };
  for (const streamed of [false, true])
    for (const size of [1, 100, 4096, 1_000_000]) {
      const bytes = zipped(files, streamed);
      assert.deepEqual(await read(bytes, 'x', size === 1 ? 97 : size), { texts, failures: [], left: [] });
    }
  const stored = zipped({ 'a/dmesg': TEXT }, false, 0);
  assert.deepEqual((await read(gzipSync(Buffer.concat([member('z.zip', stored), END])), 'x')).texts, { 'x!z.zip!a/dmesg': TEXT }); // biome-ignore format: one line
});

test('zip: what the program itself wrote', async (t) => {
  const program =
    'import sys,zipfile,io\nb=io.BytesIO()\nz=zipfile.ZipFile(b,"w",zipfile.ZIP_DEFLATED)\nz.writestr("n/dmesg","one line\\n"*500)\nz.close()\nsys.stdout.buffer.write(b.getvalue())';
  const made = spawnSync('python3', ['-c', program]);
  if (made.status !== 0) return t.skip('there is no python3');
  assert.deepEqual(await read(made.stdout, 'x'), { texts: { 'x!n/dmesg': TEXT }, failures: [], left: [] });
});

test('zip: damage, a wrong checksum, encryption and other methods are named with the file', async () => {
  const whole = zipped({ 'a/dmesg': TEXT }, false);
  const wrong = Buffer.from(whole);
  wrong.writeUInt32LE(1, 14);
  assert.deepEqual((await read(wrong)).failures, ['x!a/dmesg: its checksum is wrong: what was read of it counts']);
  const secret = Buffer.from(whole);
  secret.writeUInt16LE(1, 6);
  assert.deepEqual((await read(secret)).failures, ['x!a/dmesg: it is encrypted']);
  const other = Buffer.from(whole);
  other.writeUInt16LE(14, 8);
  assert.match((await read(other)).failures[0] ?? '', /^x!a\/dmesg: it is packed by method 14 of zip/);
  const cut = await read(zipped({ 'a/noise': NOISE }, true).subarray(0, 50_000));
  assert.equal(cut.failures.length, 1);
  assert.ok((cut.texts['x!a/noise'] ?? '').length > 40_000);
});

test('names that lead out of an archive are words; links and devices of it are counted and neither made nor followed', async () => {
  const odd = Buffer.concat([
    member('../../etc/passwd', 'a line\n'),
    member('/dev/sda', '', '4'),
    member('pipe', '', '6'),
    member('hard', '', '1'),
    END,
  ]);
  assert.deepEqual(await read(odd), { texts: { 'x!../../etc/passwd': 'a line\n' }, failures: [], left: [['x', 1, 2]] });
});

test('what unpacks to far more than text would is given up, with a word why', async () => {
  const layer = zstdCompressSync(Buffer.alloc(64 * 1_048_576, 'a\n'));
  const bomb = Buffer.concat(Array.from({ length: 6 }, () => layer));
  let length = 0;
  const failures: string[] = [];
  const report = { failed: (_: string, why: string) => failures.push(why), left: () => {} };
  for await (const each of inputsIn({ name: 'x', savedMs: 0, bytes: pieces(bomb, 1000) }, report))
    for await (const part of each.bytes) length += part.length;
  assert.match(failures.join(), /^it unpacks to more than 500 times its size/);
  assert.ok(length < 320 * 1_048_576);
});

/** The header of a member of a zip: of its bytes, deflated, the size; null where that comes behind them. */
function zipHeader(name: string, size: number | null): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(size === null ? 8 : 0, 6);
  header.writeUInt16LE(8, 8);
  header.writeUInt32LE(size ?? 0, 18);
  header.writeUInt16LE(name.length, 26);
  return Buffer.concat([header, Buffer.from(name)]);
}

async function lengthOf(bytes: AsyncGenerator<Buffer>): Promise<{ length: number; failures: string[] }> {
  const failures: string[] = [];
  let length = 0;
  const report = { failed: (_: string, why: string) => void failures.push(why), left() {} };
  for await (const each of inputsIn({ name: 'x', savedMs: 0, bytes }, report))
    for await (const part of each.bytes) length += part.length;
  return { length, failures };
}

test('a member of a zip that unpacks without end is given up, whether or not its size is said before', async () => {
  const packed = deflateRawSync(Buffer.alloc(300 * 1_048_576, 'a\n'));
  for (const size of [packed.length, null]) {
    const bytes = pieces(Buffer.concat([zipHeader('a.log', size), packed]), 4096);
    const { length, failures } = await lengthOf(bytes);
    assert.ok(length > 255 * 1_048_576 && length < 257 * 1_048_576, String(length));
    assert.match(failures[0] ?? '', /it unpacks to more than 500 times its size/);
  }
});

test('a member of a zip that is nothing but empty blocks is not kept in memory', async () => {
  const empty = Buffer.alloc(1_000_000);
  for (let at = 0; at < empty.length; at += 5) empty.writeUInt16LE(0xffff, at + 3);
  async function* endless() {
    yield zipHeader('a.log', null);
    for (let i = 0; i < 150; i += 1) yield Buffer.from(empty);
  }
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  }, 1);
  const { failures } = await lengthOf(endless());
  clearInterval(timer);
  assert.deepEqual(failures, ['unexpected end of file']);
  assert.ok(most < 120_000_000, `${most} bytes`);
});

/** Of Windows and of some BMCs. */
function utf16(text: string, big = false): Buffer {
  const bytes = Buffer.from(text, 'utf16le');
  return big ? bytes.swap16() : bytes;
}

test('text in UTF-16 is read by its mark, however it is cut and packed; a mark of UTF-8 is not in the first line', async () => {
  const text = 'Temperatur 81 °C, 温度\n'.repeat(40);
  for (const big of [false, true])
    for (const size of [1, 7, 1000]) {
      const marked = utf16(`\ufeff${text}`, big);
      assert.deepEqual((await read(marked, 'x', size)).texts, { x: text });
      assert.deepEqual((await read(gzipSync(marked), 'x.gz', size)).texts, { x: text });
    }
  assert.deepEqual((await read(Buffer.from(`\ufeff${text}`))).texts, { x: text });
});

test('without a mark, and in UTF-32, the encoding is named with the line that makes it readable', async () => {
  const by = (encoding: string, without: string, file = 'sel.txt') => [
    `${file}: it is text in ${encoding}${without}. Scan it by: iconv -f ${encoding} -t UTF-8 ${file} | faultline scan -`,
  ];
  const found = async (bytes: Buffer) => (await read(bytes, 'sel.txt')).failures;
  assert.deepEqual(await found(utf16('one line\n'.repeat(9))), by('UTF-16LE', ' without its mark'));
  assert.deepEqual(await found(utf16('one line\n'.repeat(9), true)), by('UTF-16BE', ' without its mark'));
  assert.deepEqual(await found(Buffer.from('fffe00006100000062000000', 'hex')), by('UTF-32', ''));
});
