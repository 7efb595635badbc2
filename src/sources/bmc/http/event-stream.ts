// The stream of events that a BMC sends as they happen, where it offers one: held open next to the polls, and opened again with
// pauses. It may end, be refused or say nothing for ever: the polls and the logs miss nothing that it would have sent.

import http from 'node:http';
import https from 'node:https';
import { backOffMs } from '../../../helpers/back-off.ts';
import { names } from '../../../helpers/name-book.ts';
import { parseBounded } from '../decode/json.ts';
import { entriesOfEvent, type LogEntry } from '../log/log-entry.ts';
import type { BmcRecord } from '../memory/bmc-record.ts';
import type { BmcSettings } from '../settings.ts';
import type { Headers } from './login.ts';
import { SseLines } from './sse-lines.ts';
import { VerifiedAgent } from './verified-agent.ts';

const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 600_000;
/** A service that refuses may be set up differently by then. */
const REFUSED_MS = 3_600_000;
/** A connection over which nothing came for so long may have no other end any more. */
const SILENT_MS = 3_600_000;
const MOST_WAITING = 256;

export interface StreamDeps {
  readonly record: BmcRecord;
  readonly now: () => number;
  /** Something came: a poll is to look at it. */
  readonly onEvents: () => void;
}

export class EventStream {
  readonly #config: BmcSettings;
  readonly #deps: StreamDeps;
  #request: http.ClientRequest | null = null;
  #agent: http.Agent | null = null;
  #open = false;
  #refused: number | null = null;
  #failures = 0;
  #againMs = 0;
  #waiting: LogEntry[] = [];
  /** Events that came, and those that were not kept. */
  #counts = { came: 0, dropped: 0 };

  constructor(config: BmcSettings, deps: StreamDeps) {
    this.#config = config;
    this.#deps = deps;
  }

  get isOpen(): boolean {
    return this.#open;
  }

  /** One line for health; null where there is nothing to say. */
  get note(): string | null {
    const { came, dropped } = this.#counts;
    if (this.#open)
      return `it sends events as they happen (${came} so far${dropped > 0 ? `, ${dropped} left out` : ''})`;
    return this.#refused === null ? null : `it refuses to send events (status ${this.#refused}); its logs are polled`;
  }

  /** Opens it where it is offered and not open. `path` null: not offered. */
  ensure(path: string | null, headers: Headers): void {
    if (path === null || this.#request !== null || this.#deps.now() < this.#againMs) return;
    const base = new URL(this.#config.url);
    const secure = base.protocol === 'https:';
    const options = { keepAlive: false, maxSockets: 1, lookup: names.lookup };
    const peer = { url: this.#config.url, user: this.#config.user };
    this.#agent = secure ? new VerifiedAgent(options, this.#config, peer, this.#deps.record) : new http.Agent(options);
    const request = (secure ? https : http).request(base, {
      path,
      agent: this.#agent,
      headers: { Accept: 'text/event-stream', ...headers },
    });
    this.#request = request;
    request.on('error', () => this.#ended(request));
    request.on('close', () => this.#ended(request));
    request.setTimeout(this.#config.timeoutMs, () => request.destroy());
    request.on('response', (response) => this.#answered(request, response));
    request.end();
  }

  /** What came since the last call, oldest first. */
  take(): LogEntry[] {
    return this.#waiting.splice(0);
  }

  /** It is found out again what the service offers. */
  rediscovered(): void {
    this.#refused = null;
    this.#againMs = 0;
  }

  close(): void {
    this.#againMs = Number.POSITIVE_INFINITY;
    this.#request?.destroy();
    this.#agent?.destroy();
  }

  #answered(request: http.ClientRequest, response: http.IncomingMessage): void {
    const { statusCode = 0, headers } = response;
    if (statusCode !== 200 || !String(headers['content-type']).startsWith('text/event-stream')) {
      // 401: the session has ended, and the next poll makes another.
      this.#refused = statusCode === 401 || statusCode >= 500 ? null : statusCode;
      request.destroy();
      return;
    }
    this.#open = true;
    this.#refused = null;
    request.setTimeout(SILENT_MS, () => request.destroy());
    const lines = new SseLines((data) => this.#came(data));
    response.setEncoding('utf8');
    response.on('data', (text: string) => lines.add(text));
    response.on('error', () => request.destroy());
  }

  #came(data: string): void {
    const entries = entriesOfEvent(parseBounded(data).body);
    if (entries.length === 0) return;
    this.#failures = 0;
    this.#counts.came += entries.length;
    this.#waiting.push(...entries);
    const over = this.#waiting.splice(0, Math.max(0, this.#waiting.length - MOST_WAITING));
    this.#counts.dropped += over.length;
    this.#deps.onEvents();
  }

  #ended(request: http.ClientRequest): void {
    if (this.#request !== request) return;
    this.#request = null;
    this.#open = false;
    this.#agent?.destroy();
    this.#agent = null;
    this.#failures += 1;
    const pauseMs = backOffMs(FIRST_PAUSE_MS, this.#failures - 1, LONGEST_PAUSE_MS);
    this.#againMs = Math.max(this.#againMs, this.#deps.now() + (this.#refused === null ? pauseMs : REFUSED_MS));
  }
}
