// A saved walk: what a decoder needs stays, what is private does not, and a device that misbehaves leaves what it gave.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SnmpRequests } from '../../../src/sources/pdu/request.ts';
import { walkAll } from '../../../src/sources/pdu/walk-pdu.ts';
import { hasNameInIndex, modelWords, replaceDescription, replaceText } from '../../../src/sources/pdu/walk-replace.ts';
import { memoryAgent } from './memory-agent.ts';

const DESCRIPTION =
  'APC Web/SNMP Card (MB:v4.1.0 PF:v6.4.6 MN:AP8641 HR:R01 SN: 5A1643T05392 MD:10/28/2016) 10.1.2.3 00:c0:b7:aa:bb:cc';

test('a description keeps model and firmware, and loses serial and addresses', () => {
  const replaced = replaceDescription(DESCRIPTION);
  assert.match(replaced, /PF:v6\.4\.6 MN:AP8641 HR:R01/);
  assert.doesNotMatch(replaced, /5A1643T05392|10\.1\.2\.3|00:c0/);
  assert.ok(modelWords(replaced).has('AP8641'));
});

const kept = new Set(['AP8641']);
const shown = (text: string | Buffer, type = 4, oid = '1.3.6.1.4.1.318.1.1.1.0') =>
  String(replaceText(oid, type, Buffer.isBuffer(text) ? text : Buffer.from(text), kept).value);

test('words that every PDU has stay, all other text keeps its shape only', () => {
  for (const text of ['Outlet 12', 'Phase AB', 'AA:L1-L2', '16A', '200-240V', 'v6.8.0', 'AP8641', ''])
    assert.equal(shown(text), text);
  const secrets: readonly (readonly [string, string])[] = [
    ['5A1643T05392', '0x0000x00000'],
    ['gpu-node-14', 'xxx-xxxx-00'],
    ['rack14-community', 'xxxx00-xxxxxxxxx'],
    ['10.0.14.2', '00.0.00.0'],
    ['00:c0:b7:aa:bb:cc', '00:x0:x0:xx:xx:xx'],
    ['admin@example.net', 'xxxxx@xxxxxxx.xxx'],
  ];
  for (const [secret, shape] of secrets) assert.equal(shown(secret), shape);
  assert.equal(shown(Buffer.from('00c0b7aabbcc', 'hex')), '\0'.repeat(6), 'an address in bytes');
  assert.equal(shown(Buffer.from('0a000e02', 'hex'), 64), '0.0.0.0');
  for (const group of [4, 5, 6]) assert.equal(shown('Dave in row 3', 4, `1.3.6.1.2.1.1.${group}.0`), 'replaced');
});

test('a row whose index is a name is left out', () => {
  assert.ok(hasNameInIndex(`1.3.6.1.4.1.9.1.6.${[...Buffer.from('public')].join('.')}`));
  assert.ok(!hasNameInIndex('1.3.6.1.4.1.318.1.1.26.9.4.3.1.12.24'));
  assert.ok(!hasNameInIndex('1.3.6.1.4.1.13742.6.5.4.3.1.4.1.48.23'));
});

test('the walk is of the system group, the UPS tree and the vendors, in records that snmpsim serves', async () => {
  const agent = memoryAgent({
    '1.3.6.1.2.1.1.1.0': 'Acme MN:PD1234 SN: 123456789',
    '1.3.6.1.2.1.1.5.0': 'pdu-b.example.net',
    '1.3.6.1.2.1.2.1.0': 3,
    '1.3.6.1.2.1.33.1.2.4.0': 97,
    '1.3.6.1.4.1.99999.1.1.0': 'Outlet 1',
    '1.3.6.1.4.1.99999.1.2.0': -1,
    '1.3.6.1.4.1.99999.1.3.0': 'secret-community',
  });
  const walk = await walkAll(new SnmpRequests(agent), () => undefined);
  assert.deepEqual(walk.text.trimEnd().split('\n'), [
    '1.3.6.1.2.1.1.1.0|4|Acme MN:PD1234 SN: 000000000',
    '1.3.6.1.2.1.1.5.0|4|replaced',
    '1.3.6.1.2.1.33.1.2.4.0|2|97',
    '1.3.6.1.4.1.99999.1.1.0|4|Outlet 1',
    '1.3.6.1.4.1.99999.1.2.0|2|-1',
    '1.3.6.1.4.1.99999.1.3.0|4|xxxxxx-xxxxxxxxx',
  ]);
  assert.deepEqual([walk.objects, walk.replaced, walk.cut], [6, 3, null]);
});

test('what was read before the device stopped answering is kept, with why it ends', async () => {
  let asked = 0;
  const agent = memoryAgent({ '1.3.6.1.2.1.1.1.0': 'x', '1.3.6.1.4.1.99999.1.0': 5 }, () => {
    asked += 1;
    return asked > 2;
  });
  const walk = await walkAll(new SnmpRequests(agent), () => undefined);
  assert.equal(walk.objects, 1);
  assert.match(walk.cut ?? '', /FL2101/);
});
