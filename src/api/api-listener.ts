// The API over TCP: TLS alone, and only for those who show a token or a certificate; bounded as the local socket is.

import { readFile, stat } from 'node:fs/promises';
import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import type { ApiTcp } from '../config/api.ts';
import { listenText } from '../config/listen.ts';
import { errorText } from '../helpers/error-text.ts';
import { BACKLOG, type BoundedServer, boundedServer } from '../helpers/http/bounded-server.ts';
import { askerOf } from './access.ts';
import { answer, noRequests, type Permit } from './answer.ts';
import type { ApiBackend } from './backend.ts';
import { FailedAskers } from './failed-askers.ts';
import type { ApiCounters } from './route.ts';
import { ROUTES } from './routes.ts';

export interface ApiListenerOptions {
  readonly settings: ApiTcp;
  /** FL4118: it cannot be listened on; FL4119: now it is; FL4120: the certificate cannot be used; FL4121: tokens that are wrong. */
  readonly onTrouble: (code: string, detail: string) => void;
  /** Something was changed over TCP: for the log. */
  readonly onWrite: (fields: { readonly from: string; readonly who: string; readonly path: string }) => void;
  readonly retryMs?: number;
  /** How often the files are looked at. */
  readonly renewMs?: number;
}

const RETRY_MS = 10_000;
const RENEW_MS = 60_000;
const HANDSHAKE_MS = 5_000;

export class ApiListener {
  readonly counters: ApiCounters = noRequests();
  readonly #backend: ApiBackend;
  readonly #options: ApiListenerOptions;
  readonly #failed: FailedAskers;
  #bounded: BoundedServer | null = null;
  #secure: Pick<Server, 'setSecureContext'> | null = null;
  #timer: NodeJS.Timeout | null = null;
  /** Of the files in use. */
  #state = '';
  #trouble: string | null = null;
  #closed = false;

  constructor(backend: ApiBackend, options: ApiListenerOptions) {
    this.#backend = backend;
    this.#options = options;
    this.#failed = new FailedAskers((detail) => options.onTrouble('FL4121', detail));
  }

  /** Resolves when it listens, or when it was reported that it cannot yet. */
  async start(): Promise<void> {
    const { retryMs = RETRY_MS, renewMs = RENEW_MS, onTrouble } = this.#options;
    const where = listenText(this.#options.settings.listen);
    try {
      await this.#listen();
    } catch (error) {
      const advice = 'Stop what listens there, or set api.listen; it is tried again by itself';
      if (this.#trouble === null)
        onTrouble('FL4118', `the API cannot be offered on ${where}: ${errorText(error)}. ${advice}`);
      this.#trouble = errorText(error);
      if (!this.#closed) this.#timer = setTimeout(() => void this.start(), retryMs).unref();
      return;
    }
    if (this.#trouble !== null) onTrouble('FL4119', `the API is offered on ${where} now`);
    this.#trouble = null;
    if (!this.#closed) this.#timer = setInterval(() => void this.#renew(), renewMs).unref();
  }

  /** Why it does not listen, or not with the newest files; null while all is well. */
  get trouble(): string | null {
    return this.#trouble;
  }

  /** The port in use; null while there is none. */
  port(): number | null {
    const address = this.#bounded?.server.address() as AddressInfo | null | undefined; // of a TCP server, by Node's docs
    return address?.port ?? null;
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#bounded?.close();
    this.#bounded = null;
  }

  async #listen(): Promise<void> {
    const { listen, clientCaFile, readDigest, writeDigest } = this.#options.settings;
    // Loaded only where it is asked for; import() of one of Node's own gives no names once it is bundled.
    const { createServer } = process.getBuiltinModule('node:https');
    const files = await this.#files();
    const asksCertificate = clientCaFile !== null;
    const answering = { routes: ROUTES, backend: this.#backend, counters: this.counters, permit: this.#permit };
    const bounded = boundedServer((request, response) => void answer(answering, request, response), this.counters, {
      make: (options, listener) => {
        const server = createServer(
          {
            ...options,
            ...files,
            handshakeTimeout: HANDSHAKE_MS,
            requestCert: asksCertificate,
            // With a token a client needs no certificate; without one it is turned away before it says anything.
            rejectUnauthorized: asksCertificate && readDigest === null && writeDigest === null,
          },
          listener,
        );
        this.#secure = server;
        return server;
      },
    });
    const { server } = bounded;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ ...listen, exclusive: true, backlog: BACKLOG }, resolve);
    });
    // From here on an error is an accept that failed: that client's trouble.
    server.removeAllListeners('error').on('error', () => {});
    if (this.#closed) await bounded.close();
    else this.#bounded = bounded;
  }

  /** Who may not ask is counted; who changes something is logged. */
  readonly #permit: Permit = (request, right) => {
    const from = request.socket.remoteAddress ?? 'unknown';
    try {
      const { who } = askerOf(request, right, this.#options.settings);
      const path = request.url?.split('?', 1)[0] ?? '';
      if (right === 'write') this.#options.onWrite({ from, who, path });
    } catch (error) {
      this.#failed.failed(from);
      throw error;
    }
  };

  /** Takes up renewed files; what cannot be used leaves the others in use. */
  async #renew(): Promise<void> {
    try {
      if ((await this.#stateOfFiles()) === this.#state) return;
      this.#secure?.setSecureContext(await this.#files());
      this.#trouble = null;
    } catch (error) {
      const detail = `the renewed certificate of the API is not used, the one of before is: ${errorText(error)}`;
      if (this.#trouble === null) this.#options.onTrouble('FL4120', detail);
      this.#trouble = detail;
    }
  }

  async #files(): Promise<SecureContextOptions> {
    const { certificateFile, keyFile, clientCaFile } = this.#options.settings;
    const state = await this.#stateOfFiles();
    const [cert, key, ca] = await Promise.all(
      [certificateFile, keyFile, clientCaFile].map((path) => (path === null ? undefined : readFile(path))),
    );
    const options = { minVersion: 'TLSv1.2', cert, key, ...(ca === undefined ? {} : { ca }) } as const;
    const { createSecureContext } = process.getBuiltinModule('node:tls');
    createSecureContext(options); // throws for what cannot be used, before anything is replaced
    this.#state = state;
    return options;
  }

  async #stateOfFiles(): Promise<string> {
    const { certificateFile, keyFile, clientCaFile } = this.#options.settings;
    const paths = [certificateFile, keyFile, ...(clientCaFile === null ? [] : [clientCaFile])];
    const states = await Promise.all(paths.map((path) => stat(path)));
    return states.map(({ ino, size, mtimeMs }) => `${ino} ${size} ${mtimeMs}`).join(', ');
  }
}
