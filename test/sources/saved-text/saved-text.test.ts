// Saved text: however the bytes come, whatever is in them, the same records come out, and nothing is thrown.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { TextRecord } from '../../../src/model/record.ts';
import { Dating } from '../../../src/sources/saved-text/dating.ts';
import { SavedText } from '../../../src/sources/saved-text/saved-text.ts';

const SAVED_MS = Date.UTC(2026, 10, 28);
const XID = 'NVRM: Xid (PCI:0000:9b:00): 79, GPU has fallen off the bus.';

interface Seen {
  readonly records: readonly (readonly [host: string | null, record: TextRecord])[];
  readonly text: SavedText;
}

function read(pieces: readonly Buffer[], savedMs = SAVED_MS): Seen {
  const records: [string | null, TextRecord][] = [];
  const onRecord = (record: TextRecord, host: string | null): void => void records.push([host, record]);
  const text = new SavedText({ name: 'log', job: 'log', savedMs, onRecord, onTime: () => {} });
  for (const piece of pieces) text.push(piece);
  text.end();
  return { records, text };
}

const whole = (text: string | Buffer, savedMs?: number) => read([Buffer.from(text)], savedMs);

function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const at = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, i) => bytes.subarray(from, at[i] ?? bytes.length));
}

/** Pieces of which logs are made, whole and broken. */
const PIECES = [
  'Feb 14 05:03:41 node-a kernel: ', '[  +0.000844] ', '[ 1843.308145] ', '<4>', '6,3973,227996636,-;', '2026-11-28T01:16:50.1Z stdout P ',
  '{"MESSAGE":"', '"}', '{"log":"', XID, '[rank0]: ', 'Traceback (most recent call last):', 'RuntimeError: x', '\r', '\r\n', '\n', '\n\n', '\0\0\0',
  '\u001b[32m', '[0m', 'é', '漢', '12月  6 17:59:27 node-a kernel: ', ' \t', 'step: 12 loss: 3.1', 'x'.repeat(3000), '99999999999999999999', '[Feb30 99:99] ',
]; // biome-ignore format: a list
const log = fc.array(fc.oneof(fc.constantFrom(...PIECES).map((piece) => Buffer.from(piece)), fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes)))); // biome-ignore format: one line
const seed = { seed: 20_261_129, numRuns: 150 };

test('pieces of any length give the same records as one, also byte by byte', () => {
  fc.assert(
    fc.property(log, fc.array(fc.nat()), (parts, places) => {
      const bytes = Buffer.concat(parts);
      const { records } = read([bytes]);
      assert.deepEqual(read(cut(bytes, places)).records, records);
      assert.deepEqual(read([...bytes].map((byte) => Buffer.from([byte]))).records, records);
    }),
    seed,
  );
});

test('the time of no record is one that a calendar does not have', () => {
  fc.assert(
    fc.property(log, (parts) => {
      for (const [, { timeMs, observedMs }] of read(parts).records) {
        assert.ok(timeMs === null || Number.isFinite(timeMs));
        assert.ok(Number.isFinite(observedMs));
      }
    }),
    seed,
  );
});

test('a line of a megabyte keeps its head, and the next line is read', () => {
  const { records, text } = whole(`${'y'.repeat(1_000_000)}\nFeb 14 05:03:41 node-a kernel: ${XID}\n`);
  assert.deepEqual(records.map(([, record]) => record.text.length), [65_536, XID.length]); // biome-ignore format: one line
  assert.equal(text.lines, 2);
});

test('bytes that are no text and holes of zeros spoil only their own line', () => {
  const bad = Buffer.concat([
    Buffer.from([0xff, 0xfe, 0x80, 0x0a]),
    Buffer.alloc(5000),
    Buffer.from(`[ 12.000001] ${XID}\n`),
  ]);
  const found = whole(bad).records.filter(([, { text }]) => text === XID);
  assert.equal(found.length, 1);
});

test('what a bar prints over a line is read print by print, as one line of the file', () => {
  const { records } = whole('a 1\ra 2\ra 3\nb\n');
  assert.deepEqual(records.map(([, { text, position }]) => [text, position]), [['a 1', 1], ['a 2', 1], ['a 3', 1], ['b', 2]]); // biome-ignore format: one line
});

test('the parts that Docker makes of a long line are one line, and an object without a newline is not a part', () => {
  const object = (log: string) => JSON.stringify({ log, stream: 'stderr', time: '2026-11-28T01:16:50.1Z' });
  const long = 'x'.repeat(16_384);
  const { records } = whole([object(long), object('one line\n'), object('a line'), object('another')].join('\n'));
  assert.deepEqual(records.map(([, { text }]) => text), [`${long}one line`, 'a line', 'another']); // biome-ignore format: one line
});

test('parts of a container runtime are joined', () => {
  const { records } = whole('2026-11-28T01:16:50.1Z stdout P one \n2026-11-28T01:16:50.1Z stdout F line\n');
  assert.deepEqual(records.map(([, { text }]) => text), ['one line']); // biome-ignore format: one line
});

const times = (text: string, savedMs?: number) =>
  whole(text, savedMs).records.map(([, { observedMs }]) => new Date(observedMs).toISOString());

test('a year that is missing is the newest that fits the file, also over the turn of the year', () => {
  const line = (stamp: string) => `${stamp} node-a kernel: ${XID}\n`;
  assert.deepEqual(times(line('Nov 27 10:00:00')), ['2026-11-27T10:00:00.000Z']);
  assert.deepEqual(times(line('Dec 24 10:00:00')), ['2025-12-24T10:00:00.000Z']);
  assert.deepEqual(times(line('Dec 31 23:59:59') + line('Jan  1 00:00:01'), Date.UTC(2026, 0, 3)), ['2025-12-31T23:59:59.000Z', '2026-01-01T00:00:01.000Z']); // biome-ignore format: one line
});

test('times since boot are counted from dates in the same file, else back from when it was written; a reboot does not turn time back', () => {
  const boot = (seconds: number) => `[${seconds}.000000] ${XID}\n`;
  const dated = whole(`${boot(100)}2026-11-27T10:00:00Z node-a kernel: ${XID}\n`);
  assert.deepEqual(dated.records.map(([, { observedMs }]) => new Date(observedMs).toISOString()), ['2026-11-27T10:00:00.000Z', '2026-11-27T10:00:00.000Z']); // biome-ignore format: one line
  assert.ok(whole(boot(100)).text.dating.assumed.has('boot_time'));
  const seen = whole(boot(5000) + boot(5001) + boot(1)).records.map(([, { observedMs }]) => observedMs);
  assert.deepEqual(
    seen,
    [...seen].sort((a, b) => a - b),
  );
});

test('lines without a time in a short text are undated, indented ones are of the line above', () => {
  const { records } = whole(`${XID}\n[ 1843.308145] NVRM: The NVIDIA GPU 0000:b3:00.0\n               NVRM: (PCI ID: 10de:26b5) installed in this system has\n`); // biome-ignore format: one line
  assert.deepEqual(records.map(([, { attributes }]) => attributes.undated ?? false), [true, false, false]); // biome-ignore format: one line
});

test('among the lines of a job, what looks like the kernel’s is a user’s word; in a kernel log it is the kernel’s', () => {
  const trust = (text: string) => whole(text).records.find(([, { text: line }]) => line === XID)?.[1].trust;
  assert.equal(trust(`step: 1 loss: 2\nstep: 2 loss: 2\nstep: 3 loss: 2\n${XID}\n`), 'tenant');
  assert.equal(trust(`${XID}\n`), 'kernel');
  assert.equal(trust(`12,1,1000000,-;${XID}\n`), undefined, 'a program wrote it');
});

test('lines of an excerpt without times keep their order, whenever the file was saved', () => {
  for (const savedMs of [SAVED_MS, SAVED_MS + 1, SAVED_MS + 12_345.678]) {
    const { records } = whole(`${XID}\n${XID}\n${XID}\n`, savedMs);
    const times = records.map(([, { observedMs }]) => observedMs);
    assert.equal(new Set(times).size, 3);
    assert.deepEqual(times, times.toSorted());
    assert.ok(
      times.every((timeMs) => Math.abs(timeMs - savedMs) < 1),
      'by no more than orders them',
    );
  }
});

test('lines that are newer than their file have a wrong clock or year, and this is said', () => {
  const savedMs = Date.parse('2026-11-30T09:00:00Z');
  const dating = new Dating({ savedMs });
  const of = (text: string) =>
    ({ kind: 'wall', utcMs: Date.parse(text), digits: 0, zoned: true, yearless: false }) as const;
  dating.date(of('2026-12-01T08:00:00Z'));
  assert.deepEqual([...dating.assumed], []);
  dating.date(of('2031-11-30T04:00:00Z'));
  assert.deepEqual([...dating.assumed], ['ahead']);
});
