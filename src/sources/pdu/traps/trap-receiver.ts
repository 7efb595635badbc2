// Receives traps and informs on one UDP port, for the devices that are configured with it: each has a receiver of the protocol
// library of its own, with its credentials alone; datagrams of others are dropped unread.

import dgram from 'node:dgram';
import { EventEmitter } from 'node:events';
import snmp from 'net-snmp';
import { errorCode } from '../../../helpers/error-code.ts';
import { errorText } from '../../../helpers/error-text.ts';
import type { SourceHealth } from '../../source.ts';
import { datagramHead } from '../datagram.ts';
import type { PduSettings } from '../settings.ts';
import { snmpUser } from '../snmp-user.ts';
import { type Trap, trapOf } from './trap.ts';

/** Of one device, a second; what comes faster is dropped, and the poll shows what is so. */
const MOST_A_SECOND = 20;

/** RFC 3414: a message this much older than the newest of its engine is a replay. s. */
const TIME_WINDOW_S = 150;

export interface TrapTarget {
  readonly settings: PduSettings;
  /** Whether the device has this address. */
  hasAddress(address: string): boolean;
  trapped(trap: Trap): void;
}

interface EngineClock {
  readonly engine: string;
  readonly boots: number;
  readonly time: number;
}

interface Receiving {
  readonly target: TrapTarget;
  readonly socket: DeviceSocket;
  readonly receiver: { close(): void };
  second: number;
  inSecond: number;
  /** Clock of the engine of the datagram in hand, and of the newest that was taken. */
  clock: EngineClock | null;
  newest: EngineClock | null;
}

/** What the library takes for a socket: it is given the datagrams of one device. */
class DeviceSocket extends EventEmitter {
  /** The one that its datagram came through. */
  through: dgram.Socket | null = null;

  bind(): this {
    return this;
  }

  /** The answer to an inform. */
  send(
    buffer: Buffer,
    offset: number,
    length: number,
    port: number,
    address: string,
    done: (error: null) => void,
  ): void {
    this.through?.send(buffer, offset, length, port, address, () => done(null));
  }

  close(): void {}
}

export class TrapReceiver {
  readonly #port: number;
  readonly #targets: readonly TrapTarget[];
  readonly #now: () => number;
  #sockets: dgram.Socket[] = [];
  #receiving: Receiving[] = [];
  #error: string | null = null;
  #closed = false;
  #taken = 0;
  #strangers = 0;
  #lastStranger = '';
  #refused = 0;
  #dropped = 0;

  constructor(port: number, targets: readonly TrapTarget[], now: () => number) {
    this.#port = port;
    this.#targets = targets;
    this.#now = now;
  }

  /** Resolves once it listens, or cannot; never rejects. */
  async start(): Promise<void> {
    this.#receiving = this.#targets.flatMap((target) => this.#receiverOf(target));
    const hasIPv6 = this.#targets.some(({ settings }) => settings.host.includes(':'));
    await Promise.all((hasIPv6 ? (['udp4', 'udp6'] as const) : (['udp4'] as const)).map((type) => this.#listen(type)));
  }

  #listen(type: dgram.SocketType): Promise<void> {
    return new Promise((resolve) => {
      const socket = dgram.createSocket({ type, ipv6Only: type === 'udp6' });
      this.#sockets.push(socket);
      socket.on('error', (error) => {
        this.#error = errorCode(error) ?? errorText(error);
        resolve();
      });
      socket.on('message', (buffer, from) => this.#receive(socket, buffer, from));
      socket.on('listening', () => resolve());
      socket.bind(this.#port);
    });
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const { receiver } of this.#receiving) receiver.close();
    for (const socket of this.#sockets) {
      try {
        socket.close();
      } catch {
        // a socket that could not be bound is closed already
      }
    }
  }

  health(): SourceHealth {
    const source = `pdu/traps:${this.#port}`;
    if (this.#error !== null) {
      const remedy =
        this.#port < 1024
          ? `Give the daemon CAP_NET_BIND_SERVICE, or set trap_port to one from 1024 and redirect: nft add rule ip nat prerouting udp dport ${this.#port} redirect to :${this.#port + 1000}`
          : `Find who has the port: ss -lunp 'sport = :${this.#port}'; or set another trap_port.`;
      return { source, status: 'failed', detail: `FL2117 no traps: UDP port ${this.#port}: ${this.#error}`, remedy };
    }
    const notes: string[] = [];
    if (this.#strangers > 0)
      notes.push(
        `${this.#strangers} datagrams of addresses that no PDU has were left out, the last from ${this.#lastStranger}`,
      );
    if (this.#refused > 0)
      notes.push(`${this.#refused} were refused: another community, user or key, a replay, or no trap at all`);
    if (this.#dropped > 0) notes.push(`${this.#dropped} came faster than ${MOST_A_SECOND} a second and were left out`);
    return {
      source,
      status: 'works',
      detail: `traps of ${this.#targets.length} devices, ${this.#taken} taken`,
      remedy: null,
      notes,
    };
  }

  #receiverOf(target: TrapTarget): Receiving[] {
    const { settings } = target;
    const device = new DeviceSocket();
    const options = { port: this.#port, dgramModule: { createSocket: () => device } };
    const receiver = snmp.createReceiver(options, (error: unknown, data: unknown) => {
      const receiving = this.#receiving.find((each) => each.target === target);
      if (receiving) this.#decoded(receiving, error, data);
    });
    try {
      const peer = { address: settings.host, version: settings.version, user: settings.user?.name ?? null };
      if (settings.version === '3') receiver.getAuthorizer().addUser(snmpUser(settings.user, peer));
      else receiver.getAuthorizer().addCommunity(settings.trapCommunity ?? settings.community ?? '');
    } catch {
      return []; // credentials that cannot be used: the poll of this device says so
    }
    return [{ target, socket: device, receiver, second: 0, inSecond: 0, clock: null, newest: null }];
  }

  #receive(socket: dgram.Socket, buffer: Buffer, from: dgram.RemoteInfo): void {
    const receiving = this.#receiving.find(({ target }) => target.hasAddress(from.address));
    if (receiving === undefined) {
      this.#strangers += 1;
      this.#lastStranger = from.address;
      return;
    }
    const second = Math.floor(this.#now() / 1000);
    if (receiving.second !== second) Object.assign(receiving, { second, inSecond: 0 });
    receiving.inSecond += 1;
    if (receiving.inSecond > MOST_A_SECOND) {
      this.#dropped += 1;
      return;
    }
    receiving.socket.through = socket;
    receiving.clock = clockOf(buffer);
    try {
      receiving.socket.emit('message', buffer, from);
    } catch {
      this.#refused += 1; // not a trap that the library can read
    }
  }

  #decoded(receiving: Receiving, error: unknown, data: unknown): void {
    const { target, clock, newest } = receiving;
    const pdu = error ? null : (data as { pdu?: object } | null)?.pdu; // what the library hands over
    const { user } = target.settings;
    const trap = pdu ? trapOf(pdu, this.#now(), user !== null && user.level !== 'noAuthNoPriv') : null;
    if (trap === null || isReplay(clock, newest)) {
      this.#refused += 1;
      return;
    }
    this.#taken += 1;
    receiving.newest = clock;
    target.trapped(trap);
  }
}

function clockOf(buffer: Buffer): EngineClock | null {
  const v3 = datagramHead(buffer)?.v3 ?? null;
  return v3 === null ? null : { engine: v3.engineId.toString('hex'), boots: v3.boots, time: v3.time };
}

/** Its key was good, but its engine's clock was further already. */
function isReplay(clock: EngineClock | null, newest: EngineClock | null): boolean {
  if (clock === null || newest === null || clock.engine !== newest.engine) return false;
  return clock.boots < newest.boots || (clock.boots === newest.boots && clock.time < newest.time - TIME_WINDOW_S);
}
