// Rules of a site through the real line: their own tests pass, and a test that is wrong fails with what came instead.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { playTest } from '../../../src/commands/rules/play-test.ts';
import { checkConfig } from '../../../src/daemon/config.ts';
import type { RulesConfig } from '../../../src/detection/user-rules/index.ts';

const SITE = join(import.meta.dirname, 'site.yaml');
const surroundings = { environment: {}, uid: 0, home: '/root', hostname: 'node-3' };

async function rulesOf(text: string): Promise<RulesConfig> {
  return (await checkConfig(text, SITE, surroundings)).config.detection;
}

const site = await rulesOf(readFileSync(SITE, 'utf8'));

describe('rules of a site', () => {
  for (const rule of site.rules) {
    for (const one of rule.tests) {
      test(`${rule.name}: ${one.name}`, () => assert.deepEqual(playTest(site, rule, one).wrong, []));
    }
  }

  test('each has a place, and a kind of its own', () => {
    assert.equal(site.rules.length, 10);
    assert.match(site.rules[0]?.origin ?? '', /site\.yaml:3$/);
    assert.equal(new Set(site.rules.map(({ kind }) => kind)).size, 10);
  });

  test('a test that expects something else says what came', async () => {
    const text = `rules:
  - name: mine
    events: {kind: [gpu.lost]}
    tests:
      - {name: a, given: [{at: 5s, component: "gpu/0000:1b:00.0", kind: gpu.lost}], fires: 2, component: host/x, by: 1s, cleared: false, wait: 5m}`;
    const config = await rulesOf(text);
    const [rule] = config.rules;
    const [one] = rule?.tests ?? [];
    assert.ok(rule !== undefined && one !== undefined);
    const { wrong } = playTest(config, rule, one);
    assert.deepEqual(wrong, [
      'it is reported once, not 2 times',
      'it is reported of gpu/0000:1b:00.0, not of host/x',
      'it is reported after 5 s, not within 1 s',
      'it is over in the end, and should last',
    ]);
  });
});
