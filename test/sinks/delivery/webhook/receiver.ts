// A real HTTP server that takes what a webhook posts, or does what a test says.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Posted {
  readonly key: string;
  readonly id: string;
  readonly revision: number;
}

/** What is done with the nth request: a status, or no answer at all. */
export type Reaction = { readonly status: number; readonly afterMs?: number } | 'silent';

export class Receiver {
  readonly taken: Posted[] = [];
  asked = 0;
  react: (number: number) => Reaction = () => ({ status: 204 });
  #server: Server | null = null;
  port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  /** `revision of id` of what was taken, each once. */
  get seen(): Set<string> {
    return new Set(this.taken.map(({ id, revision }) => `${id} ${revision}`));
  }

  /** On the port that it had before, if it had one. */
  async start(): Promise<this> {
    const server = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part);
      this.asked += 1;
      const reaction = this.react(this.asked);
      if (reaction === 'silent') return;
      if (reaction.afterMs !== undefined) await new Promise((resolve) => setTimeout(resolve, reaction.afterMs));
      if (reaction.status < 300) {
        const { id, revision } = JSON.parse(Buffer.concat(parts).toString());
        this.taken.push({ key: String(request.headers['idempotency-key']), id, revision });
      }
      response.writeHead(reaction.status).end();
    });
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.port = (server.address() as AddressInfo).port; // a TCP server has an address object
    this.#server = server;
    return this;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
