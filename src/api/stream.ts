// One NDJSON stream to one client: what it does not read in time is bounded, then the client is let go.

import type { ServerResponse } from 'node:http';
import { shownJson } from '../model/shown-json.ts';

export const MAX_UNSENT_BYTES = 1024 * 1024;

export class NdjsonStream {
  readonly #response: ServerResponse;
  readonly #onSlow: () => void;
  #open = true;
  /** Bytes of the backlog that the client has not read yet: it may take its time for them. */
  #backlog = 0;

  /** `onSlow` is called once when the client is disconnected for not reading; `onEnd` once whatever ends the stream. */
  constructor(response: ServerResponse, onSlow: () => void, onEnd: () => void) {
    this.#response = response;
    this.#onSlow = onSlow;
    response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
    response.flushHeaders();
    response.on('drain', () => {
      this.#backlog = 0;
    });
    response.once('close', () => {
      this.#open = false;
      onEnd();
    });
    response.on('error', () => response.destroy());
  }

  /** What there is before anything new comes; its size is the backend's to bound. */
  sendBacklog(documents: readonly object[]): void {
    for (const document of documents) this.#write(document);
    this.#backlog = this.#response.writableLength;
  }

  /** From here on a quiet stream stays open: a healthy host sends nothing for days. */
  follow(): void {
    this.#response.socket?.setTimeout(0);
  }

  send(document: object): void {
    if (!this.#open) return;
    this.#write(document);
    if (this.#response.writableLength <= MAX_UNSENT_BYTES + this.#backlog) return;
    this.#open = false;
    this.#onSlow();
    this.#response.destroy();
  }

  #write(document: object): void {
    this.#response.write(`${shownJson(document)}\n`);
  }
}
