// HTTP to one BMC: one kept-alive connection, one request at a time, bounded answers, a deadline for each.

import http from 'node:http';
import https from 'node:https';
import { callOut, httpCall, httpEnd } from '../../../helpers/calls.ts';
import { errorCode } from '../../../helpers/error-code.ts';
import { names } from '../../../helpers/name-book.ts';
import { BmcRecord } from '../memory/bmc-record.ts';
import type { BmcSettings } from '../settings.ts';
import { bodyTurns } from './body-turns.ts';
import { type BmcPeer, RedfishError, transportError } from './redfish-error.ts';
import { VerifiedAgent } from './verified-agent.ts';

const MOST_BODY = 1024 * 1024;
const MOST_HEADERS = 16 * 1024;
const IDLE_MS = 20_000;

export interface Reply {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
  /** Steady epoch ms at which the request left and the whole answer was there. */
  readonly sentMs: number;
  readonly receivedMs: number;
}

export interface Outgoing {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs?: number;
}

/** What its users need of it: a service without a network is one as well. */
export type RedfishTransport = Pick<Transport, 'peer' | 'send' | 'abort' | 'close'>;

export class Transport {
  readonly peer: BmcPeer;
  readonly #config: BmcSettings;
  readonly #base: URL;
  readonly #agent: http.Agent;
  readonly #now: () => number;
  #turn: Promise<unknown> = Promise.resolve();
  #break: ((why: RedfishError) => void) | null = null;

  constructor(config: BmcSettings, now: () => number, record = new BmcRecord()) {
    this.#config = config;
    this.#base = new URL(config.url);
    this.#now = now;
    this.peer = { url: `${this.#base.protocol}//${this.#base.host}`, user: config.user };
    const options = { keepAlive: true, maxSockets: 1, maxFreeSockets: 1, timeout: IDLE_MS, lookup: names.lookup };
    this.#agent =
      this.#base.protocol === 'https:'
        ? new VerifiedAgent(options, config, this.peer, record)
        : new http.Agent(options);
  }

  /** Rejects with RedfishError. A request that a kept-alive connection lost before any answer is sent once more. */
  send(outgoing: Outgoing): Promise<Reply> {
    const reply = this.#turn.then(() => this.#once(outgoing));
    this.#turn = reply.catch(() => undefined);
    return reply;
  }

  /** Breaks off the request under way. */
  abort(): void {
    this.#break?.(new RedfishError('network', this.peer, 'broken off'));
  }

  close(): void {
    this.abort();
    this.#agent.destroy();
  }

  async #once(outgoing: Outgoing): Promise<Reply> {
    try {
      return await this.#exchange(outgoing);
    } catch (error) {
      if (!(error instanceof StaleConnection) || outgoing.method !== 'GET') throw this.#failure(error);
    }
    return this.#exchange(outgoing).catch((error: unknown) => {
      throw this.#failure(error);
    });
  }

  #failure(error: unknown): RedfishError {
    const failure = transportError(error, this.peer);
    if (failure.fault === 'network' || failure.fault === 'timeout') names.failed(this.#base.hostname);
    return failure;
  }

  #exchange({ method, path, headers, body, timeoutMs = this.#config.timeoutMs }: Outgoing): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const sentMs = this.#now();
      const module = this.#base.protocol === 'https:' ? https : http;
      const traced = callOut(() => httpCall(method, new URL(path, this.#base)));
      const request = module.request(this.#base, {
        method,
        path,
        agent: this.#agent,
        maxHeaderSize: MOST_HEADERS,
        headers: {
          Accept: 'application/json',
          ...headers,
          ...(traced.traceparent === null ? {} : { traceparent: traced.traceparent }),
          ...(body === undefined
            ? {}
            : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
        },
      });
      const turn = bodyTurns.body();
      let started = false;
      let over = false;
      const end = (settle: () => void) => {
        if (over) return;
        over = true;
        clearTimeout(deadline);
        turn.end();
        this.#break = null;
        settle();
      };
      const breakOff = (why: RedfishError) => {
        traced.end({ error: why.fault });
        end(() => reject(why));
        request.destroy();
        if (this.#agent instanceof VerifiedAgent) this.#agent.dropConnecting();
      };
      const deadline = setTimeout(
        () => breakOff(new RedfishError('timeout', this.peer, `${timeoutMs / 1000} s (${path})`)),
        timeoutMs,
      );
      this.#break = breakOff;
      const fail = (error: unknown) => {
        const code = errorCode(error);
        const stale = !started && request.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE');
        traced.end({ error: code ?? 'error' });
        end(() => reject(stale ? new StaleConnection() : error));
      };
      request.on('error', fail);
      request.on('response', (response) => {
        started = true;
        // We ask for none: what would unfold to any size is not taken.
        const encoding = response.headers['content-encoding'] ?? 'identity';
        if (encoding !== 'identity') {
          return breakOff(new RedfishError('bad_reply', this.peer, `${path} is encoded, which was not asked for`));
        }
        const parts: Buffer[] = [];
        let length = 0;
        response.on('data', (part: Buffer) => {
          length += part.length;
          if (length > MOST_BODY) {
            breakOff(new RedfishError('too_large', this.peer, `${MOST_BODY / 1024 / 1024} MiB (${path})`));
            return;
          }
          parts.push(part);
          turn.add(
            part.length,
            () => response.pause(),
            () => response.resume(),
          );
        });
        response.on('error', fail);
        response.on('end', () => {
          const body = Buffer.concat(parts).toString('utf8');
          const { statusCode = 0, headers } = response;
          traced.end(httpEnd(statusCode));
          end(() => resolve({ status: statusCode, headers, body, sentMs, receivedMs: this.#now() }));
        });
      });
      request.end(body);
    });
  }
}

class StaleConnection extends Error {}
