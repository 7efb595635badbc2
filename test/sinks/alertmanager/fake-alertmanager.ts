// An Alertmanager made of its API alone: takes postableAlerts as openapi.yaml of v2 has them, and knows what is firing.

import { createServer, type Server as HttpServer, type IncomingMessage } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface Posted {
  readonly labels: Record<string, string>;
  readonly annotations: Record<string, string>;
  readonly startsAt: string;
  readonly endsAt: string;
}

export type Reaction = { readonly status: number; readonly headers?: Record<string, string> } | 'silent' | 'cut';

export class FakeAlertmanager {
  /** Every alert that was taken, in order. */
  readonly posted: Posted[] = [];
  readonly requests: { readonly url: string; readonly headers: IncomingMessage['headers'] }[] = [];
  react: (number: number) => Reaction = () => ({ status: 200 });
  readonly #tls: { readonly key: string; readonly cert: string } | null;
  #server: HttpServer | null = null;
  port = 0;

  constructor(tls: { readonly key: string; readonly cert: string } | null = null) {
    this.#tls = tls;
  }

  get url(): string {
    return `${this.#tls === null ? 'http' : 'https'}://127.0.0.1:${this.port}`;
  }

  /** Incident ids whose newest alert has not ended at that time. */
  firing(nowMs: number): string[] {
    const newest = new Map(this.posted.map((alert) => [JSON.stringify(Object.entries(alert.labels).sort()), alert]));
    const open = [...newest.values()].filter(({ endsAt }) => Date.parse(endsAt) > nowMs);
    return open.map(({ labels }) => labels.incident ?? '').sort();
  }

  async start(): Promise<this> {
    const handler: Parameters<typeof createServer>[1] = async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part);
      this.requests.push({ url: request.url ?? '', headers: request.headers });
      const reaction = this.react(this.requests.length);
      if (reaction === 'silent') return;
      if (reaction === 'cut') {
        response.writeHead(200, { 'content-length': '100' }).write('{"half');
        response.socket?.destroy();
        return;
      }
      const wrong = request.url === '/api/v2/alerts' ? this.#take(Buffer.concat(parts).toString()) : 'not found';
      const status = reaction.status >= 300 ? reaction.status : wrong === null ? 200 : 400;
      if (status !== 200) this.posted.length -= this.#taken;
      response.writeHead(status, reaction.headers).end(wrong ?? '');
    };
    const server = this.#tls === null ? createServer(handler) : createTlsServer({ ...this.#tls }, handler);
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

  #taken = 0;

  /** What is wrong, as the real one refuses it; null where it is taken. */
  #take(text: string): string | null {
    const alerts: Posted[] = JSON.parse(text);
    this.#taken = 0;
    for (const { labels, startsAt, endsAt } of alerts) {
      if (Object.keys(labels).some((name) => !/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name))) return 'invalid label name';
      if (Object.values(labels).some((value) => value === '')) return 'empty label';
      if (labels.alertname === undefined) return 'at least one label pair required';
      if (!(Date.parse(startsAt) <= Date.parse(endsAt))) return 'start time must be before end time';
    }
    this.posted.push(...alerts);
    this.#taken = alerts.length;
    return null;
  }
}
