// JobProcesses: which processes of this host are ranks of a job, by their environment.

import { constants } from 'node:fs';
import { open, readdir, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { NamedBy } from '../../model/native-files.ts';
import { type RankEnvironment, rankEnvironment } from './environment.ts';
import { roleOf } from './role.ts';

/** As long as the kernel lets one string be; real environments have a few KiB. */
const MAX_ENVIRON = 256 * 1024;
/** A process that is no rank yet may become one when it starts its program. */
const LOOKS = 3;
const MAX_PROCESSES = 32_768;
const MAX_RANKS_HERE = 1024;

export interface RankProcess extends RankEnvironment {
  readonly pid: number;
  /** What the process's own paths begin with for us: empty where it sees the same file systems. */
  readonly root: string;
  /** Whose it is, by whose rights the paths that it names are read. */
  readonly namedBy?: NamedBy;
  /** What part of the work it does, in the words of its command line; empty where that does not tell. */
  readonly role: string;
}

export class JobProcesses {
  readonly #proc: string;
  readonly #buffer = Buffer.alloc(MAX_ENVIRON);
  readonly #ranks = new Map<number, RankProcess>();
  readonly #others = new Map<number, number>();
  /** Processes whose environment we may not read. */
  refused = 0;

  constructor(proc: string) {
    this.#proc = proc;
  }

  get ranks(): readonly RankProcess[] {
    return [...this.#ranks.values()];
  }

  /** Looks at what is new. Never throws: a process may end at any moment. */
  async scan(): Promise<void> {
    const names = await readdir(this.#proc).catch((): string[] => []);
    const pids = new Set(
      names
        .filter((name) => /^\d{1,10}$/.test(name))
        .slice(0, MAX_PROCESSES)
        .map(Number),
    );
    for (const known of [this.#ranks, this.#others]) {
      for (const pid of known.keys()) if (!pids.has(pid)) known.delete(pid);
    }
    let refused = 0;
    const ours = await this.#namespace('self');
    for (const pid of pids) {
      const looks = this.#others.get(pid) ?? 0;
      if (looks >= LOOKS) continue;
      if (looks === REFUSED) {
        refused += 1;
        continue;
      }
      const bytes = await environ(join(this.#proc, String(pid), 'environ'), this.#buffer);
      if (bytes === null) {
        this.#ranks.delete(pid);
        this.#others.set(pid, REFUSED);
        refused += 1;
        continue;
      }
      const rank = rankEnvironment(bytes);
      if (rank === null || (this.#ranks.size >= MAX_RANKS_HERE && !this.#ranks.has(pid))) {
        this.#ranks.delete(pid);
        this.#others.set(pid, looks + 1);
      } else if (!this.#ranks.has(pid)) {
        const namedBy = await this.#namedBy(pid);
        if (namedBy === null) continue; // it is gone
        const theirs = await this.#namespace(String(pid));
        const same = ours !== null && ours === theirs;
        const role = roleOf(await this.#commandLine(pid), rank.rank, rank.worldSize);
        const job = this.#jobFor(rank.job, namedBy[0]);
        this.#ranks.set(pid, {
          ...rank,
          job,
          pid,
          namedBy,
          root: same ? '' : join(this.#proc, String(pid), 'root'),
          role,
        });
      }
    }
    this.refused = refused;
  }

  /** A job is of one user. Whoever comes later under its name, from another user, must not speak for it. */
  #jobFor(job: string | null, user: number): string | null {
    if (job === null) return null;
    for (const known of this.#ranks.values()) {
      if (known.job === job && known.namedBy?.[0] !== user) return `${job}-uid-${user}`;
    }
    return job;
  }

  async #commandLine(pid: number): Promise<string[]> {
    const bytes = await environ(join(this.#proc, String(pid), 'cmdline'), this.#buffer);
    return bytes === null || bytes.length === 0 ? [] : bytes.toString('utf8').split('\0');
  }

  async #namedBy(pid: number): Promise<NamedBy | null> {
    const text = (await environ(join(this.#proc, String(pid), 'status'), this.#buffer))?.toString('latin1') ?? '';
    const user = /^Uid:\t\d+\t(\d+)/m.exec(text)?.[1];
    // A tree that is no procfs has no such file: its owner is as good.
    if (user === undefined) return await stat(join(this.#proc, String(pid))).then(({ uid }) => [uid], () => null); // biome-ignore format: one question
    const groups = [/^Gid:\t\d+\t(\d+)/m, /^Groups:\t([\d ]*)/m].flatMap((line) =>
      (line.exec(text)?.[1] ?? '').split(' '),
    );
    return [Number(user), ...groups.filter((each) => each !== '').map(Number)];
  }

  async #namespace(pid: string): Promise<string | null> {
    return await readlink(join(this.#proc, pid, 'ns', 'mnt')).catch(() => null);
  }
}

/** Stands for a process that will not be looked at again. */
const REFUSED = -1;

/** A view of `buffer`. Null where it may not be read; empty where the process is gone or the kernel's own. */
async function environ(path: string, buffer: Buffer): Promise<Buffer | null> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      let length = 0;
      while (length < buffer.length) {
        const { bytesRead } = await file.read(buffer, length, buffer.length - length, null);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      return buffer.subarray(0, length);
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    return code === 'EACCES' || code === 'EPERM' ? null : Buffer.alloc(0);
  }
}
