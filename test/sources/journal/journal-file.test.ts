// Journal files in each of their forms are read entry by entry; one that is damaged anywhere ends in a clear word, never in a loop.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import { CheckedFile } from '../../../src/sources/files/checked-file.ts';
import { DamagedJournal, type JournalEntry, JournalFile } from '../../../src/sources/journal/file/journal-file.ts';
import { PACKED } from '../../../src/sources/journal/file/layout.ts';
import { lz4Block } from '../../../src/sources/journal/file/lz4.ts';
import { unpackedHead } from '../../../src/sources/journal/file/packed.ts';
import { MOST_FIELD } from '../../../src/sources/journal/file/wanted-fields.ts';
import { StreamReader } from '../../../src/sources/journal/stream-reader.ts';
import { type BuilderOptions, JournalBuilder } from './journal-builder.ts';

const BOOT = 'b'.repeat(32);

function fileWith(t: TestContext, bytes: Buffer): string {
  const folder = mkdtempSync(join(tmpdir(), 'fl-journal-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'system.journal');
  writeFileSync(path, bytes);
  return path;
}

async function all(path: string): Promise<JournalEntry[]> {
  const file = await JournalFile.open(path);
  try {
    const entries: JournalEntry[] = [];
    const total = await file.refresh();
    for (let i = 0; i < total; i += 1) {
      const entry = await file.entry(i);
      if (entry !== null) entries.push(entry);
    }
    return entries;
  } finally {
    await file.close();
  }
}

function built(options: BuilderOptions, count = 11): JournalBuilder {
  const builder = new JournalBuilder(options);
  for (let i = 0; i < count; i += 1)
    builder.add({
      fields: { MESSAGE: `line ${i} ${'x'.repeat(i * 40)}`, PRIORITY: '4' },
      wallMs: 1000 + i,
      bootId: BOOT,
    });
  return builder;
}

for (const options of [{}, { compact: true }, { pack: 'zstd' }, { pack: 'lz4', compact: true }] as const) {
  test(`entries in their order, over several arrays of the index: ${JSON.stringify(options)}`, async (t) => {
    const entries = await all(fileWith(t, built(options).bytes()));
    assert.deepEqual(entries.map(({ seqnum, wallMs, bootId }) => [seqnum, wallMs, bootId]), Array.from({ length: 11 }, (_, i) => [i + 1, 1000 + i, BOOT])); // biome-ignore format: one line
    for (const [i, { fields }] of entries.entries()) {
      assert.equal(fields.get('MESSAGE'), `line ${i} ${'x'.repeat(i * 40)}`);
      assert.equal(fields.get('PRIORITY'), '4');
    }
  });
}

test('fields packed with xz are counted and left out, the entry stays', async (t) => {
  const path = fileWith(t, built({ pack: 'xz' }, 2).bytes());
  const file = await JournalFile.open(path);
  t.after(() => file.close());
  assert.equal((await file.entry(0))?.fields.size, 0);
  assert.equal(file.unreadable, 2);
});

for (const options of [{}, { pack: 'zstd', compact: true }, { pack: 'lz4' }] as const)
  test(`of an entry the wanted fields are read, each up to its bound, whatever else is in it: ${JSON.stringify(options)}`, async (t) => {
    const builder = new JournalBuilder(options);
    const large = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`USER_${i}`, 'y'.repeat(300_000)]));
    const fields = {
      ...large,
      HUGE: 'z'.repeat(2 * 1024 * 1024),
      MESSAGE: 'm'.repeat(1_500_000),
      _COMM: 'c'.repeat(5000),
    };
    builder.add({ fields, wallMs: 1000, bootId: BOOT });
    let asked = 0;
    const { read } = CheckedFile.prototype;
    t.mock.method(CheckedFile.prototype, 'read', function (this: CheckedFile, ...args: Parameters<typeof read>) {
      asked += args[2];
      return read.apply(this, args);
    });
    const [entry] = await all(fileWith(t, builder.bytes()));
    assert.deepEqual([...(entry?.fields ?? [])].map(([name, value]) => [name, value.length]), [['MESSAGE', 65_536], ['_COMM', 1024]]); // biome-ignore format: one line
    assert.ok((entry?.cost ?? 0) >= 65_536 + 1024);
    if (!('pack' in options)) assert.ok(asked < 22 * 100_000 + 300_000, `${asked} bytes are read`);
  });

test('of a packed field that is not wanted no more than its beginning is unpacked', async () => {
  const asked: number[] = [];
  const more = (head: Buffer) => {
    asked.push(head.length);
    return false;
  };
  const field = Buffer.from(`USER=${'u'.repeat(10_000_000)}`);
  const head = await unpackedHead(zstdCompressSync(field), PACKED.zstd, MOST_FIELD, more);
  assert.ok(asked.length === 1 && (asked[0] ?? 0) <= 16_384, String(asked));
  assert.ok((head?.length ?? 0) <= 16_384);
  assert.equal(await unpackedHead(Buffer.from('not packed at all'), PACKED.zstd, MOST_FIELD, more), null);
});

test('entries are read together up to a bound of their size, and all of them in the end', async (t) => {
  const builder = new JournalBuilder({});
  for (let i = 0; i < 60; i += 1)
    builder.add({ fields: { MESSAGE: `${i} ${'x'.repeat(65_000)}` }, wallMs: 1000 + i, bootId: BOOT });
  const path = fileWith(t, builder.bytes());
  const reader = new StreamReader('system', false, { seqnumId: '5'.repeat(32), seqnum: 0, wallMs: 0 });
  t.after(() => reader.close());
  reader.paths = [path];
  const found: number[] = [];
  for (let more = true; more; ) {
    const read = await reader.read(256);
    ({ more } = read);
    const bytes = read.entries.reduce((sum, { fields }) => sum + (fields.get('MESSAGE')?.length ?? 0), 0);
    assert.ok(bytes <= 1024 * 1024 + 65_536, `${bytes} bytes at once`);
    found.push(...read.entries.map(({ seqnum }) => seqnum));
  }
  assert.deepEqual(
    found,
    Array.from({ length: 60 }, (_, i) => i + 1),
  );
});

test('a rotated file that is read in several pieces is open only while it is read', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'fl-journal-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const paths = [join(folder, 'system@1.journal'), join(folder, 'system.journal')];
  writeFileSync(paths[0] ?? '', built({}, 40).bytes());
  writeFileSync(paths[1] ?? '', built({ firstSeqnum: 41 }, 5).bytes());
  const reader = new StreamReader('system', false, { seqnumId: '5'.repeat(32), seqnum: 0, wallMs: 0 });
  t.after(() => reader.close());
  reader.paths = paths;
  const [opens, closes] = [t.mock.method(JournalFile, 'open'), t.mock.method(JournalFile.prototype, 'close')];
  const found: number[] = [];
  for (let more = true; more; ) {
    const read = await reader.read(10);
    ({ more } = read);
    found.push(...read.entries.map(({ seqnum }) => seqnum));
    assert.ok(opens.mock.callCount() - closes.mock.callCount() <= 1);
  }
  assert.deepEqual(
    found,
    Array.from({ length: 45 }, (_, i) => i + 1),
  );
});

test('what is not a journal, of a newer form, or cut is refused', async (t) => {
  await assert.rejects(all(fileWith(t, Buffer.from('x'.repeat(400)))), /is not a journal file/);
  const newer = built({}).bytes();
  newer.writeUInt32LE(1024, 12);
  await assert.rejects(all(fileWith(t, newer)), /newer form than is known \(flags 1024\)/);
  await assert.rejects(all(fileWith(t, built({}).bytes().subarray(0, 900))), DamagedJournal);
});

test('an index that leads back or holds nothing is not followed without end', async (t) => {
  const bytes = built({}, 8).bytes();
  const first = Number(bytes.readBigUInt64LE(176));
  bytes.writeBigUInt64LE(BigInt(first), first + 16);
  await assert.rejects(all(fileWith(t, bytes)), /damaged/);
});

test('whatever byte is wrong, reading ends with entries or with a word', async (t) => {
  const good = built({ pack: 'lz4', compact: true }, 6).bytes();
  let state = 17;
  const draw = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % below;
  };
  const path = fileWith(t, good);
  for (let run = 0; run < 150; run += 1) {
    const bytes = Buffer.from(good);
    for (let i = 0; i < 3; i += 1) bytes[draw(bytes.length)] = draw(256);
    // No more entries than the file could have: a header that lies must not be followed without end.
    bytes.writeBigUInt64LE(6n, 152);
    writeFileSync(path, bytes);
    await all(path).catch((error: unknown) => assert.ok(error instanceof DamagedJournal, String(error)));
  }
});

test('LZ4: matches that overlap themselves, and blocks that lie', () => {
  const length = (n: number) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(BigInt(n));
    return bytes;
  };
  // "ab", then eight bytes from two back, then "c".
  const block = Buffer.from([0x24, 0x61, 0x62, 0x02, 0x00, 0x10, 0x63]);
  assert.equal(lz4Block(Buffer.concat([length(11), block]), 100)?.toString(), 'abababababc');
  assert.equal(lz4Block(Buffer.concat([length(12), block]), 100), null, 'shorter than it says');
  assert.equal(lz4Block(Buffer.concat([length(11), block]), 10), null, 'longer than may be');
  assert.equal(
    lz4Block(Buffer.concat([length(11), Buffer.from([0x24, 0x61, 0x62, 0x09, 0x00])]), 100),
    null,
    'from before its start',
  );
  assert.equal(lz4Block(Buffer.from([1]), 100), null);
  for (const wanted of [1, 2, 3, 7, 10])
    assert.equal(lz4Block(Buffer.concat([length(11), block]), 100, wanted)?.toString(), 'abababababc'.slice(0, wanted));
});
