// Answers in the device's place: from another address or port they count for nothing, and their ids cannot be guessed.

import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import { once } from 'node:events';
import { afterEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { NameBook } from '../../../src/helpers/name-book.ts';
import { datagramHead, tlvChildren, tlvInteger } from '../../../src/sources/pdu/datagram.ts';
import { SnmpSession } from '../../../src/sources/pdu/session.ts';
import { type Asked, berInteger, response } from './hostile-agent.ts';
import { pduConfig } from './support.ts';

const UPTIME = '1.3.6.1.2.1.1.3.0';
const closing: { close(): void }[] = [];
afterEach(() => {
  for (const thing of closing.splice(0)) thing.close();
});

async function bound(address: string): Promise<dgram.Socket> {
  const socket = dgram.createSocket('udp4');
  closing.push(socket);
  socket.bind(0, address);
  await once(socket, 'listening');
  return socket;
}

function asked(buffer: Buffer): Pick<Asked, 'id' | 'oids'> {
  const head = datagramHead(buffer);
  const [id, , , list] = head?.pdu ? tlvChildren(buffer, head.pdu) : [];
  const oids = list ? tlvChildren(buffer, list).flatMap((each) => tlvChildren(buffer, each).slice(0, 1)) : [];
  return { id: tlvInteger(buffer, id) ?? 0, oids: oids.map(({ start, end }) => buffer.subarray(start, end)) };
}

function answer({ id, oids }: Pick<Asked, 'id' | 'oids'>, value: number): Buffer {
  return response(
    id,
    oids.map((oid) => [oid, berInteger(value)] as const),
  );
}

for (const where of ['127.0.0.1', '127.0.0.2']) {
  test(`an answer from another socket on ${where} that knows the id is left out and counted`, async () => {
    const device = await bound('127.0.0.1');
    const attacker = await bound(where);
    device.on('message', async (buffer, from) => {
      for (let i = 0; i < 3; i += 1) attacker.send(answer(asked(buffer), 666), from.port, from.address);
      await sleep(30);
      device.send(answer(asked(buffer), 42), from.port, from.address);
    });
    const session = new SnmpSession(pduConfig(device.address().port, { timeoutMs: 2000 }), Date.now);
    closing.push(session);
    const { values } = await session.get([UPTIME]);
    assert.equal(values[0]?.value, 42);
    assert.equal(session.foreign, 3);
  });
}

test('ids fill 31 bits and follow from nothing before', async () => {
  const device = await bound('127.0.0.1');
  const ids: number[] = [];
  device.on('message', (buffer, from) => {
    ids.push(asked(buffer).id);
    device.send(answer(asked(buffer), 1), from.port, from.address);
  });
  const session = new SnmpSession(pduConfig(device.address().port, { timeoutMs: 2000 }), Date.now);
  closing.push(session);
  for (let i = 0; i < 200; i += 1) await session.get([UPTIME]);
  assert.equal(new Set(ids).size, 200);
  // 200 draws below 10^8, as the protocol library makes them, would come once in 10^266.
  assert.ok(ids.filter((id) => id > 2 ** 30).length > 60 && ids.filter((id) => id < 2 ** 30).length > 60);
});

test('a session asks for its name once, and keeps the address while the name server is dead', async () => {
  const device = await bound('127.0.0.1');
  device.on('message', (buffer, from) => device.send(answer(asked(buffer), 1), from.port, from.address));
  let lookups = 0;
  let clock = 0;
  const book = new NameBook(
    () => {
      lookups += 1;
      return lookups === 1 ? Promise.resolve([{ address: '127.0.0.1', family: 4 }]) : new Promise(() => {});
    },
    () => clock,
  );
  const config = pduConfig(device.address().port, { host: 'pdu-b.example', timeoutMs: 2000 });
  const session = new SnmpSession(config, Date.now, book);
  closing.push(session);
  for (let i = 0; i < 100; i += 1) {
    clock += 60_000;
    await session.get([UPTIME]);
  }
  assert.equal(lookups, 2);
});
