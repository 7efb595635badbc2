// Wildcards in file names.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasWildcard, matchesWildcard } from '../../src/helpers/wildcard.ts';

test('stars and question marks match as in a shell', () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ['rank0.log', 'rank*.log', true], ['rank.log', 'rank*.log', true], ['rank0.log.1', 'rank*.log', false],
    ['rank7.log', 'rank?.log', true], ['rank17.log', 'rank?.log', false], ['a', '*', true], ['.a', '*', false],
    ['.a', '.*', true], ['aXbXc', 'a*b*c', true], ['abc', 'a*d', false], ['', '*', true], ['x', '', false], ['[a]', '[a]', true],
  ]; // biome-ignore format: a table
  for (const [name, pattern, matches] of cases)
    assert.equal(matchesWildcard(name, pattern), matches, `${name} ${pattern}`);
});

test('a pattern of many stars against a long name ends', () => {
  assert.equal(matchesWildcard('a'.repeat(255), `${'*a'.repeat(100)}*b`), false);
});

test('only a pattern has wildcards', () => {
  assert.deepEqual([hasWildcard('rank0.log'), hasWildcard('rank*'), hasWildcard('r?')], [false, true, true]);
});
