// What copying makes of lines is taken back, and lines keep their numbers.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  plainSigns,
  raised,
  undoubled,
  unescapedEnds,
  unlisted,
  unmarked,
  withoutTags,
} from '../../../src/sources/saved-text/copied.ts';

test('signs of print and entities are what a program writes', () => {
  assert.deepEqual(plainSigns(['“a” – b\u00a0c’s', '&lt;x&gt; &quot;y&quot; &#39;z&#x27; a…b', 'end…']), [
    '"a" - b c\'s',
    '<x> "y" \'z\' a...b',
    'end…',
  ]);
  // No entity makes a line's end, or what a terminal obeys.
  assert.deepEqual(plainSigns(['a&#10;b &#27;[2J &#127; &#55296; &unknown; A&B']), [
    'a&#10;b &#27;[2J &#127; &#55296; &unknown; A&B',
  ]);
});

test('strings of a list are lines', () => {
  assert.deepEqual(unlisted(['"msg": [', '  "a \\"b\\" c",', '  "d\\te\\\\f\\ng"', ']']), [
    '"msg": [',
    'a "b" c',
    'd\te\\f\rg',
    ']',
  ]);
  const fields = ['{', '  "name": "a",', '  "b": "c"', '}'];
  assert.deepEqual(unlisted(fields), fields);
  const one = ['first', '"quoted"', 'third'];
  assert.deepEqual(unlisted(one), one);
});

test('escaped ends of lines part them, but for an object of a logger', () => {
  assert.deepEqual(unescapedEnds(['x => {"stdout": "a\\nb \\"c\\"\\nd"}']), ['x => {"stdout": "a\rb "c"\rd"}']);
  const logged = ['{"log": "a\\nb\\nc"}', '2026-11-28T12:00:00Z {"log": "a\\nb\\nc"}', 'one \\n end'];
  assert.deepEqual(unescapedEnds(logged), logged);
});

test('numbers that count the lines, and the one name before all, are taken off', () => {
  assert.deepEqual(unmarked(['     9\ta', '    10\tb', '', '    11\tc']), ['a', 'b', '', 'c']);
  assert.deepEqual(unmarked(['12:a', '13-b', '40:c']), ['a', 'b', 'c']);
  assert.deepEqual(unmarked(['web-1  | a', 'web-1  | b', 'web-1  |', 'web-1  | | c']), ['a', 'b', '', '| c']);
  const tasks = ['0: a', '1: b', '0: c'];
  assert.deepEqual(unmarked(tasks), tasks);
  const several = ['web-1  | a', 'web-2  | b', 'web-1  | c'];
  assert.deepEqual(unmarked(several), several);
});

test('doubled blanks are halved where all are', () => {
  assert.deepEqual(undoubled(['a  b  c  d', '  e  f    g  h']), ['a b c d', ' e f  g h']);
  for (const kept of [
    ['NAME  READY  STATUS', 'a  1/1  Running', 'b  0/1  Error', 'c  1/1  Running'],
    ['a  b c  d  e  f  g'],
  ])
    assert.deepEqual(undoubled(kept), kept);
});

test('tags of a page are taken off, and end lines and cells', () => {
  assert.deepEqual(withoutTags(['<p>a &lt;b&gt;<br/>c</p>', '<tr><td class="x">d</td><td>e</td></tr>']), [
    'a &lt;b&gt;\rc',
    'd | e',
  ]);
  const log = ['<4>[    1.000000] a', '<module>: b', 'File "<stdin>", line 1', '<p> alone'];
  assert.deepEqual(withoutTags(log), log);
});

test('what is indented below the names of hosts is raised', () => {
  assert.deepEqual(raised(['gx-1:', '    a', '      b', 'gx-2:', '    c']), ['gx-1:', 'a', '  b', 'gx-2:', 'c']);
  for (const kept of [['Events:', '    a'], ['gx-1:', '    a', 'b'], ['    a', '    b'], ['gx-1:']])
    assert.deepEqual(raised(kept), kept);
});
