// Errors of the protocol library become ours: told apart, with a remedy, and without a secret.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DROPPED, type Peer, SnmpError, snmpError } from '../../../src/sources/pdu/snmp-error.ts';

const PEER: Peer = { address: '10.0.0.5:161', version: '3', user: 'alice' };

function library(name: string, message: string, more: object = {}): object {
  return { name, message, ...more };
}

const cases: readonly (readonly [object, string, string])[] = [
  [library('RequestTimedOutError', 'Request timed out'), 'timeout', 'FL2101'],
  [library('ResponseInvalidError', 'Unknown User Name', { code: 5 }), 'unknown_user', 'FL2102'],
  [
    library('ResponseInvalidError', 'Wrong Digest (incorrect password, community or key)', { code: 5 }),
    'wrong_digest',
    'FL2103',
  ],
  [library('ResponseInvalidError', 'Unsupported Security Level', { code: 5 }), 'security_level', 'FL2104'],
  [library('ResponseInvalidError', 'Not In Time Window', { code: 5 }), 'time_window', 'FL2105'],
  [library('ResponseInvalidError', 'Message with engineBoots', { code: 14 }), 'time_window', 'FL2105'],
  [library('ResponseInvalidError', 'Failed to decrypt PDU: x', { code: 4 }), 'decryption', 'FL2106'],
  [Object.assign(new Error('getaddrinfo ENOTFOUND nowhere'), { code: 'ENOTFOUND' }), 'network', 'FL2107'],
  [library('ResponseInvalidError', "does not precede OID '1.3'", { code: 8 }), 'bad_reply', 'FL2109'],
  [library('RequestFailedError', 'AuthorizationError: 1.3', { status: 16 }), 'refused', 'FL2110'],
  [library('RequestFailedError', 'TooBig', { status: 1 }), 'too_big', 'FL2113'],
  [new TypeError('anything'), 'bad_reply', 'FL2109'],
];

for (const [error, fault, code] of cases) {
  test(`${String((error as { message: string }).message)} is ${fault}`, () => {
    const translated = snmpError(error, PEER);
    assert.equal(translated.fault, fault);
    assert.ok(translated.message.startsWith(`${code} `));
  });
}

test('a context that the device does not have is told apart from user and key', () => {
  const { fault, message } = snmpError(library('ResponseInvalidError', 'Report with usmStats', { code: 11 }), PEER);
  assert.equal(fault, 'refused');
  assert.match(message, /not of user or key: the context that was asked for is not there, or not for this user/);
});

test('a device that only drops what it cannot take: key, level and context are reported as one of', () => {
  for (const [fault, key] of [
    ['decryption', 'privacy key'],
    ['timeout', 'authentication key'],
  ] as const) {
    const { message } = new SnmpError(fault, PEER, DROPPED);
    assert.match(message, new RegExp(`one of ${key} or protocol, security level, or a context`));
  }
});

test('the object that a v1 agent does not have is named', () => {
  const error = snmpError(library('RequestFailedError', 'NoSuchName: 1.3.6.1.2.1.1.9.0', { status: 2 }), PEER);
  assert.equal(error.oid, '1.3.6.1.2.1.1.9.0');
});

test('community, digests and keys that the library quotes are dropped', () => {
  const quoting = [
    library('ResponseInvalidError', "Community 'hunter2' in request does not match community 'hunter2' in response", {
      code: 10,
    }),
    library('ResponseInvalidError', 'Authentication digest hunter2 received in message does not match digest hunter2', {
      code: 5,
      info: { user: { authKey: 'hunter2' } },
    }),
    library('RequestFailedError', 'hunter2', { status: 99 }),
    Object.assign(new Error('hunter2'), { code: 'hunter2' }),
  ];
  for (const error of quoting) {
    const translated = snmpError(error, PEER);
    assert.ok(!JSON.stringify([translated, translated.message, translated.stack]).includes('hunter2'));
  }
});

test('silence over v2c names the community as a possible reason, over v3 it does not', () => {
  const v2c = new SnmpError('timeout', { ...PEER, version: '2c', user: null });
  assert.match(v2c.message, /community is wrong/);
  assert.match(v2c.remedy ?? '', /snmpget -v2c/);
  assert.doesNotMatch(new SnmpError('timeout', PEER).message, /community/);
});
