// Resources of one BMC: asked for as who we are, with a new login where the BMC forgot us, bounded, followed over pages.

import { at, linkAt, linksAt, listAt, parseBody, parseBounded, sameLink, textAt } from '../decode/json.ts';
import { BmcRecord } from '../memory/bmc-record.ts';
import type { BmcSettings } from '../settings.ts';
import { Expanding } from './expanding.ts';
import { type Headers, Login } from './login.ts';
import { type BmcPeer, RedfishError } from './redfish-error.ts';
import type { Resource } from './resource.ts';
import { samePlace } from './same-place.ts';
import { type RedfishTransport, type Reply, Transport } from './transport.ts';

/** The entry that the specification fixes (DSP0266, 6.2); every other path is one that the service names. */
export const SERVICE_ROOT = '/redfish/v1';
const MOST_PAGES = 20;
const MOST_MEMBERS = 512;
/** Of what one look at the BMC has read, which is in memory until the look is over: its discovery, or one poll. */
const MOST_VALUES = 40_000;
const MOST_BYTES = 2 * 1024 * 1024;
const MOST_REDIRECTS = 2;

export interface ClientParts {
  /** Left out, the network. */
  readonly transport?: RedfishTransport | undefined;
  /** What earlier runs left of this BMC; left out, nothing is remembered. */
  readonly record?: BmcRecord | undefined;
}

export class RedfishClient {
  readonly #transport: RedfishTransport;
  readonly #login: Login;
  readonly #expand = new Expanding();
  #closed = false;
  readonly #look = { values: 0, bytes: 0 };

  constructor(config: BmcSettings, now: () => number, { transport, record = new BmcRecord() }: ClientParts = {}) {
    this.#transport = transport ?? new Transport(config, now, record);
    this.#login = new Login(config, now, this.#transport, record);
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
    this.#login.sessions = linkAt(body, 'Links', 'Sessions');
    if (this.#login.sessions === null) {
      const service = linkAt(body, 'SessionService');
      const described = service === null ? null : await this.#follow(service, {});
      if (described?.status === 200) this.#login.sessions = linkAt(parseBody(described.body), 'Sessions');
    }
    this.#expand.offered(body);
    return this.#resource(reply, SERVICE_ROOT, body);
  }

  /** Rejects with RedfishError; `ofResource` tells whether only this resource is unavailable. */
  async get(path: string): Promise<Resource> {
    let reply = await this.#follow(path, await this.credentials());
    if (reply.status === 401 && this.#login.isSession) {
      // Once, and not again for this request.
      await this.#login.lost();
      reply = await this.#follow(path, await this.credentials());
    }
    if (reply.status === 401) throw this.#login.refused();
    if (reply.status !== 200) throw this.#statusError(reply, path);
    this.#login.accepted();
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

  /**
   * Members of a collection with what they say, by one request, where the service truly gives that; null where it does not, and
   * each is to be asked for. `levels`: 2 where the members' own parts are wanted.
   */
  async expanded(path: string, levels: 1 | 2): Promise<ReadonlyMap<string, Resource> | null> {
    const query = this.#expand.query(path, levels);
    if (query === null) return null;
    const resource = await this.tryGet(query);
    return this.#expand.taken(path, levels, resource);
  }

  /** Ends the session on the BMC, within a second; nothing is sent afterwards. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#transport.abort();
    await this.#login.close();
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

  /** Headers that say who we are; rejects with RedfishError. */
  credentials(): Promise<Headers> {
    if (this.#closed) throw new RedfishError('closed', this.peer);
    return this.#login.headers();
  }

  async #follow(path: string, headers: Headers): Promise<Reply> {
    let here = path;
    for (let hops = 0; ; hops += 1) {
      const reply = await this.#transport.send({ method: 'GET', path: here, headers });
      const to = samePlace(this.peer.url, reply.headers.location);
      if (![301, 302, 307, 308].includes(reply.status) || to === null || hops >= MOST_REDIRECTS) return reply;
      here = to;
    }
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
