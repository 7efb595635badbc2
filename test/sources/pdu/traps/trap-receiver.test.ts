// Traps and informs of real senders (net-snmp's snmptrap and snmpinform, where they are there) to the source, held against polls.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import dgram from 'node:dgram';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { afterEach, test } from 'node:test';
import { promisify } from 'node:util';
import { componentText } from '../../../../src/model/component.ts';
import { SimulatedPdu } from '../../../../src/simulator/pdu-agent/simulated-pdu.ts';
import { PduSource } from '../../../../src/sources/pdu/pdu-source.ts';
import type { PduSettings } from '../../../../src/sources/pdu/settings.ts';
import { pduConfig, Recorder, USER, until } from '../support.ts';

const run = promisify(execFile);
const skip = ['/usr/bin/snmptrap', '/usr/bin/snmpinform'].every((path) => existsSync(path))
  ? false
  : 'snmptrap and snmpinform are not installed (Debian: snmp)';
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function freePort(): Promise<number> {
  const socket = dgram.createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  socket.close();
  return port;
}

/** A PDU that is polled once a minute: what is seen sooner, a trap brought. */
async function watched(more: Partial<PduSettings> = {}) {
  const pdu = await SimulatedPdu.start({ model: { outlets: 4, banks: 2 }, ...(more.user ? { user: more.user } : {}) });
  closing.push(() => pdu.close());
  const port = await freePort();
  const source = new PduSource(
    [pduConfig(pdu.port, { intervalMs: 60_000, timeoutMs: 2000, trapPort: port, ...more })],
    {
      now: Date.now,
    },
  );
  const seen = new Recorder();
  source.start(seen, new AbortController().signal);
  closing.push(() => source.stop());
  await until(() => seen.values('pdu_outlet/pdu-b/4#power').length > 0);
  return { pdu, port, source, seen };
}

const V2C = ['-v2c', '-c', 'public'];
const OVERLOAD = '1.3.6.1.4.1.318.0.226';
/** Bank 0 says that it is the phase. */
const PHASE_1 = ['1.3.6.1.4.1.318.1.1.12.2.3.1.1.5.1', 'i', '0', '1.3.6.1.4.1.318.1.1.12.2.3.1.1.4.1', 'i', '1'];
const send = (command: string, args: readonly string[]) =>
  run(`/usr/bin/${command}`, ['-m', '', ...args], {
    env: { PATH: '/usr/bin:/bin', HOME: '/nonexistent', SNMPCONFPATH: '/nonexistent' },
  });
const v2 = (port: number, oid: string, more: readonly string[] = [], as: readonly string[] = V2C) =>
  send('snmptrap', [...as, `127.0.0.1:${port}`, '', oid, ...more]);

test('a v2c trap of an overload brings a poll at once, and is evidence of what the poll shows', { skip }, async () => {
  const { pdu, port, seen } = await watched();
  pdu.setLoadState('phase', 1, 'overload');
  await v2(port, OVERLOAD, PHASE_1);
  await until(() => seen.of('power.overload', 'onset') !== undefined);
  const event = seen.of('power.overload', 'onset');
  assert.equal(event?.component && componentText(event.component), 'pdu_phase/pdu-b/1');
  assert.equal(event?.attributes?.trap, 'rPDUBankPhaseOverload');
  assert.equal(event?.evidence?.length, 2);
});

test('a v1 trap of an outlet switched off, whose state the slow set would show later', { skip }, async () => {
  const { pdu, port, seen } = await watched();
  pdu.setOutlet(3, false);
  const outlet = ['1.3.6.1.4.1.318.1.1.12.3.3.1.1.1.3', 'i', '3'];
  await send('snmptrap', [
    '-v1',
    '-c',
    'public',
    `127.0.0.1:${port}`,
    '1.3.6.1.4.1.318',
    '127.0.0.1',
    '6',
    '269',
    '',
    ...outlet,
  ]);
  await until(() => seen.of('power.outlet_off', 'onset') !== undefined);
  assert.equal(seen.of('power.outlet_off', 'onset')?.component?.id, 'pdu-b/3');
  assert.equal(seen.of('power.outlet_off', 'onset')?.attributes?.trap, 'rPDUOutletOff');
});

test('what the poll after a trap does not show makes no event, and doctor says that it was announced', {
  skip,
}, async () => {
  const { port, seen, source } = await watched();
  const before = seen.values('pdu_phase/pdu-b/1#voltage').length;
  await v2(port, OVERLOAD, PHASE_1);
  await until(() => seen.values('pdu_phase/pdu-b/1#voltage').length > before);
  await until(() => source.health()[0]?.notes?.some((note) => /1 traps announced/.test(note)) === true);
  assert.deepEqual(seen.events, []);
});

test('a trap of a device that does not answer the poll after it is believed, as the last that it said', {
  skip,
}, async () => {
  const { pdu, port, seen } = await watched();
  pdu.setSilent(true);
  await v2(port, OVERLOAD, PHASE_1);
  await until(() => seen.of('power.overload', 'point') !== undefined);
  assert.deepEqual(
    [seen.events[0]?.attributes?.confirmed, seen.events[0]?.attributes?.authenticated, seen.events[0]?.severity],
    [false, false, 'error'],
  );
});

test('an inform is answered, and a v3 one taken with its keys alone', { skip }, async () => {
  const { pdu, port, seen, source } = await watched({ version: '3', community: null, user: USER });
  const v3 = (authKey: string) => [
    '-v3', '-l', 'authPriv', '-u', USER.name, '-a', 'SHA-256', '-A', authKey, '-x', 'AES', '-X', USER.privKey ?? '', '-r', '0', '-t', '1',
  ]; // biome-ignore format: pairs
  pdu.setLoadState('phase', 1, 'overload');
  await send('snmpinform', [...v3(USER.authKey ?? ''), `127.0.0.1:${port}`, '', OVERLOAD, ...PHASE_1]);
  await until(() => seen.of('power.overload', 'onset')?.attributes?.trap !== undefined);
  await assert.rejects(send('snmpinform', [...v3('another-key-1'), `127.0.0.1:${port}`, '', OVERLOAD, ...PHASE_1]));
  await assert.rejects(send('snmpinform', [...V2C, '-r', '0', '-t', '1', `127.0.0.1:${port}`, '', OVERLOAD]), /.*/);
  assert.match(source.health().at(-1)?.notes?.join() ?? '', /refused/);
});

test('a v3 trap, whose engine is the sender', { skip }, async () => {
  const { pdu, port, seen } = await watched({ version: '3', community: null, user: USER });
  pdu.setLoadState('phase', 1, 'near_overload');
  const as = [
    '-v3', '-e', '0x8000000001020304', '-l', 'authPriv', '-u', USER.name, '-a', 'SHA-256', '-A', USER.authKey ?? '', '-x', 'AES', '-X', USER.privKey ?? '',
  ]; // biome-ignore format: pairs
  await v2(port, '1.3.6.1.4.1.318.0.224', PHASE_1, as);
  await until(() => seen.of('power.overload', 'onset')?.attributes?.trap === 'rPDUBankPhaseNearOverload');
});

test('a v3 trap of a time that its engine has left behind is a replay', { skip }, async () => {
  const { port, source } = await watched({ version: '3', community: null, user: USER });
  const at = (clock: string) => [
    '-v3', '-e', '0x8000000001020304', '-Z', clock, '-l', 'authPriv', '-u', USER.name, '-a', 'SHA-256', '-A', USER.authKey ?? '',
    '-x', 'AES', '-X', USER.privKey ?? '',
  ]; // biome-ignore format: pairs
  const health = () => source.health().at(-1);
  await v2(port, OVERLOAD, PHASE_1, at('5,1000'));
  await until(() => /1 taken/.test(health()?.detail ?? ''));
  await v2(port, OVERLOAD, PHASE_1, at('5,700'));
  await v2(port, OVERLOAD, PHASE_1, at('4,2000'));
  await until(() => /2 were refused/.test(health()?.notes?.join() ?? ''));
  await v2(port, OVERLOAD, PHASE_1, at('6,1'));
  await until(() => /2 taken/.test(health()?.detail ?? ''));
});

test('another community, garbage and a flood are no traps, and the flood is one poll', { skip }, async () => {
  const { port, source } = await watched();
  await v2(port, OVERLOAD, PHASE_1, ['-v2c', '-c', 'guess']);
  const socket = dgram.createSocket('udp4');
  for (let i = 0; i < 100; i += 1) socket.send(Buffer.from([0x30, 0x82, 0xff, i]), port, '127.0.0.1');
  const notes = (): string => source.health().at(-1)?.notes?.join('; ') ?? '';
  await until(() => /faster than/.test(notes()));
  assert.match(notes(), /refused/);
  socket.close();
});

test('a port that cannot be opened is reported with what to do', async () => {
  const taken = dgram.createSocket('udp4').bind(0);
  closing.push(async () => taken.close());
  await once(taken, 'listening');
  const { port } = taken.address();
  const source = new PduSource([pduConfig(9, { trapPort: port })], { now: Date.now });
  source.start(new Recorder(), new AbortController().signal);
  closing.push(() => source.stop());
  await until(() => source.health().at(-1)?.status === 'failed');
  assert.match(source.health().at(-1)?.detail ?? '', /FL2117 .*EADDRINUSE/);
});
