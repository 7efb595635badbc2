// Entry lines: an entry of the journal says the same in each form that journalctl writes over several lines.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TextRecord } from '../../../src/model/record.ts';
import { EntryLines } from '../../../src/sources/saved-text/entry-lines.ts';
import { SavedText } from '../../../src/sources/saved-text/saved-text.ts';
import { runs } from '../../runs.ts';

const XID = 'NVRM: Xid (PCI:0000:06:00): 79, GPU has fallen off the bus.';
const AT_MS = Date.UTC(2024, 10, 28, 12);

function bytes(value: string): Buffer {
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(Buffer.byteLength(value)));
  return Buffer.concat([length, Buffer.from(`${value}\n`)]);
}

const entry = (message: string, i: number): string =>
  `__CURSOR=s=1;i=${i}\n__REALTIME_TIMESTAMP=${(AT_MS + i) * 1000}\n_TRANSPORT=kernel\n_HOSTNAME=node-a\nPRIORITY=3\nMESSAGE=${message}\n\n`;

const FORMS: Readonly<Record<string, Buffer>> = {
  export: Buffer.from(`${entry('usb 1-1: new', 0)}${entry(XID, 1)}${entry('usb 1-2: new', 2)}`),
  'export with bytes': Buffer.concat([
    Buffer.from(`__REALTIME_TIMESTAMP=${(AT_MS + 1) * 1000}\n_TRANSPORT=kernel\n_HOSTNAME=node-a\nMESSAGE\n`),
    bytes(XID),
    Buffer.from('PRIORITY=3\n\n'),
  ]),
  verbose: Buffer.from(
    `Thu 2024-11-28 12:00:00.001000 UTC [s=4b1c;i=2;b=7;m=1;t=2;x=3]\n    _TRANSPORT=kernel\n    _HOSTNAME=node-a\n    MESSAGE=${XID}\n`,
  ),
  'indented JSON': Buffer.from(
    `{\n\t"__REALTIME_TIMESTAMP" : "${(AT_MS + 1) * 1000}",\n\t"_TRANSPORT" : "kernel",\n\t"_HOSTNAME" : "node-a",\n\t"MESSAGE" : "${XID}"\n}\n`,
  ),
};

function read(pieces: readonly Buffer[]): [string | null, TextRecord][] {
  const records: [string | null, TextRecord][] = [];
  const text = new SavedText({
    name: 'log',
    job: 'log',
    savedMs: AT_MS,
    onRecord: (record, host) => void records.push([host, record]),
    onTime: () => {},
  });
  for (const piece of pieces) text.push(piece);
  text.end();
  return records;
}

for (const [form, text] of Object.entries(FORMS)) {
  test(`an entry in the form ${form}, whole and byte by byte`, () => {
    const whole = read([text]);
    const [host, record] = whole.find(([, { text: message }]) => message === XID) ?? [];
    assert.equal(host, 'node-a');
    assert.equal(record?.trust, 'kernel');
    assert.equal(record?.timeMs, AT_MS + 1);
    assert.deepEqual(read([...text].map((byte) => Buffer.from([byte]))), whole);
  });
}

test('what only begins like an entry is lines as they are', () => {
  const lines = ['{', 'step: 7', '}', 'MESSAGE=x', 'ABC', '__CURSOR=1', 'step: 8', '{', ' "A" : 1'];
  const entries = new EntryLines();
  const given = [...lines.flatMap((text, i) => entries.take({ text, number: i + 1 })), ...entries.end()];
  assert.deepEqual(
    given.map(({ text }) => text),
    ['{', 'step: 7', '}', 'MESSAGE=x', 'ABC', '{"__CURSOR":"1"}', 'step: 8', '{', ' "A" : 1'],
  );
});

test('an entry without an end is bounded, and loses no line behind it', () => {
  const entries = new EntryLines();
  let given = 0;
  const most = runs(5000, 100_000);
  for (let i = 0; i < most; i += 1) given += entries.take({ text: `F${i}=${'x'.repeat(200)}`, number: i }).length;
  assert.equal(given, most);
  entries.take({ text: '__CURSOR=1', number: most });
  for (let i = 0; i < most; i += 1) given += entries.take({ text: `F${i}=x`, number: i }).length;
  assert.ok(given > 2 * most - 600 && given <= 2 * most);
});
