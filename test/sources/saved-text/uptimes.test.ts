import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAhead } from '../../../src/sources/saved-text/uptimes.ts';

async function* pieces(text: string, size: number): AsyncGenerator<Buffer, void, undefined> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function ahead(text: string, size = 7): Promise<{ lastBootMs: number | null; text: string }> {
  const { lastBootMs, bytes } = await readAhead(pieces(text, size));
  const parts: Buffer[] = [];
  for await (const piece of bytes) parts.push(piece);
  return { lastBootMs, text: Buffer.concat(parts).toString() };
}

const at = (seconds: number) => `[${seconds.toFixed(6).padStart(12)}] eth0: link is up`;

test('the last line of a log without dates was written when it was saved', async () => {
  const log = [at(10), 'no stamp', at(7306), at(7309), at(7308.5)].join('\n');
  assert.deepEqual(await ahead(log), { lastBootMs: 7_309_000, text: log });
});

test('a host that started again in it counts on from its last line', async () => {
  const log = [at(100), at(400), at(1), at(61)].join('\n');
  assert.equal((await ahead(log)).lastBootMs, 461_000);
});

test('nothing is counted where lines have dates or no stamps, and all bytes come', async () => {
  for (const log of [`${at(10)}\n2026-11-27T10:00:00Z node-a kernel: up\n`, 'a line\nanother\n', '']) {
    assert.deepEqual(await ahead(log), { lastBootMs: null, text: log });
  }
});

test('a log that is longer than what is held counts from the last line that was, and all of it comes', async () => {
  const lines = Array.from({ length: 300_000 }, (_, i) => at(i)).join('\n');
  const { lastBootMs, text } = await ahead(lines, 65_536);
  assert.ok(lastBootMs !== null && lastBootMs > 200_000_000 && lastBootMs < 299_999_000);
  assert.equal(text.length, lines.length);
});
