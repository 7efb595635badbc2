// Redacted URLs: no password, user or key of any form of URL is left, and what is none stays.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redactAddress, redactUrls } from '../../src/model/redact.ts';

const R = '(redacted)';
// biome-ignore format: one case, one glance
const cases: readonly (readonly [string, string])[] = [
  ['cannot reach https://user:secret@10.0.20.3/redfish/v1: ECONNREFUSED', `cannot reach https://${R}@10.0.20.3/redfish/v1: ECONNREFUSED`],
  ['https://token@host', `https://${R}@host`],
  ['HTTPS://USER:SECRET@host:4317', `HTTPS://${R}@host:4317`],
  ['a https://u:p@x b http://v:q@y:1/z?w c', `a https://${R}@x b http://${R}@y:1/z?w c`],
  ['https://user:pa@ss@host/x', `https://${R}@host/x`],
  ['https://user:se/cr?et@host/x', `https://${R}@host/x`],
  ['git+ssh://git:secret@host', `git+ssh://${R}@host`],
  ['/etc/faultline/https:/user:secret@host', `/etc/faultline/https:/${R}@host`],
  ['"https://u:p@x","http://v:q@y"', `"https://${R}@x","http://${R}@y"`],
  ['http://[::1]:80/@x', 'http://[::1]:80/@x'],
  ['http://u:p@[::1]:80/', `http://${R}@[::1]:80/`],
  ['https://host:8080/@scope/package', 'https://host:8080/@scope/package'],
  ['https://host/a@b', 'https://host/a@b'],
  ['https://h/v1?api_key=abc&x=1&Token=t#f', `https://h/v1?api_key=${R}&x=1&Token=${R}#f`],
  ['https://h/v1?X-Amz-Signature=abc', `https://h/v1?X-Amz-Signature=${R}`],
  ['alice@node-3: job a:b@c', 'alice@node-3: job a:b@c'],
  ['/logs/rank0@node.log', '/logs/rank0@node.log'],
  ['', ''],
];
for (const [text, expected] of cases) {
  test(`redacts ${text}`, () => {
    assert.equal(redactUrls(text), expected);
    assert.equal(redactUrls(expected), expected, 'and again changes nothing');
  });
}

test('an address loses what is before its @ without a scheme as well', () => {
  for (const text of [
    'user:secret@10.0.14.2',
    '"user:secret@10.0.14.2:161"',
    'snmp://user:secret@h',
    'user:se/cret@h',
  ]) {
    assert.ok(!redactAddress(text).includes('cret'), redactAddress(text));
    assert.ok(redactAddress(text).includes(R));
  }
  assert.equal(redactAddress('10.0.14.2:161'), '10.0.14.2:161');
});

test('a long hostile text takes no time worth speaking of', () => {
  const text = 'a://'.repeat(16_000);
  const began = performance.now();
  redactUrls(`${text}@`);
  redactUrls(`http://h?${'key'.repeat(20_000)}=`);
  assert.ok(performance.now() - began < 5_000);
});
