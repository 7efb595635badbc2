// Intake: one request: who may send, how much, and what it says; a refusal says what is wrong.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { isToken } from '../../config/token-digest.ts';
import { senderOf } from '../sender.ts';
import { type Alert, fromAlertmanagerApi, fromGeneric, fromWebhook, NotAnAlert } from './alert.ts';
import type { AlertDesk } from './alert-desk.ts';
import type { Mapping } from './mapping.ts';

export interface IntakeOptions {
  readonly desk: AlertDesk;
  readonly tokenDigest: string | null;
  readonly generic: readonly Mapping[];
  /** The wall clock, epoch ms. */
  readonly wallMs: () => number;
}

/** A full group of Alertmanager is some hundred KiB. */
export const MAX_BODY_BYTES = 1024 * 1024;
/** Alerts that are taken in ten seconds, from all senders together. */
const MOST_IN_WINDOW = 2000;
const WINDOW_MS = 10_000;

class Refused extends Error {
  readonly status: number;
  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}

export class Intake {
  requests = 0;
  refused = 0;
  /** Why the last one was refused, without anything that was sent as a secret; null for none. */
  lastRefusal: string | null = null;
  readonly #options: IntakeOptions;
  #windowMs = Number.NEGATIVE_INFINITY;
  #taken = 0;

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  /** Never throws and never rejects. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests += 1;
    try {
      await this.#take(request);
      reply(response, 200, { status: 'success' });
    } catch (error) {
      this.refused += 1;
      const status = error instanceof Refused ? error.status : error instanceof NotAnAlert ? 400 : 500;
      const text = status === 500 ? 'it could not be taken' : (error as Error).message; // of one of ours, as checked
      this.lastRefusal = `${status}: ${text}`;
      if (response.headersSent) return void response.destroy();
      response.setHeader('connection', 'close');
      if (status === 429) response.setHeader('retry-after', String(WINDOW_MS / 1000));
      if (status === 401) response.setHeader('www-authenticate', 'Bearer realm="faultline"');
      reply(response, status, { status: 'error', error: text });
    }
  }

  async #take(request: IncomingMessage): Promise<void> {
    if (!this.#maySend(request.headers.authorization))
      throw new Refused(
        401,
        'show the token: the header "Authorization: Bearer TOKEN", with what sources.alerts_in.token_file holds',
      );
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    const read = this.#reader(path);
    if (request.method !== 'POST') throw new Refused(405, `${path.slice(0, 128)} takes POST`);
    const alerts = read(await json(request));
    const nowMs = performance.now();
    if (nowMs - this.#windowMs >= WINDOW_MS) {
      this.#windowMs = nowMs;
      this.#taken = 0;
    }
    this.#taken += alerts.length;
    if (this.#taken > MOST_IN_WINDOW)
      throw new Refused(
        429,
        `more than ${MOST_IN_WINDOW} alerts in ${WINDOW_MS / 1000} s. Send them again later, or fewer`,
      );
    const from = fromOf(path);
    // Who shows the token is believed, whichever replica it is.
    const by = this.#options.tokenDigest === null ? (await senderOf(request.socket)).name : 'token';
    for (const alert of alerts) this.#options.desk.take(alert, { from, by });
  }

  #reader(path: string): (body: unknown) => Alert[] {
    if (path === '/v1/alertmanager') return fromWebhook;
    if (path === '/api/v2/alerts' || path === '/api/v1/alerts')
      return (body) => fromAlertmanagerApi(body, this.#options.wallMs());
    const mapping = this.#options.generic.find(({ name }) => path === `/v1/webhook/${name}`);
    if (mapping !== undefined) return (body) => fromGeneric(body, mapping);
    const known = [
      '/v1/alertmanager',
      '/api/v2/alerts',
      ...this.#options.generic.map(({ name }) => `/v1/webhook/${name}`),
    ];
    throw new Refused(404, `there is no such path here. Known: ${known.join(', ')}`);
  }

  /** Alertmanager and VMAlert can send a token, or a password; then the user's name does not matter. */
  #maySend(header: string | undefined): boolean {
    const { tokenDigest } = this.#options;
    if (tokenDigest === null) return true;
    const [scheme = '', given = ''] = (header ?? '').split(/ +/, 2);
    if (/^bearer$/i.test(scheme)) return isToken(given, tokenDigest);
    if (!/^basic$/i.test(scheme)) return false;
    const pair = Buffer.from(given, 'base64').toString();
    return isToken(pair.slice(pair.indexOf(':') + 1), tokenDigest);
  }
}

function fromOf(path: string): string {
  if (path === '/v1/alertmanager') return 'alertmanager';
  return path.startsWith('/api/') ? 'alertmanager api' : path.slice(path.lastIndexOf('/') + 1);
}

async function json(request: IncomingMessage): Promise<unknown> {
  if (request.headers['content-encoding'] !== undefined) throw new Refused(415, 'the body must not be compressed');
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request.iterator({ destroyOnReturn: false })) {
    const bytes = Buffer.from(part);
    length += bytes.length;
    if (length > MAX_BODY_BYTES)
      throw new Refused(413, `the body is longer than ${MAX_BODY_BYTES} bytes. Send fewer alerts at once (max_alerts)`);
    parts.push(bytes);
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts)));
  } catch {
    throw new Refused(400, 'the body is not JSON in UTF-8');
  }
}

function reply(response: ServerResponse, status: number, document: object): void {
  if (response.destroyed) return;
  const body = `${JSON.stringify(document)}\n`;
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
