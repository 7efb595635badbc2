// Words of owners: what a key's own schema says is what a user reads, and nothing else knows the key.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { item, section } from '../../src/config/schema-parts.ts';
import { validate } from '../../src/config/validate.ts';
import { writtenSecrets } from '../../src/config/written-secrets.ts';
import { readTree } from '../../src/config/yaml-tree.ts';

const span = (standard: string) =>
  ({
    type: 'string',
    durationRange: { min: '10ms', max: '1h' },
    pattern: '^\\d+(ms|s|m)$',
    default: standard,
  }) as const;
const schema = item(
  {
    counter: section('A counter of decays.', {
      serial: { type: 'string', pattern: '^G\\d+$', form: 'a serial such as G7' },
      url: { type: 'string', pattern: '^https?://[^/]+$', form: 'a URL', origin: true },
      token: { type: 'string', secret: true, instead: `token: \${TOKEN}`, harmless: ['guest'] },
      interval: span('1s'),
      fast: { ...span('100ms'), notLongerThan: 'interval' },
    }),
  },
  [],
);

function said(...lines: readonly string[]): string[] {
  const tree = readTree(['counter:', ...lines.map((line) => `  ${line}`)].join('\n'), schema, {});
  return [...validate(tree, schema).problems, ...writtenSecrets(tree, schema)].map(({ text }) => text);
}

test('a pattern is explained in the words of its owner', () => {
  assert.deepEqual(said('serial: 7'), ['counter.serial must be a serial such as G7 (got 7).']);
});

test('of a URL that is too long its origin is proposed', () => {
  assert.match(said('url: https://10.0.0.1/redfish/v1')[0] ?? '', /must be a URL .*Write: url: https:\/\/10\.0\.0\.1$/);
});

test('a secret says what to write instead, and what keeps nothing secret may be written', () => {
  assert.deepEqual(said('token: hunter2'), [
    `counter.token is a secret and must not be written out. Write: token: \${TOKEN}`,
  ]);
  assert.deepEqual(said('token: guest'), []);
});

test('no duration is proposed that is longer than the one it must not exceed', () => {
  assert.match(said('interval: 20ms', 'fast: 5x')[0] ?? '', /counter\.fast must be a duration/);
  assert.doesNotMatch(said('interval: 20ms', 'fast: 5')[0] ?? '', /Write: fast: 5s/);
  assert.match(said('interval: 2m', 'fast: 90')[0] ?? '', /Write: fast: 90ms/);
});
