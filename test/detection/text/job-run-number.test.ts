// Numbers that are put together of runs of digits are, to the last bit, those that their text says.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readNumber } from '../../../src/detection/text/job/number.ts';
import { numbersOf, readRuns } from '../../../src/detection/text/job/run-number.ts';
import { runs } from '../../runs.ts';
import { drawer } from './words/known-lines.ts';

type Span = readonly [from: number, to: number];

function spansOf(line: string): Span[] {
  return [...line.matchAll(/(?<![A-Za-z_\d])\d+/g)].map(({ index, 0: digits }) => [index, index + digits.length]);
}

function read(line: string): number | null {
  const spans = spansOf(line);
  const number = numbersOf(line, spans)(0);
  if (number === null) return null;
  const texts = ['', ...spans.map(([from, to]) => line.slice(from, to))];
  const read = { values: Float64Array.from(texts, Number), digits: Uint8Array.from(texts, (text) => text.length) };
  return readRuns(number, read);
}

test('a number of runs is the number of its text', () => {
  const draw = drawer(5);
  const digits = (most: number) => Array.from({ length: 1 + draw(most) }, () => draw(10)).join('');
  let exact = 0;
  for (let i = 0; i < runs(20_000, 1_000_000); i += 1) {
    const fraction = draw(3) === 0 ? '' : `.${digits(9)}`;
    const power = draw(3) === 0 ? `${'eE'[draw(2)]}${'+-'[draw(2)]}${digits(2)}` : '';
    const line = `${' '.repeat(draw(3))}${draw(4) === 0 ? '-' : ''}${digits(12)}${fraction}${power}${['', ' ', 'GiB', '|'][draw(4)]}`;
    const value = read(line);
    if (value === null || Number.isNaN(value)) continue;
    exact += 1;
    assert.ok(Object.is(value, readNumber(line)), `${line}: ${value}`);
  }
  assert.ok(exact > 5000, `${exact} were read`);
});

test('what other digits could make another number of is left to its text', () => {
  for (const line of ['1,000', '12,5', '1.', '1e5', '5.5.5', '+3', 'nan', '.5', '12.5e+1234', '1.5,3'])
    assert.equal(read(line), null, line);
  assert.ok(Number.isNaN(read('1234567890.123456789')));
  assert.ok(Number.isNaN(read('1E+99')));
});
