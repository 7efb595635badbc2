// What is said of an error: its code where it has one, its text otherwise, and something in every case.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { codeOrText, errorCode } from '../../src/helpers/error-code.ts';
import { errorText } from '../../src/helpers/error-text.ts';

function thrown(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return assert.fail('nothing was thrown');
}

test('a system error is named by its code', () => {
  const error = thrown(() => readFileSync('/nonexistent/file'));
  assert.deepEqual([errorCode(error), codeOrText(error)], ['ENOENT', 'ENOENT']);
  assert.match(errorText(error), /no such file/);
});

test('an error without a code, or with a number for one, is named by its text', () => {
  for (const error of [new Error('why'), Object.assign(new Error('why'), { code: 7 })]) {
    assert.deepEqual([errorCode(error), codeOrText(error), errorText(error)], [null, 'why', 'why']);
  }
});

test('what is thrown and is not an error has a text all the same', () => {
  for (const [value, text] of [['why', 'why'], [null, 'null'], [undefined, 'undefined'], [{ code: 'E' }, '[object Object]']]) {
    assert.deepEqual([errorCode(value), codeOrText(value), errorText(value)], [null, text, text]);
  } // biome-ignore format: one row a case
});
