// User names: of the users whose processes are here, from the host's own file, and of the rest from wherever its name service has them
// (LDAP, SSSD), which is asked by a program of its own: a directory that is slow or gone holds up nothing. Whoever it does not know stays
// a number.

import type { OwnProcesses } from '../../identity/own-processes.ts';
import { askProgram } from '../ask-program.ts';
import { usersOf } from '../users.ts';

const GETENT = '/usr/bin/getent';
const DEADLINE_MS = 10_000;
const MAX_BYTES = 64 * 1024;
const MOST_AT_ONCE = 32;
const FILE_EVERY_MS = 60_000;
/** Of one that was not known, and after a question without an answer. */
const AGAIN_MS = 600_000;
const MAX_UNKNOWN = 4096;
/** Users of the system are in the host's own file. */
const FIRST_PERSON = 1000;

export interface UserNamesOptions {
  /** Steady clock, ms. */
  readonly now: () => number;
  /** Text of the file of users; null where it cannot be read. */
  readonly passwd: () => Promise<string | null>;
  readonly named: (id: number, name: string) => void;
  readonly own: OwnProcesses;
  readonly signal: AbortSignal;
  readonly program?: string;
  readonly deadlineMs?: number;
}

export class UserNames {
  readonly #options: UserNamesOptions;
  /** User → not to be asked for before. */
  readonly #later = new Map<number, number>();
  #fileMs = Number.NEGATIVE_INFINITY;
  #askAgainMs = Number.NEGATIVE_INFINITY;
  #asking = false;

  constructor(options: UserNamesOptions) {
    this.#options = options;
  }

  /** Reads the file where that is due, and asks for the rest without waiting. `unnamed`: users that have no name yet. */
  async find(unnamed: () => ReadonlySet<number>): Promise<void> {
    const { now, passwd, named } = this.#options;
    const isFirst = this.#fileMs === Number.NEGATIVE_INFINITY;
    if (!isFirst && (now() - this.#fileMs < FILE_EVERY_MS || unnamed().size === 0)) return this.#askFor(unnamed());
    this.#fileMs = now();
    for (const [id, name] of usersOf((await passwd()) ?? '')) named(id, name);
    this.#askFor(unnamed());
  }

  #askFor(unnamed: ReadonlySet<number>): void {
    const nowMs = this.#options.now();
    if (this.#asking || nowMs < this.#askAgainMs) return;
    const due = [...unnamed].filter((id) => id >= FIRST_PERSON && (this.#later.get(id) ?? nowMs) <= nowMs);
    if (due.length === 0) return;
    this.#asking = true;
    void this.#ask(due.slice(0, MOST_AT_ONCE), nowMs).finally(() => {
      this.#asking = false;
    });
  }

  async #ask(ids: readonly number[], nowMs: number): Promise<void> {
    const { named, own, signal, program = GETENT, deadlineMs = DEADLINE_MS } = this.#options;
    for (const id of ids) {
      if (this.#later.size >= MAX_UNKNOWN) this.#later.clear();
      this.#later.set(id, nowMs + AGAIN_MS);
    }
    try {
      const words = ['ask', String(process.pid), program, 'passwd', ...ids.map(String)];
      const environment = { PATH: '/usr/bin:/bin', LC_ALL: 'C' };
      const options = {
        signal,
        deadlineMs,
        maxBytes: MAX_BYTES,
        environment,
        own: { processes: own, part: 'processes' },
      };
      const { text, status } = await askProgram(words, options);
      // 2: one of them is not known. Anything else but 0: there is no such program, or it could not ask.
      if (status !== 0 && status !== 2) this.#askAgainMs = nowMs + AGAIN_MS;
      for (const [id, name] of usersOf(text)) if (ids.includes(id)) named(id, name);
    } catch {
      this.#askAgainMs = nowMs + AGAIN_MS; // a name is not worth more: the number is shown
    }
  }
}
