// The Redfish session with one BMC: logs in once, says who we are on each request, logs in again when the BMC forgot us.

import { at, linkAt, linksAt, listAt, parseBody, parseBounded, sameLink, textAt } from '../decode/json.ts';
import type { BmcSettings } from '../settings.ts';
import { type BmcPeer, RedfishError } from './redfish-error.ts';
import { type RedfishTransport, type Reply, Transport } from './transport.ts';

/** The entry that the specification fixes (DSP0266, 6.2); every other path is one that the service names. */
export const SERVICE_ROOT = '/redfish/v1';
const MOST_PAGES = 20;
const MOST_MEMBERS = 512;
/** Of what one look at the BMC has read, which is in memory until the look is over: its discovery, or one poll. */
const MOST_VALUES = 40_000;
const MOST_BYTES = 2 * 1024 * 1024;
const MOST_REDIRECTS = 2;
const LOGOUT_MS = 600;
/** After a refused login, so that lock-out policies do not count us: doubled each time. */
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 900_000;

export interface Resource {
  readonly body: unknown;
  readonly path: string;
  readonly sentMs: number;
  readonly receivedMs: number;
  /** The Date header, epoch ms of the BMC's clock. */
  readonly dateMs: number | null;
}

type Login = { readonly token: string; readonly location: string | null } | 'basic' | 'open';

export class RedfishClient {
  readonly #config: BmcSettings;
  readonly #now: () => number;
  readonly #transport: RedfishTransport;
  #sessions: string | null = null;
  #login: Login | null = null;
  #refusals = 0;
  #pausedUntilMs = 0;
  #closed = false;
  readonly #look = { values: 0, bytes: 0 };

  constructor(config: BmcSettings, now: () => number, transport: RedfishTransport = new Transport(config, now)) {
    this.#config = config;
    this.#now = now;
    this.#transport = transport;
  }

  get peer(): BmcPeer {
    return this.#transport.peer;
  }

  /** A new look begins: what the one before read is gone. */
  beginLook(): void {
    this.#look.values = 0;
    this.#look.bytes = 0;
  }

  /** The service root, which every service shows without a login. Rejects with RedfishError. */
  async root(): Promise<Resource> {
    const reply = await this.#follow(SERVICE_ROOT, {});
    if (reply.status === 401 || reply.status === 403) return this.get(SERVICE_ROOT);
    if (reply.status >= 500 || reply.status === 429) throw this.#statusError(reply, SERVICE_ROOT);
    const body = parseBody(reply.body);
    if (reply.status !== 200 || textAt(body, 'RedfishVersion') === null) {
      const type = String(reply.headers['content-type'] ?? 'no content type').slice(0, 60);
      throw new RedfishError('not_redfish', this.peer, `${SERVICE_ROOT} is status ${reply.status}, ${type}`);
    }
    this.#sessions = linkAt(body, 'Links', 'Sessions');
    if (this.#sessions === null) {
      const service = linkAt(body, 'SessionService');
      const described = service === null ? null : await this.#follow(service, {});
      if (described?.status === 200) this.#sessions = linkAt(parseBody(described.body), 'Sessions');
    }
    return this.#resource(reply, SERVICE_ROOT, body);
  }

  /** Rejects with RedfishError; `ofResource` tells whether only this resource is unavailable. */
  async get(path: string): Promise<Resource> {
    let reply = await this.#follow(path, await this.#credentials());
    if (reply.status === 401 && typeof this.#login === 'object' && this.#login !== null) {
      // The session ended early, which happens; once, and not again for this request.
      await this.#delete(this.#login.location);
      this.#login = null;
      reply = await this.#follow(path, await this.#credentials());
    }
    if (reply.status === 401) throw this.#refused();
    if (reply.status !== 200) throw this.#statusError(reply, path);
    if (this.#login === 'basic') this.#refusals = 0;
    const body = this.#bounded(reply, path);
    if (typeof body !== 'object' || body === null) {
      const what = /^\s*</.test(reply.body) ? 'HTML' : 'no JSON';
      throw new RedfishError('bad_reply', this.peer, `${path} is ${what}`);
    }
    if (at(body, 'error') !== undefined && at(body, '@odata.id') === undefined) {
      const code = textAt(body, 'error', '@Message.ExtendedInfo', 0, 'MessageId') ?? textAt(body, 'error', 'code');
      throw new RedfishError('server', this.peer, `${code ?? 'an error'} at ${path}`);
    }
    return this.#resource(reply, path, body);
  }

  /** Null where this one resource is not to be had; rejects where the BMC is not. */
  async tryGet(path: string | null): Promise<Resource | null> {
    if (path === null) return null;
    try {
      return await this.get(path);
    } catch (error) {
      if (error instanceof RedfishError && error.ofResource) return null;
      throw error;
    }
  }

  /** Links of a collection's members over all its pages; null where the collection is not to be had. */
  async members(path: string | null): Promise<string[] | null> {
    const links: string[] = [];
    const seen: string[] = [];
    let page = path;
    while (page !== null && seen.length < MOST_PAGES && links.length < MOST_MEMBERS) {
      seen.push(page);
      const resource = await this.tryGet(page);
      if (resource === null) return seen.length === 1 ? null : links;
      links.push(...(at(resource.body, 'Members') === undefined ? [] : linksAt(resource.body, 'Members')));
      const next: string | null =
        linkAt(resource.body, 'Members@odata.nextLink') ?? linkAt(resource.body, '@odata.nextLink');
      page = seen.some((one) => sameLink(one, next)) ? null : next;
    }
    return [...new Set(links)].slice(0, MOST_MEMBERS);
  }

  /** Ends the session on the BMC, within a second; nothing is sent afterwards. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#transport.abort();
    const login = this.#login;
    this.#login = null;
    if (typeof login === 'object' && login !== null) await this.#delete(login.location, login.token);
    this.#transport.close();
  }

  #bounded(reply: Reply, path: string): unknown {
    const { body, values, beyond } = parseBounded(reply.body);
    if (beyond !== null) throw new RedfishError('too_large', this.peer, `${beyond} (${path})`);
    this.#look.values += values;
    this.#look.bytes += reply.body.length;
    if (this.#look.values > MOST_VALUES || this.#look.bytes > MOST_BYTES) {
      const most = `${MOST_VALUES} values or ${MOST_BYTES / 1024 / 1024} MiB in one look (${path})`;
      throw new RedfishError('too_large', this.peer, most);
    }
    return body;
  }

  /** Headers that say who we are. */
  async #credentials(): Promise<Record<string, string>> {
    if (this.#closed) throw new RedfishError('closed', this.peer);
    if (this.#now() < this.#pausedUntilMs) throw new RedfishError('credentials', this.peer, this.#pauseText());
    this.#login ??= await this.#logIn();
    if (this.#login === 'open') return {};
    if (this.#login !== 'basic') return { 'X-Auth-Token': this.#login.token };
    const { user, password } = this.#config;
    return { Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
  }

  async #logIn(): Promise<Login> {
    const { user, password } = this.#config;
    if (user === null || password === null) return 'open';
    if (this.#sessions === null) return 'basic';
    const reply = await this.#transport.send({
      method: 'POST',
      path: this.#sessions,
      body: JSON.stringify({ UserName: user, Password: password }),
    });
    if (reply.status === 401 || reply.status === 403) throw this.#refused();
    const token = reply.headers['x-auth-token'];
    if (reply.status < 200 || reply.status > 299 || typeof token !== 'string' || !/^[\x21-\x7e]{1,4096}$/.test(token)) {
      return 'basic'; // no sessions, or none left
    }
    this.#refusals = 0;
    const { location } = reply.headers;
    return { token, location: this.#samePlace(location) ?? linkAt(parseBody(reply.body), '@odata.id') };
  }

  async #delete(location: string | null, token = typeof this.#login === 'object' ? this.#login?.token : undefined) {
    if (location === null || token === undefined) return;
    const headers = { 'X-Auth-Token': token };
    await this.#transport
      .send({ method: 'DELETE', path: location, headers, timeoutMs: LOGOUT_MS })
      .catch(() => undefined);
  }

  async #follow(path: string, headers: Record<string, string>): Promise<Reply> {
    let here = path;
    for (let hops = 0; ; hops += 1) {
      const reply = await this.#transport.send({ method: 'GET', path: here, headers });
      const to = this.#samePlace(reply.headers.location);
      if (![301, 302, 307, 308].includes(reply.status) || to === null || hops >= MOST_REDIRECTS) return reply;
      here = to;
    }
  }

  /** Path of a Location header, null where it leads to another service: our token is for no other service. */
  #samePlace(location: string | undefined): string | null {
    if (location === undefined || location.length > 1024) return null;
    const base = new URL(this.peer.url);
    const url = URL.parse(location, base.href);
    return url !== null && url.host === base.host && url.protocol === base.protocol
      ? linkAt(url.pathname + url.search)
      : null;
  }

  #refused(): RedfishError {
    const asked = this.#config.user !== null;
    if (asked) {
      this.#pausedUntilMs = this.#now() + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(8, this.#refusals));
      this.#refusals += 1;
    }
    this.#login = null;
    return new RedfishError('credentials', this.peer);
  }

  #pauseText(): string {
    return `; asked again in ${Math.ceil((this.#pausedUntilMs - this.#now()) / 1000)} s`;
  }

  #statusError(reply: Reply, path: string): RedfishError {
    const { status } = reply;
    const named = listAt(parseBody(reply.body), 'error', '@Message.ExtendedInfo').map((item) =>
      textAt(item, 'MessageId'),
    )[0];
    const detail = `status ${status}${named ? ` (${named})` : ''} at ${path}`;
    if (status === 403) return new RedfishError('forbidden', this.peer, path);
    if (status === 404 || status === 405 || status === 410) return new RedfishError('missing', this.peer, path);
    if (status === 503 || status === 429) return new RedfishError('busy', this.peer, `: ${detail}`, retryAfter(reply));
    return new RedfishError(status >= 500 ? 'server' : 'bad_reply', this.peer, detail);
  }

  #resource({ headers, sentMs, receivedMs }: Reply, path: string, body: unknown): Resource {
    const dateMs = Date.parse(String(headers.date ?? ''));
    return { body, path, sentMs, receivedMs, dateMs: Number.isNaN(dateMs) ? null : dateMs };
  }
}

/** Retry-After in seconds or as a date (RFC 9110); half a minute where a busy BMC says nothing, an hour at most. */
function retryAfter({ headers, receivedMs }: Reply): number {
  const text = headers['retry-after'] ?? '';
  const ms = /^\d{1,6}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - receivedMs;
  return Number.isNaN(ms) ? 30_000 : Math.min(3_600_000, Math.max(0, ms));
}
