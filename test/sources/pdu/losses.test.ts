// A network that loses datagrams, rows that lack a column, values that are none, and what is said where something came.

import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { decodeReading } from '../../../src/sources/pdu/decode.ts';
import { discoverPdu } from '../../../src/sources/pdu/discover.ts';
import { SnmpRequests } from '../../../src/sources/pdu/request.ts';
import type { PduSession } from '../../../src/sources/pdu/session.ts';
import { SnmpSession } from '../../../src/sources/pdu/session.ts';
import { SnmpError } from '../../../src/sources/pdu/snmp-error.ts';
import { memoryAgent } from './memory-agent.ts';
import { pduConfig } from './support.ts';

const closing: { close(): void }[] = [];
after(() => {
  for (const each of closing) each.close();
});

const RPDU = '1.3.6.1.4.1.318.1.1.12';
const LOAD = `${RPDU}.2.3.1.1`;

const SYSTEM = { '1.3.6.1.2.1.1.1.0': 'APC', '1.3.6.1.2.1.1.2.0': '1.3.6.1.4.1.318.1.3.4.5', '1.3.6.1.2.1.1.3.0': 100 };
/** Three phases and two banks, as rPDULoadStatusTable has them. */
function rows(bank: (row: number) => number | undefined): Record<string, number | string> {
  const objects: Record<string, number | string> = { ...SYSTEM, [`${RPDU}.1.1.0`]: 'pdu' };
  for (let row = 1; row <= 5; row += 1) {
    objects[`${LOAD}.2.${row}`] = 10 * row;
    objects[`${LOAD}.3.${row}`] = 1;
    objects[`${LOAD}.4.${row}`] = row <= 3 ? row : 1;
    const of = bank(row);
    if (of !== undefined) objects[`${LOAD}.5.${row}`] = of;
  }
  return objects;
}

const partsOf = async (session: PduSession) =>
  (await discoverPdu(new SnmpRequests(session), 'p')).parts.map(({ component }) => `${component.type}/${component.id}`);

test('a row whose bank column is absent is a phase, not a branch that was made up', async () => {
  const all = ['pdu/p', 'pdu_phase/p/1', 'pdu_phase/p/2', 'pdu_phase/p/3', 'pdu_branch/p/1', 'pdu_branch/p/2'];
  assert.deepEqual(await partsOf(memoryAgent(rows((row) => (row <= 3 ? 0 : row - 3)))), all);
  assert.deepEqual(await partsOf(memoryAgent(rows((row) => (row <= 3 ? undefined : row - 3)))), all);
});

test('values that are the largest of their type are none, except for counts of energy that come by them', () => {
  for (const raw of [2147483647, 4294967295, -2147483648, 65535, 32767]) {
    assert.equal(decodeReading(raw, [1, 10], 'none'), null, `${raw}`);
  }
  assert.equal(decodeReading(65535, [1, 10], 'none', false, true), 6553.5);
  assert.equal(decodeReading(2147483647, [1, 10], 'none', false, true), null);
  assert.equal(decodeReading(65534, [1, 10], 'none'), 6553.4);
});

test('discovery gets to its end where a fifth of the answers is lost, and keeps what it has where one part stays lost', async () => {
  const objects = rows((row) => (row <= 3 ? 0 : row - 3));
  const whole = await partsOf(memoryAgent(objects));
  let read = 0;
  for (let seed = 1; seed <= 20; seed += 1) {
    let state = seed;
    const loses = (): boolean => {
      state = (state * 48_271) % 2_147_483_647;
      return state % 25 < 9; // each way one in five
    };
    for (let skip = 0; skip < 5; skip += 1) loses();
    const found = await partsOf(memoryAgent(objects, loses)).catch((error: unknown) => [String(error)]);
    // Nothing can be known of a device whose very first answers are lost.
    if (found.length === 1 && found[0]?.includes('FL2101')) continue;
    assert.deepEqual(found, whole, `seed ${seed}`);
    read += 1;
  }
  assert.ok(read >= 8, `${read} of 20`);
});

test('"no answer" is said only where nothing came', async () => {
  for (const [answer, reported] of [
    [(): Buffer | null => null, /no answer from/],
    [(): Buffer | null => Buffer.from('not SNMP at all'), /1 datagrams within .* none of which is an answer/],
  ] as const) {
    const socket = dgram.createSocket('udp4');
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    socket.on('message', (_, from) => {
      const datagram = answer();
      if (datagram !== null) socket.send(datagram, from.port, from.address);
    });
    const session = new SnmpSession(pduConfig(socket.address().port, { timeoutMs: 100 }), Date.now);
    closing.push(socket, session);
    await assert.rejects(session.get(['1.3.6.1.2.1.1.3.0']), reported);
  }
});

test('a device that says nothing at all is reported with the time that was really waited', async () => {
  const silent = dgram.createSocket('udp4').bind(0, '127.0.0.1');
  await once(silent, 'listening');
  const session = new SnmpSession(pduConfig(silent.address().port, { timeoutMs: 60, retries: 1 }), Date.now);
  const requests = new SnmpRequests(session);
  requests.patient = true;
  let asked = 0;
  silent.on('message', () => {
    asked += 1;
  });
  try {
    await assert.rejects(requests.get(['1.3.6.1.2.1.1.3.0']), /within 4 × 60 ms/);
    assert.equal(asked, 4);
  } finally {
    session.close();
    silent.close();
  }
});

test('a long table is asked for in larger pieces, and an agent that does not take them is asked as before', async () => {
  const objects = Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`1.3.6.1.4.1.9.${i + 1}`, i]));
  for (const most of [100, 25]) {
    const inner = memoryAgent(objects);
    const asked: number[] = [];
    const getBulk: PduSession['getBulk'] = async (oid, repetitions) => {
      asked.push(repetitions);
      if (repetitions > most) throw new SnmpError('timeout', inner.peer);
      return { ...(await inner.getBulk(oid, repetitions)), bytes: 700 };
    };
    const requests = new SnmpRequests(Object.assign(Object.create(inner), { getBulk }));
    for (let walks = 0; walks < 2; walks += 1) assert.equal((await requests.rows('1.3.6.1.4.1.9')).length, 400);
    const wide = asked.filter((repetitions) => repetitions > 25);
    assert.ok(most === 100 ? wide.length > 10 && wide.every((one) => one === 46) : wide.length === 1, asked.join());
    assert.equal(requests.repetitions, 25);
  }
});
