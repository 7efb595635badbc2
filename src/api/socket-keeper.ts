// Socket keeper: looks now and then whether the socket is still where clients look for it, and puts it there again.

import { chmodSync } from 'node:fs';
import { lstat } from 'node:fs/promises';
import type { Server } from 'node:net';
import { errorText } from '../helpers/error-text.ts';
import { BACKLOG } from '../helpers/http/bounded-server.ts';
import { prepareSocketPath, socketPath } from './socket-path.ts';

export interface KeeperOptions {
  readonly server: Server;
  readonly runtimeDirectory: string;
  /** FL4113: it was gone and is there again. FL4114: it is gone and cannot be made; reported once. */
  readonly onTrouble: (code: 'FL4113' | 'FL4114', detail: string) => void;
  readonly checkMs?: number;
}

/** Seldom enough to cost nothing, often enough for a person who waits. */
const CHECK_MS = 20_000;

export class SocketKeeper {
  readonly path: string;
  readonly #options: KeeperOptions;
  #own = '';
  #timer: NodeJS.Timeout | null = null;
  #trouble: string | null = null;
  #closed = false;
  #looking = false;

  constructor(options: KeeperOptions) {
    this.path = socketPath(options.runtimeDirectory);
    this.#options = options;
  }

  /** Why no client can connect, in words; null when the socket was there at the last look. */
  get trouble(): string | null {
    return this.#trouble;
  }

  /** Throws FL411x where there can be no socket. */
  async listen(): Promise<void> {
    await this.#listen();
    this.#timer = setInterval(() => void this.#look(), this.#options.checkMs ?? CHECK_MS).unref();
  }

  close(): void {
    this.#closed = true;
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  /** One look at a time: it may take a while. */
  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      if (this.#own !== (await identityOf(this.path)) && !this.#closed) await this.#listenAgain();
    } finally {
      this.#looking = false;
    }
  }

  async #listenAgain(): Promise<void> {
    try {
      await this.#listen();
      this.#options.onTrouble('FL4113', `${this.path} was removed by another program and is there again`);
      this.#trouble = null;
    } catch (error) {
      const reason = errorText(error);
      const known = this.#trouble !== null;
      this.#trouble = `${this.path} is gone and cannot be made again: ${reason}`;
      if (!known) this.#options.onTrouble('FL4114', `${this.#trouble}. Restart the daemon`);
    }
  }

  async #listen(): Promise<void> {
    const { server, runtimeDirectory } = this.#options;
    await prepareSocketPath(runtimeDirectory);
    if (this.#closed) return;
    // Connections that continue keep going. Closing removes whatever lies at the path: by now nothing of anybody's does.
    if (server.listening) server.close();
    // The socket must never exist with wider rights, not even for a moment: libuv binds inside listen().
    const mask = process.umask(0o117);
    try {
      const listening = new Promise<void>((resolve, reject) => {
        const failed = (error: Error): void =>
          reject(new Error(`FL4112 ${this.path} cannot be listened on: ${error.message}`));
        server.once('error', failed);
        server.once('listening', () => {
          server.off('error', failed);
          resolve();
        });
      });
      server.listen(this.path, BACKLOG);
      process.umask(mask);
      await listening;
    } finally {
      process.umask(mask);
    }
    chmodSync(this.path, 0o660);
    this.#own = await identityOf(this.path);
  }
}

/** Tells a file from another one that is put in its place. */
async function identityOf(path: string): Promise<string> {
  const found = await lstat(path).catch(() => null);
  return found === null ? 'none' : `${found.dev} ${found.ino} ${found.birthtimeMs}`;
}
