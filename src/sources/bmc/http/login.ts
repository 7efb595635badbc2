// Who we are to one BMC: one session, logged in once and again when the BMC forgot it, ended when we go, and the one ended that a
// crash left behind: a BMC has room for about eight, and then none for its administrators.

import { linkAt, parseBody, textAt } from '../decode/json.ts';
import type { BmcRecord, OpenSession } from '../memory/bmc-record.ts';
import type { BmcSettings } from '../settings.ts';
import { RedfishError } from './redfish-error.ts';
import { samePlace } from './same-place.ts';
import type { RedfishTransport, Reply } from './transport.ts';

const LOGOUT_MS = 600;
/** After a refused login, so that lock-out policies do not count us: doubled each time. */
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 900_000;
/** A session that ends sooner than it is used again is none: some BMCs end theirs after half a minute. */
const SHORT_MS = 120_000;
const MOST_SHORT = 3;
const TOKEN = /^[\x21-\x7e]{1,4096}$/;

type Way = { readonly token: string; readonly location: string | null } | 'basic' | 'open';
export type Headers = Readonly<Record<string, string>>;

export class Login {
  /** Where sessions are made, as the service says; null where it has none. */
  sessions: string | null = null;
  readonly #config: BmcSettings;
  readonly #now: () => number;
  readonly #transport: RedfishTransport;
  readonly #record: BmcRecord;
  #way: Way | null = null;
  #refusals = 0;
  #pausedUntilMs = 0;
  #openedMs = 0;
  /** Sessions in a row that were short. */
  #short = 0;

  constructor(config: BmcSettings, now: () => number, transport: RedfishTransport, record: BmcRecord) {
    this.#config = config;
    this.#now = now;
    this.#transport = transport;
    this.#record = record;
  }

  /** A session is open, as far as is known: a 401 then means that it ended. */
  get isSession(): boolean {
    return typeof this.#way === 'object' && this.#way !== null;
  }

  /** Headers that say who we are. Rejects with RedfishError. */
  async headers(): Promise<Headers> {
    if (this.#now() < this.#pausedUntilMs) {
      const text = `; asked again in ${Math.ceil((this.#pausedUntilMs - this.#now()) / 1000)} s`;
      throw new RedfishError('credentials', this.#transport.peer, text);
    }
    this.#way ??= await this.#logIn();
    if (this.#way === 'open') return {};
    return this.#way === 'basic' ? this.#basic() : { 'X-Auth-Token': this.#way.token };
  }

  /** The session ended early, which happens. */
  async lost(): Promise<void> {
    this.#short = this.#now() - this.#openedMs < SHORT_MS ? this.#short + 1 : 0;
    await this.close();
  }

  /** An answer came that only who is let in gets. */
  accepted(): void {
    if (this.#way === 'basic') this.#refusals = 0;
  }

  refused(): RedfishError {
    if (this.#config.user !== null) {
      this.#pausedUntilMs = this.#now() + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(8, this.#refusals));
      this.#refusals += 1;
    }
    this.#way = null;
    return new RedfishError('credentials', this.#transport.peer);
  }

  /** Ends the session on the BMC. */
  async close(): Promise<void> {
    const way = this.#way;
    this.#way = null;
    if (typeof way === 'object' && way !== null) await this.#end(way);
  }

  async #logIn(): Promise<Way> {
    const { user, password } = this.#config;
    if (user === null || password === null) return 'open';
    // A login at each poll would fill the BMC's log and count against the account: better none at all.
    if (this.sessions === null || this.#short >= MOST_SHORT) return 'basic';
    const left = this.#record.session?.user === user ? this.#record.session : null;
    let reply = await this.#post(this.sessions, user, password);
    if (isRefusal(reply)) throw this.refused();
    let way = this.#wayOf(reply);
    if (way === null && left !== null) {
      // No room: what an earlier run left may be what fills it.
      await this.#endLeft(left, this.#basic(), null);
      reply = await this.#post(this.sessions, user, password);
      if (isRefusal(reply)) throw this.refused();
      way = this.#wayOf(reply);
    } else if (way !== null && left !== null) await this.#endLeft(left, { 'X-Auth-Token': way.token }, way.location);
    if (way === null) return 'basic';
    this.#refusals = 0;
    this.#openedMs = this.#now();
    const created = textAt(parseBody(reply.body), 'CreatedTime');
    this.#record.opened(way.location === null ? null : { location: way.location, user, created });
    return way;
  }

  #post(path: string, user: string, password: string): Promise<Reply> {
    const body = JSON.stringify({ UserName: user, Password: password });
    return this.#transport.send({ method: 'POST', path, body });
  }

  /** Null where the service has no sessions, or none left. */
  #wayOf({ status, headers, body }: Reply): Exclude<Way, string> | null {
    const token = headers['x-auth-token'];
    if (status < 200 || status > 299 || typeof token !== 'string' || !TOKEN.test(token)) return null;
    const place = samePlace(this.#transport.peer.url, headers.location);
    return { token, location: place ?? linkAt(parseBody(body), '@odata.id') };
  }

  /** Ends what an earlier run left, if it is still that session: numbers of sessions are used again. */
  async #endLeft(left: OpenSession, headers: Headers, own: string | null): Promise<void> {
    this.#record.opened(null);
    if (left.location === own) return;
    const reply = await this.#transport.send({ method: 'GET', path: left.location, headers }).catch(() => null);
    if (reply === null || reply.status !== 200) return;
    const session = parseBody(reply.body);
    const created = textAt(session, 'CreatedTime');
    if (textAt(session, 'UserName') !== left.user || (left.created !== null && created !== left.created)) return;
    await this.#delete(left.location, headers);
  }

  async #end({ token, location }: Exclude<Way, string>): Promise<void> {
    if (location !== null) await this.#delete(location, { 'X-Auth-Token': token });
    this.#record.opened(null);
  }

  async #delete(path: string, headers: Headers): Promise<void> {
    const gone = { method: 'DELETE', path, headers, timeoutMs: LOGOUT_MS } as const;
    await this.#transport.send(gone).catch(() => undefined);
  }

  #basic(): Headers {
    const { user, password } = this.#config;
    return { Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
  }
}

function isRefusal({ status }: Reply): boolean {
  return status === 401 || status === 403;
}
