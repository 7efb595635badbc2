// The API over TCP as the configuration has it now: off, on, or on another address after a reload.

import type { Logger } from 'pino';
import type { ApiListener } from '../api/api-listener.ts';
import type { ApiBackend } from '../api/backend.ts';
import type { ApiTcp } from '../config/api.ts';
import { listenText } from '../config/listen.ts';
import type { SinkHealth } from '../sinks/sink.ts';

export class TcpApi {
  readonly #backend: ApiBackend;
  readonly #logger: Pick<Logger, 'warn' | 'info'>;
  #settings: ApiTcp | null = null;
  #listener: ApiListener | null = null;

  constructor(backend: ApiBackend, logger: Pick<Logger, 'warn' | 'info'>) {
    this.#backend = backend;
    this.#logger = logger;
  }

  /** Ends what was before; resolves when it listens, or when it was reported that it cannot yet. */
  async take(settings: ApiTcp | null): Promise<void> {
    await this.close();
    this.#settings = settings;
    if (settings === null) return;
    // Loaded where it is asked for: TLS costs memory.
    const { ApiListener } = await import('../api/api-listener.ts');
    this.#listener = new ApiListener(this.#backend, {
      settings,
      onTrouble: (code, detail) => this.#logger.warn({ code }, `${code} ${detail}`),
      onWrite: (fields) => this.#logger.info(fields, 'asked over TCP to change something'),
    });
    await this.#listener.start();
  }

  /** For the table of what leaves this host; empty where it is off. */
  health(): readonly SinkHealth[] {
    if (this.#settings === null || this.#listener === null) return [];
    const { listen, readDigest, writeDigest, clientCaFile } = this.#settings;
    const { trouble, counters } = this.#listener;
    if (trouble !== null) return [{ sink: 'api', status: 'failing', detail: trouble }];
    const shown = [
      ...(readDigest === null ? [] : ['a read token']),
      ...(writeDigest === null ? [] : ['a write token']),
      ...(clientCaFile === null ? [] : ['a client certificate']),
    ].join(' or ');
    const detail = `https://${listenText(listen)} for whoever shows ${shown}; ${counters.requests} requests, ${counters.refused} refused`;
    return [{ sink: 'api', status: 'works', detail }];
  }

  async close(): Promise<void> {
    const listener = this.#listener;
    this.#listener = null;
    await listener?.close();
  }
}
