// A UDP peer that answers SNMP v2c requests with whatever a test makes up.

import dgram from 'node:dgram';
import { once } from 'node:events';
import { type DatagramHead, datagramHead, tlvChildren, tlvInteger } from '../../../src/sources/pdu/datagram.ts';

export interface Asked {
  /** 0xa0 GET, 0xa1 GETNEXT, 0xa5 GETBULK. */
  readonly tag: number;
  readonly id: number;
  /** BER content of each object identifier asked for. */
  readonly oids: readonly Buffer[];
  readonly head: DatagramHead;
}

export function ber(tag: number, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const length = Buffer.alloc(5);
  length.writeUInt8(0x84, 0);
  length.writeUInt32BE(body.length, 1);
  return Buffer.concat([Buffer.from([tag]), body.length < 0x80 ? Buffer.from([body.length]) : length, body]);
}

export function berInteger(value: number): Buffer {
  const bytes = Buffer.alloc(5);
  bytes.writeIntBE(value, 0, 5);
  return ber(0x02, bytes);
}

/** A v2c response whose varbinds are [object identifier content, value element]. */
export function response(id: number, varbinds: readonly (readonly [Buffer, Buffer])[], community = 'public'): Buffer {
  const list = ber(0x30, ...varbinds.map(([oid, value]) => ber(0x30, ber(0x06, oid), value)));
  return ber(
    0x30,
    berInteger(1),
    ber(0x04, Buffer.from(community)),
    ber(0xa2, berInteger(id), berInteger(0), berInteger(0), list),
  );
}

/** Calls `answer` for each request and sends what it returns. */
export async function hostileAgent(
  answer: (asked: Asked) => readonly Buffer[],
): Promise<{ port: number; close(): void }> {
  const socket = dgram.createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  socket.on('message', (buffer, from) => {
    const head = datagramHead(buffer);
    if (!head?.pdu) return;
    const [id, , , list] = tlvChildren(buffer, head.pdu);
    const oids = list
      ? tlvChildren(buffer, list, 100).flatMap((varbind) => tlvChildren(buffer, varbind).slice(0, 1))
      : [];
    const asked = {
      head,
      tag: head.pduTag ?? 0,
      id: tlvInteger(buffer, id) ?? 0,
      oids: oids.map((oid) => buffer.subarray(oid.start, oid.end)),
    };
    for (const reply of answer(asked)) socket.send(reply, from.port, from.address);
  });
  return { port: socket.address().port, close: () => socket.close() };
}
