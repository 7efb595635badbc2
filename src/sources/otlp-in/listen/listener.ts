// Listener: one address on which both protocols are taken: the first bytes say which one a client speaks.

import { chmodSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import type { Address } from '../../address.ts';
import { removeSocket } from '../../own-socket.ts';
import { senderOf } from '../../sender.ts';
import type { Receiver } from '../receive/receiver.ts';
import { grpcDoor } from './grpc-door.ts';
import { httpDoor } from './http-door.ts';

/** Connections of one address. The oldest makes room for who comes next: an exporter that sends again connects again, and is not shut out. */
const CONNECTIONS = 128;
/** From its first byte to its last, and from a connection to its first request. */
const REQUEST_MS = 10_000;
/** Exporters send every few seconds; a connection on which nothing comes for so long is closed. */
const IDLE_MS = 300_000;
/** All users of the host may send, as they may over loopback: what they send is never more than the word of a tenant. */
const SOCKET_MODE = 0o666;
/** How HTTP/2 with prior knowledge begins (RFC 9113, 3.4). */
const PREFACE = 'PRI ';

export class Listener {
  readonly address: Address;
  readonly #server: Server;
  readonly #doors: readonly { emit(event: 'connection', socket: Socket): boolean }[];
  /** Oldest first. */
  readonly #sockets = new Set<Socket>();
  #closed = false;

  constructor(address: Address, receiver: Receiver) {
    this.address = address;
    this.#doors = [httpDoor(receiver, REQUEST_MS), grpcDoor(receiver, REQUEST_MS)];
    this.#server = createServer({ noDelay: true }, (socket) => this.#take(socket));
  }

  /** The port that was given where 0 was asked for; null for a socket. */
  get port(): number | null {
    const bound = this.#server.address();
    return typeof bound === 'object' && bound !== null ? bound.port : null;
  }

  /** Throws with what the system said. */
  async listen(): Promise<void> {
    const { address } = this;
    if ('path' in address) await removeSocket(address.path);
    if (this.#closed) return;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.once('listening', () => {
        this.#server.off('error', reject);
        resolve();
      });
      if ('path' in address) this.#server.listen(address.path);
      else this.#server.listen(address.port, address.host);
    });
    if ('path' in address) chmodSync(address.path, SOCKET_MODE);
  }

  close(): void {
    this.#closed = true;
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #take(socket: Socket): void {
    this.#sockets.add(socket);
    for (const oldest of this.#sockets) {
      if (this.#sockets.size <= CONNECTIONS) break;
      this.#sockets.delete(oldest);
      oldest.destroy();
    }
    socket.on('error', () => {}); // it closes next
    socket.once('close', () => this.#sockets.delete(socket));
    const timer = setTimeout(() => socket.destroy(), REQUEST_MS);
    socket.once('close', () => clearTimeout(timer));
    const look = (): void => {
      const first = socket.read(PREFACE.length);
      if (first === null) return; // not enough yet, or the end
      socket.off('readable', look);
      clearTimeout(timer);
      socket.unshift(first);
      const isHttp2 = first.toString('latin1') === PREFACE;
      void senderOf(socket);
      socket.setTimeout(IDLE_MS, () => socket.destroy());
      this.#doors[isHttp2 ? 1 : 0]?.emit('connection', socket);
    };
    socket.on('readable', look);
  }
}
