// A real HTTP server in the place of a chat or pager: keeps what it takes, answers as a test says.

import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Request {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Answer {
  readonly status: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** No answer at all; the connection cut in the middle of one. */
export type Reaction = Answer | 'silent' | 'cut';

export class HttpReceiver {
  readonly taken: Request[] = [];
  asked = 0;
  /** Of each request. */
  readonly traceparents: (string | undefined)[] = [];
  react: (number: number, request: Request) => Reaction = () => ({ status: 200, body: '{}' });
  #server: Server | null = null;
  port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  /** What was taken, as JSON. */
  get bodies(): Record<string, unknown>[] {
    return this.taken.map(({ body }) => JSON.parse(body.toString()));
  }

  async start(): Promise<this> {
    const server = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part);
      this.asked += 1;
      const { traceparent } = request.headers;
      this.traceparents.push(typeof traceparent === 'string' ? traceparent : undefined);
      const got = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(parts) };
      const reaction = this.react(this.asked, got);
      if (reaction === 'silent') return;
      if (reaction === 'cut') {
        response.writeHead(200, { 'content-length': '100' }).write('{"ok": tr');
        setImmediate(() => response.socket?.destroy());
        return;
      }
      if (reaction.status < 300) this.taken.push(got);
      response.writeHead(reaction.status, reaction.headers).end(reaction.body ?? '');
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
