// Conditions on labels: how they are written, what they match, and which patterns are refused.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Matcher, matcherText, matchesAll, parseMatcher } from '../../src/model/matcher.ts';
import { runs } from '../runs.ts';

function parsed(text: string): Matcher {
  const matcher = parseMatcher(text);
  if ('error' in matcher) assert.fail(`${text}: ${matcher.error}`);
  return matcher;
}

const LABELS = { kind: ['gpu.lost'], job: ['991', 'llama-70b'], user: [] };

test('conditions match whole values, and one of several', () => {
  const holds = (text: string) => matchesAll([parsed(text)], LABELS);
  for (const text of [
    'kind="gpu.lost"',
    'kind=gpu.lost',
    'kind =~ "gpu[.].*"',
    'job=991',
    'job=~llama-.*',
    'job!="992"',
    'user=""',
    'user!=anna',
    'rack!~"r.*"',
  ])
    assert.ok(holds(text), text);
  for (const text of ['kind=gpu', 'kind=~gpu', 'job!=991', 'job!~"llama.*"', 'user=~".+"', 'constructor=~".+"'])
    assert.ok(!holds(text), text);
});

test('what is not a condition is refused with what to write', () => {
  for (const text of [
    '',
    'kind',
    'kind==x',
    'Kind=x',
    'kind="a',
    'kind=a b',
    'kind=~"("',
    'kind=~"(a+)+"',
    'kind=~"a{9}"',
  ])
    assert.ok('error' in parseMatcher(text), text);
  for (const text of ['kind=~".*.*.*.*x"', 'kind=~"(?=a)b"', 'kind=~"(a)\\\\1"', `kind=${'x'.repeat(300)}`])
    assert.ok('error' in parseMatcher(text), text);
});

test('a condition is read back as it is written, and any pattern that is taken answers at once', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 60 }), fc.constantFrom('=', '!=', '=~', '!~'), (value, operator) => {
      const matcher = parseMatcher(`job${operator}"${value.replace(/["\\]/g, '\\$&')}"`);
      if ('error' in matcher) return;
      assert.deepEqual(parsed(matcherText(matcher)), matcher);
      matchesAll([matcher], { job: ['a'.repeat(5000)] });
    }),
    { numRuns: runs(200, 20_000), seed: 7 },
  );
});
