// The TCP listener: /metrics, /healthz and /readyz and nothing else, on the address that was asked for.

import type { AddressInfo } from 'node:net';
import { listenText } from '../config/listen.ts';
import { BACKLOG, type BoundedServer, boundedServer } from '../helpers/http/bounded-server.ts';
import { answer, noRequests } from './answer.ts';
import { PROBES, type ProbeBackend } from './probes.ts';
import type { ApiCounters } from './route.ts';

const RETRY_MS = 10_000;

export interface ProbeListenerOptions {
  readonly host: string;
  readonly port: number;
  /** FL3302: the address cannot be listened on, reported once; FL3304: now it can. */
  readonly onTrouble: (code: string, detail: string) => void;
  readonly retryMs?: number;
}

/** A taken port is not a reason to stop watching the host: it is reported, and tried again until it is free. */
export class ProbeListener {
  readonly counters: ApiCounters = noRequests();
  readonly #backend: ProbeBackend;
  readonly #options: ProbeListenerOptions;
  #bounded: BoundedServer | null = null;
  #retry: NodeJS.Timeout | null = null;
  #reported = false;
  #closed = false;

  constructor(backend: ProbeBackend, options: ProbeListenerOptions) {
    this.#backend = backend;
    this.#options = options;
  }

  /** Resolves when it listens, or when it was reported that it cannot yet. */
  start(): Promise<void> {
    return new Promise((resolve) => this.#listen(resolve));
  }

  /** The port in use; null while there is none. */
  port(): number | null {
    const address = this.#bounded?.server.address() as AddressInfo | null | undefined; // of a TCP server, by Node's docs
    return address?.port ?? null;
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#retry !== null) clearTimeout(this.#retry);
    await this.#bounded?.close();
    this.#bounded = null;
  }

  #listen(done: () => void): void {
    const { host, port, onTrouble, retryMs = RETRY_MS } = this.#options;
    const answering = { routes: PROBES, backend: this.#backend, counters: this.counters };
    const bounded = boundedServer((request, response) => void answer(answering, request, response), this.counters);
    bounded.server.once('error', (error) => {
      const advice = 'Stop what listens there, or set prometheus.listen; it is tried again by itself';
      if (!this.#reported)
        onTrouble('FL3302', `${listenText({ host, port })} cannot be listened on: ${error.message}. ${advice}`);
      this.#reported = true;
      if (!this.#closed) this.#retry = setTimeout(() => this.#listen(() => {}), retryMs).unref();
      done();
    });
    bounded.server.listen({ host, port, exclusive: true, backlog: BACKLOG }, () => {
      if (this.#closed) void bounded.close();
      else this.#bounded = bounded;
      if (this.#reported) onTrouble('FL3304', `${listenText({ host, port })} is listened on now`);
      this.#reported = false;
      // From here on an error is an accept that failed: that client's trouble.
      bounded.server.removeAllListeners('error').on('error', () => {});
      done();
    });
  }
}
