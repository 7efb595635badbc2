// Journal files in each of their forms are read entry by entry; one that is damaged anywhere ends in a clear word, never in a loop.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { DamagedJournal, type JournalEntry, JournalFile } from '../../../src/sources/journal/file/journal-file.ts';
import { lz4Block } from '../../../src/sources/journal/file/lz4.ts';
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
});
