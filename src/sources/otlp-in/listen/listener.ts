// Listener: one address on which both protocols are taken: the first bytes say which one a client speaks.

import { chmodSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import type { Address } from '../../address.ts';
import { removeSocket } from '../../own-socket.ts';
import type { Receiver } from '../receive/receiver.ts';
import { Connections } from './connections.ts';
import { grpcDoor } from './grpc-door.ts';
import { ASKED, httpDoor } from './http-door.ts';

/** Connections of one address: an exporter that sends again connects again, and is not shut out. */
const CONNECTIONS = 128;
/** From its first byte to its last, and from a connection to its first request. */
const REQUEST_MS = 10_000;
/** Exporters send every few seconds; a connection on which nothing comes for so long is closed. */
const IDLE_MS = 300_000;
/** All users of the host may send, as they may over loopback: what they send is never more than the word of a tenant. */
const SOCKET_MODE = 0o666;
/** How HTTP/2 with prior knowledge begins (RFC 9113, 3.4). */
const PREFACE = 'PRI ';
/** To who has begun to speak HTTP, or has been asked for no more than that. */
const raw = (status: string) => `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`;
const TOO_SLOW = raw('408 Request Timeout');
const TOO_MANY = raw('503 Service Unavailable\r\nretry-after: 1');

export class Listener {
  readonly address: Address;
  readonly #server: Server;
  readonly #doors: readonly { emit(event: 'connection', socket: Socket): boolean }[];
  readonly #connections = new Connections(CONNECTIONS);
  /** Those that speak HTTP/1.1: they can be answered why they are closed. */
  readonly #spokeHttp = new WeakSet<Socket>();
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
    this.#connections.close();
  }

  #take(socket: Socket): void {
    socket.on('error', () => {}); // it closes next
    const oldest = this.#connections.add(socket);
    if (oldest !== null) this.#end(oldest, TOO_MANY);
    const timer = setTimeout(() => this.#end(socket, TOO_SLOW), REQUEST_MS);
    socket.once('close', () => clearTimeout(timer));
    const look = (): void => {
      const first = socket.read(PREFACE.length);
      if (first === null) return; // not enough yet, or the end
      socket.off('readable', look);
      socket.unshift(first);
      const isHttp2 = first.toString('latin1') === PREFACE;
      socket.setTimeout(IDLE_MS, () => socket.destroy());
      if (isHttp2) clearTimeout(timer);
      else {
        this.#spokeHttp.add(socket);
        socket.once(ASKED, () => clearTimeout(timer));
      }
      this.#doors[isHttp2 ? 1 : 0]?.emit('connection', socket);
    };
    socket.on('readable', look);
  }

  #end(socket: Socket, why: string): void {
    if (this.#spokeHttp.has(socket) && socket.writable) socket.end(why, () => socket.destroy());
    else socket.destroy();
  }
}
