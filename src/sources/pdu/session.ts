// One SNMP session to one PDU: one request in flight, timed, bounded, rebuilt when the device stopped answering.

import dgram from 'node:dgram';
import snmp from 'net-snmp';
import { callOut } from '../../helpers/calls.ts';
import { type NameBook, names } from '../../helpers/name-book.ts';
import { FastSession } from './codec/fast-session.ts';
import { datagramHead } from './datagram.ts';
import { normalOid } from './oid.ts';
import type { PduSettings } from './settings.ts';
import { DROPPED, type Peer, SnmpError, snmpError } from './snmp-error.ts';
import { snmpUser } from './snmp-user.ts';

export interface SnmpValue {
  readonly oid: string;
  /** Null for noSuchObject, noSuchInstance, endOfMibView and NULL. */
  readonly value: unknown;
  readonly counter64: boolean;
  /** ASN.1 tag of the value. */
  readonly type?: number;
  /** True at the end of the tree. */
  readonly end: boolean;
}

export interface SnmpReply {
  readonly values: readonly SnmpValue[];
  /** Middle of request and reply on the caller's clock, epoch ms. */
  readonly timeMs: number;
  /** Of the datagram; left out where there was none. */
  readonly bytes?: number;
}

/** What of a session its users need: an agent without a network is one as well. */
export type PduSession = Pick<SnmpSession, 'peer' | 'foreign' | 'get' | 'getNext' | 'getBulk' | 'close'> &
  Partial<Pick<SnmpSession, 'hasAddress'>>;

type Callback = (error: unknown, varbinds?: readonly unknown[]) => void;
type Send = (session: snmp.Session, done: Callback) => void;

const REPORT = 0xa8;

/** Every method rejects with SnmpError and settles within (retries + 1) × (timeout + 250 ms). */
export class SnmpSession {
  readonly peer: Peer;
  readonly #config: PduSettings;
  readonly #now: () => number;
  readonly #names: NameBook;
  #session: snmp.Session | null = null;
  #fast: FastSession | null = null;
  /** Where the session sends, and whence alone it takes answers. */
  #address = '';
  #foreign = 0;
  /** Of the last datagram that the device sent. */
  #bytes = 0;
  #fail: ((error: SnmpError) => void) | null = null;
  #tail: Promise<unknown> = Promise.resolve();
  #closed = false;
  #otherVersion = false;
  /** Something came back since the request was sent: an SNMPv3 report, as the discovery of the engine gives. */
  #heard = false;
  /** Since the request was first sent: datagrams of the device that are no answer, and datagrams of others. */
  #garbled = 0;
  #strangers = 0;

  constructor(config: PduSettings, now: () => number, book: NameBook = names) {
    const host = config.host.includes(':') ? `[${config.host}]` : config.host;
    this.peer = { address: `${host}:${config.port}`, version: config.version, user: config.user?.name ?? null };
    this.#config = config;
    this.#now = now;
    this.#names = book;
  }

  /** Whether requests go to this address. */
  hasAddress(address: string): boolean {
    return this.#address !== '' && sameAddress(address, this.#address);
  }

  /** Datagrams that did not come from the asked address and port, and were left out. */
  get foreign(): number {
    return this.#foreign;
  }

  get(oids: readonly string[]): Promise<SnmpReply> {
    return this.#request('Get', (session, done) => session.get([...oids], done));
  }

  getNext(oids: readonly string[]): Promise<SnmpReply> {
    return this.#request('GetNext', (session, done) => session.getNext([...oids], done));
  }

  /** GETBULK on one column. `retries` false: one attempt, for finding out what the agent can do. */
  getBulk(oid: string, repetitions: number, retries = true): Promise<SnmpReply> {
    return this.#request('GetBulk', (session, done) => session.getBulk([oid], 0, repetitions, done), retries);
  }

  /** Ends the request in flight; the session cannot be used any more. */
  close(): void {
    this.#closed = true;
    this.#drop();
    this.#fail?.(new SnmpError('closed', this.peer));
  }

  #request(method: string, send: Send, retries = true): Promise<SnmpReply> {
    const result = this.#tail.then(() => this.#traced(method, send, retries ? this.#config.retries : 0));
    this.#tail = result.catch(() => undefined);
    return result;
  }

  async #traced(method: string, send: Send, retries: number): Promise<SnmpReply> {
    const { host, port } = this.#config;
    const call = callOut(() => ({
      name: `snmp/${method}`,
      attributes: { 'rpc.system': 'snmp', 'rpc.method': method, 'server.address': host, 'server.port': port },
    }));
    try {
      const reply = await this.#attempts(send, retries);
      call.end();
      return reply;
    } catch (error) {
      call.end({ error: error instanceof SnmpError ? error.fault : 'error' });
      throw error;
    }
  }

  async #attempts(send: Send, retries: number): Promise<SnmpReply> {
    this.#garbled = 0;
    this.#strangers = 0;
    for (let left = retries; ; left -= 1) {
      try {
        return await this.#attempt(send);
      } catch (cause) {
        const error = snmpError(cause, this.peer);
        // A device that lost power comes back with another engine: after silence or a time window the session is new.
        if (error.fault === 'timeout' || error.fault === 'time_window') this.#drop();
        if (error.fault === 'timeout' || error.fault === 'network') this.#names.failed(this.#config.host);
        if (error.fault !== 'timeout' || this.#closed) throw error;
        if (left > 0) continue;
        throw this.#silence(retries);
      }
    }
  }

  /** Why nothing that was asked for came; that nothing came at all is said only where that is so. */
  #silence(retries: number): SnmpError {
    if (this.#otherVersion) return new SnmpError('version', this.peer);
    // The device is there, but drops the request: many say nothing when they cannot decrypt, or lack the context.
    if (this.#heard && this.#config.version === '3') {
      return new SnmpError(this.#config.user?.level === 'authPriv' ? 'decryption' : 'timeout', this.peer, DROPPED);
    }
    const within = `within ${retries + 1} × ${this.#config.timeoutMs} ms`;
    if (this.#garbled > 0) {
      return new SnmpError(
        'bad_reply',
        this.peer,
        `${this.#garbled} datagrams ${within}, none of which is an answer to what was asked, in time`,
      );
    }
    if (this.#strangers > 0) {
      return new SnmpError(
        'bad_reply',
        this.peer,
        `${this.#strangers} datagrams ${within} came from another address or port than the one that was asked, and none from that one`,
      );
    }
    return new SnmpError('timeout', this.peer, ` ${within}`);
  }

  #attempt(send: Send): Promise<SnmpReply> {
    if (this.#closed) return Promise.reject(new SnmpError('closed', this.peer));
    return new Promise<SnmpReply>((resolve, reject) => {
      const settle = () => {
        clearTimeout(deadline);
        this.#fail = null;
      };
      // The library's own timer starts when the request was sent, and some replies make it forget the request.
      const deadline = setTimeout(
        () => this.#fail?.(new SnmpError('timeout', this.peer)),
        this.#config.timeoutMs + 250,
      );
      this.#fail = (error) => {
        settle();
        reject(error);
      };
      const fail = this.#fail;
      const ask = (session: snmp.Session) => {
        this.#heard = false;
        const sentMs = this.#now();
        send(session, (error, varbinds) => {
          if (this.#fail !== fail) return; // an answer to an attempt that is over
          if (error) return fail(snmpError(error, this.peer));
          settle();
          const values = (varbinds ?? []).flat().map(snmpValue);
          resolve({ values, timeMs: (sentMs + this.#now()) / 2, bytes: this.#bytes });
        });
      };
      this.#names
        .addresses(this.#config.host, this.#config.timeoutMs)
        .then((all) => {
          if (this.#fail === fail) ask(this.#open((all.find(({ family }) => family === 4) ?? all[0])?.address ?? ''));
        })
        .catch((error: unknown) => {
          if (this.#fail === fail) fail(snmpError(error, this.peer));
        });
    });
  }

  #open(address: string): snmp.Session {
    if (this.#session && this.#address === address) return this.#session;
    this.#drop();
    this.#address = address;
    const { port, version, community, timeoutMs } = this.#config;
    const options = {
      port,
      timeout: timeoutMs,
      retries: 0,
      transport: address.includes(':') ? ('udp6' as const) : ('udp4' as const),
      backwardsGetNexts: false,
      dgramModule: { createSocket: (type: dgram.SocketType) => this.#socket(type) },
    };
    const session =
      version === '3'
        ? snmp.createV3Session(address, snmpUser(this.#config.user, this.peer), options)
        : snmp.createSession(address, community ?? '', {
            ...options,
            version: version === '1' ? snmp.Version1 : snmp.Version2c,
          });
    // Datagrams that cannot be decoded: not ours to answer, the request in flight continues to wait.
    session.on('error', () => undefined);
    this.#fast = new FastSession(session, version, community ?? '');
    this.#session = session;
    return session;
  }

  #drop(): void {
    const session = this.#session;
    this.#session = null;
    try {
      session?.close();
    } catch {
      // closing a socket that an error already closed
    }
  }

  /** A socket whose messages are vetted first and whose listener cannot throw into the process. */
  #socket(type: dgram.SocketType): dgram.Socket {
    const socket = dgram.createSocket({ type, lookup: asItIs });
    const on = (event: string, listener: (...values: unknown[]) => void) => {
      const vetted = (buffer: Buffer, from: dgram.RemoteInfo) => {
        if (!this.#isAsked(from)) return;
        this.#bytes = buffer.length;
        try {
          if (this.#fast?.take(buffer) === true) return;
          if (this.#acceptable(buffer)) listener(buffer, from);
        } catch {
          this.#fail?.(new SnmpError('bad_reply', this.peer, 'the reply could not be read'));
        }
      };
      return socket.addListener(event, event === 'message' ? vetted : listener);
    };
    return Object.assign(socket, { on });
  }

  /** Anybody can send to the socket; only the device that was asked has answers. */
  #isAsked(from: dgram.RemoteInfo): boolean {
    if (from.port === this.#config.port && sameAddress(from.address, this.#address)) return true;
    this.#foreign += 1;
    this.#strangers += 1;
    return false;
  }

  /** Our version only, and with SNMPv3 authentication nothing unauthenticated but reports. */
  #acceptable(buffer: Buffer): boolean {
    const head = datagramHead(buffer);
    if (head === null) {
      this.#garbled += 1;
      return false;
    }
    const { version, user } = this.#config;
    if (head.version !== (version === '3' ? 3 : version === '2c' ? 1 : 0)) {
      this.#otherVersion = true;
      return false;
    }
    this.#heard ||= version === '3';
    if (version !== '3') this.#garbled += 1;
    if (head.v3 === null || user === null || user.level === 'noAuthNoPriv') return true;
    return (head.v3.flags & 1) === 1 || head.pduTag === REPORT;
  }
}

/** It is sent to an address, which needs no resolver. */
function asItIs(address: string, _: unknown, done: (error: null, address: string, family: number) => void): void {
  done(null, address, address.includes(':') ? 6 : 4);
}

/** As numbers: an IPv6 address has several spellings. The interface of a link-local one is the kernel's to know. */
function sameAddress(one: string, other: string): boolean {
  if (one === other) return true;
  const parsed = [one, other].map((text) => URL.parse(`http://[${text.split('%', 1)[0]}]`)?.hostname);
  return parsed[0] !== undefined && parsed[0] === parsed[1];
}

function snmpValue(varbind: unknown): SnmpValue {
  const { oid, type, value } = varbind as { oid?: unknown; type?: unknown; value?: unknown }; // what the decoder makes
  const missing =
    type === snmp.ObjectType.NoSuchObject ||
    type === snmp.ObjectType.NoSuchInstance ||
    type === snmp.ObjectType.EndOfMibView;
  return {
    oid: normalOid(String(oid ?? '')),
    value: missing ? null : (value ?? null),
    counter64: type === snmp.ObjectType.Counter64,
    ...(typeof type === 'number' ? { type } : {}),
    end: type === snmp.ObjectType.EndOfMibView,
  };
}
