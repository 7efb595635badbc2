// Logins of a simulated BMC: sessions with tokens that end after a while, at most as many as real ones allow, and Basic.

import { randomBytes } from 'node:crypto';

/** iDRAC has about eight. */
const MOST_SESSIONS = 8;

interface Session {
  readonly id: string;
  readonly createdMs: number;
  usedMs: number;
}

export class Sessions {
  readonly #user: string;
  readonly #password: string;
  readonly #byToken = new Map<string, Session>();
  readonly #now: () => number;
  #next = 1;
  /** Idle time after which a session ends, ms. */
  timeoutMs = 1_800_000;
  /** How often a client tried to log in, and how often in vain. */
  logins = 0;
  refusals = 0;

  constructor(user: string, password: string, now: () => number) {
    this.#user = user;
    this.#password = password;
    this.#now = now;
  }

  get open(): number {
    return this.#byToken.size;
  }

  /** Forgets every session, as after a restart of the BMC. */
  forget(): void {
    this.#byToken.clear();
  }

  create(body: unknown): { token: string; id: string } | 'refused' | 'full' {
    this.logins += 1;
    const { UserName, Password } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
    if (UserName !== this.#user || Password !== this.#password) {
      this.refusals += 1;
      return 'refused';
    }
    for (const [token, { usedMs }] of this.#byToken) {
      if (this.#now() - usedMs > this.timeoutMs) this.#byToken.delete(token);
    }
    if (this.#byToken.size >= MOST_SESSIONS) return 'full';
    const token = randomBytes(16).toString('hex');
    const id = String(this.#next++);
    this.#byToken.set(token, { id, createdMs: this.#now(), usedMs: this.#now() });
    return { token, id };
  }

  /** What the service shows of an open session; never its token. */
  describe(id: string): { Id: string; UserName: string; CreatedTime: string } | null {
    const session = [...this.#byToken.values()].find((one) => one.id === id);
    if (session === undefined) return null;
    return { Id: id, UserName: this.#user, CreatedTime: new Date(session.createdMs).toISOString() };
  }

  end(id: string): boolean {
    for (const [token, session] of this.#byToken) if (session.id === id) return this.#byToken.delete(token);
    return false;
  }

  allows(headers: { readonly 'x-auth-token'?: unknown; readonly authorization?: unknown }): boolean {
    const session = this.#byToken.get(String(headers['x-auth-token'] ?? ''));
    if (session !== undefined) {
      if (this.#now() - session.usedMs > this.timeoutMs) return false;
      session.usedMs = this.#now();
      return true;
    }
    const basic = `Basic ${Buffer.from(`${this.#user}:${this.#password}`).toString('base64')}`;
    return headers.authorization === basic;
  }
}
