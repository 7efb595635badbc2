// faultline probe pdu: document, table, exit status, and what it says when the PDU cannot be read.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Command } from 'commander';
import { processIo } from '../../../src/commands/common/command-io.ts';
import { type ProbePduOptions, probePdu, probePduCommand } from '../../../src/commands/probe/probe-pdu.ts';
import { SimulatedPdu } from '../../../src/simulator/pdu-agent/simulated-pdu.ts';
import { USER } from '../../sources/pdu/support.ts';

let pdu: SimulatedPdu;
let folder: string;
before(async () => {
  pdu = await SimulatedPdu.start({ model: { outlets: 2, voltageV: 230 }, user: USER, community: 'rack-14' });
  folder = mkdtempSync(join(tmpdir(), 'probe-pdu-'));
  writeFileSync(join(folder, 'auth'), `${USER.authKey}\n`);
  writeFileSync(join(folder, 'priv'), `${USER.privKey}\n`);
});
after(async () => {
  rmSync(folder, { recursive: true });
  await pdu.close();
});

async function probe(options: ProbePduOptions, env: Record<string, string> = {}, target = `127.0.0.1:${pdu.port}`) {
  let out = '';
  let error = '';
  const io = {
    out: (text: string) => {
      out += text;
    },
    error: (text: string) => {
      error += text;
    },
    env,
  };
  const status = await probePdu(target, { timeout: '200', ...options }, io);
  return { status, out, error };
}

test('--json prints the readings document and nothing else', async () => {
  const { status, out, error } = await probe({ community: 'rack-14', name: 'pdu-b', json: true });
  assert.equal(status, 0);
  assert.equal(error, '');
  const document = JSON.parse(out);
  assert.equal(document.schema, 'faultline/readings/1');
  assert.equal(document.target, `127.0.0.1:${pdu.port}`);
  assert.deepEqual(
    document.readings.find((r: { quantity: string }) => r.quantity === 'voltage'),
    {
      component: 'pdu_phase/pdu-b/1',
      quantity: 'voltage',
      value: 230,
      unit: 'V',
    },
  );
  assert.deepEqual(document.states.at(-1), { component: 'pdu_outlet/pdu-b/2', name: 'outlet', value: 'on' });
  assert.deepEqual(document.warnings, []);
});

test('the table is aligned, names the host where no name is given, and the community may come from the environment', async () => {
  const { status, out } = await probe({}, { FAULTLINE_SNMP_COMMUNITY: 'rack-14' });
  assert.equal(status, 0);
  const lines = out.split('\n');
  assert.match(lines[0] ?? '', /APC AP8641, serial 5A0000E00001, firmware v6\.8\.0/);
  const value = (pattern: RegExp) => lines.find((line) => pattern.test(line)) ?? '';
  const voltage = value(/^pdu_phase\/127\.0\.0\.1\/1 +voltage +230 {2}V$/);
  const current = value(/^pdu_phase\/127\.0\.0\.1\/1 +current +1 {2}A +normal$/);
  assert.equal(voltage.indexOf('230  V') + 2, current.indexOf('1  A'));
});

test('SNMPv3 by key files', async () => {
  const { status, out } = await probe({
    v3User: USER.name,
    authKeyFile: join(folder, 'auth'),
    privKeyFile: join(folder, 'priv'),
  });
  assert.equal(status, 0);
  assert.match(out, /230 {2}V/);
});

test('a PDU that cannot be read is status 1 with code and remedy, on standard error only', async () => {
  const { status, out, error } = await probe({ community: 'wrong-secret' });
  assert.equal(status, 1);
  assert.equal(out, '');
  assert.match(error, /^FL2101 .*community is wrong.*\n.*snmpget -v2c/);
  assert.doesNotMatch(error, /wrong-secret/);
});

const usage: readonly (readonly [string, ProbePduOptions, string | undefined, RegExp])[] = [
  ['an unknown version', { snmpVersion: '4' }, undefined, /^FL2122 --snmp-version "4" is none of 1, 2c, 3/],
  ['version 3 without a user', { snmpVersion: '3' }, undefined, /^FL2122 .*--v3-user/],
  ['a user with version 2c', { snmpVersion: '2c', v3User: 'a' }, undefined, /^FL2122 /],
  [
    'a level without its key',
    { v3User: 'a', v3Level: 'authPriv' },
    undefined,
    /^FL2122 level authPriv needs --auth-key-file/,
  ],
  [
    'a key file that is not there',
    { v3User: 'a', authKeyFile: '/nonexistent/key' },
    undefined,
    /^FL2123 .*\/nonexistent\/key.*ENOENT/,
  ],
  ['a timeout of no sense', { timeout: 'soon' }, undefined, /^FL2122 --timeout/],
  ['a target with a path', {}, 'http://pdu/', /^FL2121 "http:\/\/pdu\/"/],
  ['a port out of range', {}, 'pdu:99999', /^FL2121 /],
  ['no target', {}, '', /^FL2121 /],
];
for (const [what, options, target, message] of usage) {
  test(`${what} is wrong usage`, async () => {
    const { status, out, error } = await probe(options, {}, target ?? `127.0.0.1:${pdu.port}`);
    assert.equal(status, 2);
    assert.equal(out, '');
    assert.match(error, message);
  });
}

test('the options of the command line reach the command', () => {
  const parent = new Command('probe');
  probePduCommand.addTo(parent, processIo);
  const [command] = parent.commands;
  const names = command?.options.map((option) => option.attributeName());
  const known: Record<keyof Required<ProbePduOptions>, true> = {
    snmpVersion: true,
    community: true,
    v3User: true,
    v3Level: true,
    authProtocol: true,
    authKeyFile: true,
    privProtocol: true,
    privKeyFile: true,
    name: true,
    timeout: true,
    walk: true,
    json: true,
  };
  assert.deepEqual(names?.sort(), Object.keys(known).sort());
});

test('--walk saves its objects with serials and names replaced, in a file of its own', async () => {
  const path = join(folder, 'walk.snmprec');
  const { status, out } = await probe({ community: 'rack-14', walk: path });
  assert.equal(status, 0);
  assert.match(out, /walk\.snmprec: \d+ objects, text of \d+ replaced/);
  const text = readFileSync(path, 'utf8');
  assert.match(text, /^1\.3\.6\.1\.4\.1\.318\.1\.1\.26\.6\.3\.1\.6\.1\|2\|230$/m);
  assert.doesNotMatch(text, /5A0000E00001|simulated-pdu|rack-14/);
  // Nothing answers there: it was not asked.
  const nowhere = await probe({ community: 'rack-14', walk: join(folder, 'none', 'walk') }, {}, '127.0.0.1:1');
  assert.equal(nowhere.status, 1);
  assert.match(nowhere.error, /^FL2123 --walk .*walk cannot be written \(ENOENT\)/);
  assert.equal((await probe({ walk: path }, {}, 'no target')).status, 2);
});
