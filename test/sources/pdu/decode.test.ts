// Decoding of single SNMP values: scales, sentinels, enumerations, text, and whatever else an agent may send.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isPolled, PDU_CATALOGUES } from '../../../src/sources/pdu/catalogue.ts';
import {
  decodeReading,
  decodeWord,
  descriptionToken,
  rawNumber,
  rawText,
  readingState,
} from '../../../src/sources/pdu/decode.ts';

const scales: readonly (readonly [unknown, readonly [number, number], number | null])[] = [
  [49, [1, 10], 4.9],
  [38, [1, 10], 3.8],
  [242, [1, 1], 242],
  [114, [10, 1], 1140],
  [35128, [360000, 1], 12_646_080_000],
  [96, [1, 100], 0.96],
  [940, [1, 1000], 0.94],
  [0, [1, 10], 0],
  [-1, [1, 10], null],
  [-32768, [1, 1], null],
  [null, [1, 10], null],
  [undefined, [1, 10], null],
  ['242', [1, 1], 242],
  ['notsupported ', [1, 1], null],
  [Buffer.from('121.4'), [1, 1], 121.4],
  [Buffer.alloc(0), [1, 1], null],
  [Number.NaN, [1, 1], null],
  [true, [1, 1], null],
];

for (const [raw, scale, value] of scales) {
  test(`raw ${String(raw)} × ${scale.join(' ÷ ')} reads ${value}`, () => {
    assert.equal(decodeReading(raw, scale, 'negative'), value);
  });
}

test('a negative value is a value where the catalogue does not say otherwise', () => {
  assert.equal(decodeReading(-946, [1, 1000], 'none'), -0.946);
});

test('a Counter64 is read from its bytes, sign byte and all', () => {
  assert.equal(rawNumber(Buffer.from('00ffffffffff', 'hex'), true), 0xffffffffff);
  assert.equal(rawNumber(Buffer.alloc(0), true), null);
  assert.equal(rawNumber(Buffer.alloc(10), true), null);
});

test('the same number means different load states in the two APC tables', () => {
  const words = (name: string) =>
    PDU_CATALOGUES.flatMap((c) => c.modules.flatMap((m) => m.tables))
      .find((t) => t.name === name)
      ?.columns.find((c) => c.is === 'load_state');
  const newer = words('rPDU2PhaseStatus');
  const older = words('rPDULoadStatus');
  assert.ok(newer && 'values' in newer && older && 'values' in older);
  assert.equal(decodeWord(1, newer.values), 'low_load');
  assert.equal(decodeWord(1, older.values), 'normal');
  assert.equal(decodeWord(2, newer.values), 'normal');
  assert.equal(decodeWord(2, older.values), 'low_load');
});

test('a number that the enumeration lacks is unknown, an absent object is null', () => {
  assert.equal(decodeWord(5, { 1: 'normal' }), 'unknown');
  assert.equal(decodeWord(null, { 1: 'normal' }), null);
  assert.equal(decodeWord('constructor', { 1: 'normal' }), null);
  assert.equal(readingState('unknown'), 'unknown');
  assert.deepEqual(['low_load', 'normal', 'near_overload', 'overload'].map(readingState), [
    'low_warning',
    'normal',
    'high_warning',
    'high_critical',
  ]);
});

test('identity tokens are found in sysDescr, with and without a space after the colon', () => {
  const text =
    'APC Web/SNMP Management Card (MB:v4.1.0 PF:v6.8.2 AF1:v6.8.0 MN:AP8853 HR:02 SN: ZA2001002384 MD:01/03/2020) ';
  assert.equal(descriptionToken(text, 'MN'), 'AP8853');
  assert.equal(descriptionToken(text, 'SN'), 'ZA2001002384');
  assert.equal(descriptionToken(text, 'AF1'), 'v6.8.0');
  assert.equal(descriptionToken('Linux host', 'MN'), null);
});

test('names lose control characters and are cut', () => {
  assert.equal(rawText(Buffer.from('\u001b[31mrack\u0000 14')), '[31mrack 14');
  assert.equal(rawText('x'.repeat(100_000))?.length, 64);
  assert.equal(rawText(Buffer.from([0, 0])), null);
});

test('no column throws on any value of any type', () => {
  const values = fc.oneof(
    fc.integer(),
    fc.bigInt(),
    fc.double(),
    fc.string(),
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    fc.boolean(),
    fc.constantFrom(null, undefined, {}, []),
  );
  const columns = PDU_CATALOGUES.flatMap((c) => c.modules.flatMap((m) => m.tables.flatMap((t) => t.columns)));
  fc.assert(
    fc.property(values, fc.constantFrom(...columns), fc.boolean(), (value, column, counter64) => {
      if (column.is === 'reading') {
        const decoded = decodeReading(value, column.scale, 'negative', counter64);
        assert.ok(decoded === null || decoded >= 0);
      } else if (isPolled(column)) {
        const word = decodeWord(value, column.values);
        assert.ok(word === null || word === 'unknown' || Object.values(column.values).includes(word));
      }
      assert.ok((rawText(value)?.length ?? 0) <= 64);
    }),
  );
});
