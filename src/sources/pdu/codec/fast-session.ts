// Makes a session of the protocol library quicker, and its ids impossible to guess: whoever can guess them can answer in
// the device's place. The library keeps what a session is: sending, waiting, security, what each answer means.

import { randomInt } from 'node:crypto';
import type snmp from 'net-snmp';
import { ownBytes } from '../../../helpers/own-bytes.ts';
import { ResponseReader } from './read-response.ts';
import { messageBytes, pduBytes, type RequestPdu } from './write-request.ts';

const MOST_ID = 2 ** 31 - 1;

interface Message {
  readonly pdu: RequestPdu & { toBuffer: (writer: { writeBuffer(bytes: Buffer): void }) => void };
  /** Encoded; the library does it where this is not there. */
  buffer?: Buffer;
  /** SNMPv3 only. */
  readonly msgGlobalData?: { msgID: number };
}

/** What the library hands to `send`: a message that is not encoded yet. */
interface Outgoing {
  readonly message: Message;
}

/** Not in its types. */
interface Inside {
  send(outgoing: Outgoing, ...more: unknown[]): unknown;
  readonly reqs: Readonly<Record<number, Outgoing>>;
  unregisterRequest(id: number): unknown;
  onSimpleGetResponse(request: unknown, message: object): void;
}

export class FastSession {
  readonly #inside: Inside;
  /** 0 for v1, 1 for v2c; null for v3, whose messages are the library's own. */
  readonly #version: 0 | 1 | null;
  readonly #community: Buffer;

  constructor(session: snmp.Session, version: '1' | '2c' | '3', community: string) {
    this.#inside = session as unknown as Inside;
    this.#version = version === '3' ? null : version === '1' ? 0 : 1;
    this.#community = ownBytes(community);
    const send = this.#inside.send.bind(session);
    this.#inside.send = (outgoing, ...more) => {
      this.#prepare(outgoing.message);
      return send(outgoing, ...more);
    };
  }

  /** True where this was the answer to a request under way, and is dealt with. */
  take(datagram: Buffer): boolean {
    if (this.#version === null) return false;
    const reader = new ResponseReader(datagram);
    const id = reader.requestId(this.#version, this.#community);
    const request = id === null ? undefined : this.#inside.reqs[id];
    const pdu = request === undefined ? null : reader.pdu(request.message.pdu.varbinds);
    if (pdu === null) return false;
    this.#inside.unregisterRequest(pdu.id);
    this.#inside.onSimpleGetResponse(request, { pdu });
    return true;
  }

  /** The library's own ids are 27 bits of Math.random, which a few of them give away. */
  #prepare(message: Message): void {
    const { pdu } = message;
    pdu.id = randomInt(1, MOST_ID);
    if (message.msgGlobalData) message.msgGlobalData.msgID = randomInt(1, MOST_ID);
    const bytes = pduBytes(pdu);
    if (bytes === null) return;
    if (this.#version === null) pdu.toBuffer = (writer) => writer.writeBuffer(bytes);
    else message.buffer = messageBytes(this.#version, this.#community, bytes);
  }
}
