// A line that a terminal broke is whole with the next one, where that may be its rest.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BrokenLine } from '../../../src/commands/scan/broken-line.ts';
import { jobRecord, kernelRecord } from '../../detection/text/lines.ts';

const WIDE = 'x'.repeat(80);

function whole(first: string, second: string, position = 2): readonly string[] {
  const broken = new BrokenLine();
  broken.begin(jobRecord(first, 1));
  return broken.whole(jobRecord(second, position)).map(({ text }) => text);
}

test('the next line is the rest of one as wide as a terminal', () => {
  assert.deepEqual(whole(WIDE, 'and more'), [`${WIDE}and more`, `${WIDE} and more`]);
});

test('another line is not: of another width, further down, or that begins as lines do', () => {
  assert.deepEqual(whole('x'.repeat(81), 'and more'), []);
  assert.deepEqual(whole(WIDE, 'and more', 3), []);
  for (const own of ['And more', '[1] and', '<4>and', '2026-11-28 and', '12:00:00 and', '  indented', '{"a": 1}'])
    assert.deepEqual(whole(WIDE, own), [], own);
});

test('a rest that fills the width is broken again, and each line is used once', () => {
  const broken = new BrokenLine();
  broken.begin(kernelRecord(WIDE, 1));
  assert.equal(broken.whole(jobRecord('y'.repeat(80), 2)).length, 2);
  assert.deepEqual(broken.whole(jobRecord('z', 3)).map(({ text }) => text)[0], `${WIDE}${'y'.repeat(80)}z`);
  assert.deepEqual(broken.whole(jobRecord('z', 4)), []);
});
