// Clients that hold connections: they say nothing, half of something, or do not read; and come back at once when they are let go.

import { request } from 'node:http';
import { connect, type NetConnectOpts, type Socket } from 'node:net';

export const SLOW = {
  'say nothing': '',
  'send headers a byte a second': 'GET /metrics HTTP/1.1\r\nhost: x\r\nx: ',
  'send a body a byte a second': 'POST /metrics HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n',
  'do not read the answer': 'GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n',
} as const;
export type Slowness = keyof typeof SLOW;

export class SlowConnections {
  readonly #target: NetConnectOpts;
  readonly #slowness: Slowness;
  readonly #sockets = new Set<Socket>();
  readonly #drip: NodeJS.Timeout;
  #stopped = false;
  /** How often one was let go. */
  lost = 0;

  constructor(target: NetConnectOpts, slowness: Slowness, count: number) {
    this.#target = target;
    this.#slowness = slowness;
    for (let i = 0; i < count; i += 1) this.#hold();
    this.#drip = setInterval(() => {
      if (slowness.includes('byte')) for (const socket of this.#sockets) socket.write('x');
    }, 1000);
  }

  get size(): number {
    return this.#sockets.size;
  }

  stop(): void {
    this.#stopped = true;
    clearInterval(this.#drip);
    for (const socket of this.#sockets) socket.destroy();
  }

  #hold(): void {
    if (this.#stopped) return;
    const socket = connect(this.#target);
    this.#sockets.add(socket);
    if (this.#slowness.includes('read')) socket.pause();
    else socket.resume();
    socket.once('connect', () => socket.write(SLOW[this.#slowness]));
    socket.on('error', () => {}); // let go
    socket.once('close', () => {
      this.#sockets.delete(socket);
      this.lost += 1;
      setTimeout(() => this.#hold(), 50);
    });
  }
}

export interface Scraped {
  /** Null where there was no answer. */
  readonly status: number | null;
  readonly bytes: number;
  readonly ms: number;
}

/** One request on a connection of its own; never rejects. */
export function scrape(target: NetConnectOpts, path: string): Promise<Scraped> {
  const startedMs = performance.now();
  const ms = () => performance.now() - startedMs;
  return new Promise((resolve) => {
    const options = 'path' in target ? { socketPath: target.path } : { host: target.host, port: target.port };
    const outgoing = request({ ...options, path, agent: false, timeout: 5000 }, (response) => {
      let bytes = 0;
      response.on('data', (part: Buffer) => {
        bytes += part.length;
      });
      response.on('error', () => resolve({ status: null, bytes, ms: ms() }));
      response.on('end', () => resolve({ status: response.statusCode ?? null, bytes, ms: ms() }));
    });
    outgoing.on('timeout', () => outgoing.destroy());
    outgoing.on('error', () => resolve({ status: null, bytes: 0, ms: ms() }));
    outgoing.end();
  });
}
