// Places: who holds a connection of a server. When they are all taken, who has kept one longest makes room for who comes next.

import type { Server } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { Socket } from 'node:net';

/** Held at once by those who were there for a moment. */
const PLACES = 64;
/** Time to be asked and answered in, before a connection can be made to go. */
const MOMENT_MS = 100;
/** Held at once by all, whatever comes in a moment. */
const MOST = 768;
/** Answers that wait to be read, over all connections. */
const MOST_UNREAD_BYTES = 8 * 1024 * 1024;

export class Places {
  readonly #onEvicted: () => void;
  /** Connections with the time at which each began, or was last asked something: oldest first. */
  readonly #since = new Map<Socket, number>();

  constructor(server: Server | TlsServer, onEvicted: () => void) {
    this.#onEvicted = onEvicted;
    server.on('connection', (socket: Socket) => this.#add(socket));
    // From the handshake on the connection is another object, under the same address.
    server.on('secureConnection', (secure: Socket) => {
      const [bare] = [...this.#since.keys()].filter(
        ({ remotePort, remoteAddress }) =>
          remotePort === secure.remotePort && remoteAddress === secure.remoteAddress && remotePort !== undefined,
      );
      if (bare !== undefined) this.#since.delete(bare);
      this.#add(secure);
    });
    server.prependListener('request', ({ socket }, response) => {
      this.#since.delete(socket);
      this.#since.set(socket, performance.now());
      response.once('prefinish', () => this.#boundUnread(socket));
    });
  }

  #add(socket: Socket): void {
    this.#since.set(socket, performance.now());
    socket.once('close', () => this.#since.delete(socket));
    if (this.#since.size > PLACES) this.#makeRoom();
  }

  clear(): void {
    for (const socket of this.#since.keys()) socket.destroy();
  }

  #makeRoom(): void {
    const now = performance.now();
    const following = [...this.#since.keys()].filter(isFollowing);
    // Those that follow were given their connection for good, up to half of all.
    for (const socket of following.slice(0, Math.max(0, following.length - PLACES / 2))) this.#evict(socket);
    for (const [socket, since] of this.#since) {
      if (this.#since.size <= PLACES || (now - since < MOMENT_MS && this.#since.size <= MOST)) return;
      if (!isFollowing(socket)) this.#evict(socket);
    }
  }

  #boundUnread(newest: Socket): void {
    let unread = 0;
    for (const socket of this.#since.keys()) unread += socket.writableLength;
    for (const socket of this.#since.keys()) {
      if (unread <= MOST_UNREAD_BYTES) return;
      if (socket === newest || socket.writableLength === 0) continue;
      unread -= socket.writableLength;
      this.#evict(socket);
    }
  }

  #evict(socket: Socket): void {
    this.#since.delete(socket);
    this.#onEvicted();
    socket.destroy();
  }
}

/** A stream switches off the time-out of its connection (stream.ts). */
function isFollowing(socket: Socket): boolean {
  return socket.timeout === 0;
}
