// The simulated PDU seen by its own client and, where it is installed, by Net-SNMP's tools.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { ReadingsDocument } from '../../../src/model/documents/readings.ts';
import { SimulatedPdu } from '../../../src/simulator/pdu-agent/simulated-pdu.ts';
import { readPdu } from '../../../src/sources/pdu/read-pdu.ts';
import { pduConfig, USER } from '../../sources/pdu/support.ts';

const run = promisify(execFile);
const netSnmp = await run('snmpget', ['-V']).then(
  () => true,
  () => false,
);
const skip = netSnmp ? false : 'snmpget is not installed (Debian: apt-get install snmp)';

function value(document: ReadingsDocument, component: string, quantity: string): number | null | undefined {
  return document.readings.find((r) => r.component === component && r.quantity === quantity)?.value;
}

async function withPdu(use: (pdu: SimulatedPdu) => Promise<void>): Promise<void> {
  const pdu = await SimulatedPdu.start({ model: { outlets: 4, phases: 1, banks: 2, voltageV: 121.4 }, user: USER });
  try {
    await use(pdu);
  } finally {
    await pdu.close();
  }
}

test('what is set is what is read, in the whole volts and tenths of an ampere of the MIB', () =>
  withPdu(async (pdu) => {
    pdu.setVoltage(1, 108.2);
    pdu.setCurrent(1, 8.4);
    const document = await readPdu(pduConfig(pdu.port), Date.now);
    assert.equal(value(document, 'pdu_phase/pdu-b/1', 'voltage'), 108);
    assert.equal(value(document, 'pdu_phase/pdu-b/1', 'current'), 8.4);
    assert.equal(value(document, 'pdu_branch/pdu-b/2', 'current'), 4.2);
    assert.equal(value(document, 'pdu_outlet/pdu-b/4', 'current'), 2.1);
    assert.equal(value(document, 'pdu_outlet/pdu-b/4', 'power'), Math.round(2.1 * 108.2 * 0.96));
    assert.equal(value(document, 'pdu/pdu-b', 'apparent_power'), Math.round(8.4 * 10.82) * 10);
    assert.deepEqual(document.identity, { vendor: 'APC', model: 'AP8641', serial: '5A0000E00001', firmware: 'v6.8.0' });
    assert.deepEqual(document.warnings, []);
  }));

test('v1, v2c and v3 give the same readings', () =>
  withPdu(async (pdu) => {
    const read = async (version: '1' | '2c' | '3') =>
      (await readPdu(pduConfig(pdu.port, { version, user: version === '3' ? USER : null, timeoutMs: 1000 }), Date.now))
        .readings;
    const v2c = await read('2c');
    assert.ok(v2c.length > 20);
    assert.deepEqual(await read('1'), v2c);
    assert.deepEqual(await read('3'), v2c);
  }));

test('a PDU without outlets and one with three phases are served', async () => {
  for (const model of [
    { outlets: 0, banks: 2 },
    { phases: 3, outlets: 24 },
  ]) {
    const pdu = await SimulatedPdu.start({ model });
    const document = await readPdu(pduConfig(pdu.port), Date.now);
    assert.equal(document.readings.filter((r) => r.quantity === 'voltage').length, model.phases ?? 1);
    assert.equal(document.states.filter((s) => s.name === 'outlet').length, model.outlets);
    await pdu.close();
  }
});

const versions: readonly (readonly [string, string[]])[] = [
  ['v1', ['-v1', '-c', 'public']],
  ['v2c', ['-v2c', '-c', 'public']],
  [
    'v3',
    [
      '-v3',
      '-l',
      'authPriv',
      '-u',
      USER.name,
      '-a',
      'SHA-256',
      '-A',
      USER.authKey ?? '',
      '-x',
      'AES',
      '-X',
      USER.privKey ?? '',
    ],
  ],
];

for (const [name, flags] of versions) {
  test(`snmpget and snmpwalk over ${name} read the same values`, { skip }, () =>
    withPdu(async (pdu) => {
      const peer = `127.0.0.1:${pdu.port}`;
      const get = await run('snmpget', [
        ...flags,
        '-On',
        '-Oq',
        '-Oe',
        peer,
        '.1.3.6.1.4.1.318.1.1.26.6.3.1.6.1',
        '.1.3.6.1.2.1.1.2.0',
      ]);
      assert.deepEqual(get.stdout.trim().split('\n'), [
        '.1.3.6.1.4.1.318.1.1.26.6.3.1.6.1 121',
        '.1.3.6.1.2.1.1.2.0 .1.3.6.1.4.1.318.1.3.4.6',
      ]);
      const walk = await run('snmpwalk', [...flags, '-On', '-Oq', peer, '.1.3.6.1.4.1.318.1.1.26.9.4.3.1.4']);
      assert.deepEqual(
        walk.stdout
          .trim()
          .split('\n')
          .map((line) => line.split(' ')[1]),
        ['1', '2', '3', '4'],
      );
    }),
  );
}

test('snmpget tells a wrong key, a wrong user and a wrong level apart', { skip }, () =>
  withPdu(async (pdu) => {
    const ask = (...flags: string[]) =>
      run('snmpget', ['-v3', ...flags, '-r', '0', '-t', '2', `127.0.0.1:${pdu.port}`, '.1.3.6.1.2.1.1.2.0']).then(
        ({ stdout }) => stdout,
        (error: { stderr: string }) => error.stderr,
      );
    const auth = ['-l', 'authNoPriv', '-a', 'SHA-256'];
    assert.match(await ask(...auth, '-u', USER.name, '-A', 'not-the-key'), /Unsupported security level|unsupported/i);
    const priv = ['-l', 'authPriv', '-a', 'SHA-256', '-x', 'AES', '-X', USER.privKey ?? ''];
    assert.match(await ask(...priv, '-u', USER.name, '-A', 'not-the-key'), /Authentication failure/i);
    assert.match(await ask(...priv, '-u', 'unknown', '-A', USER.authKey ?? ''), /Unknown user name/i);
  }),
);
