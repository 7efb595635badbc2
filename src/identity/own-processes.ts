// Own processes: whether a process is one of this daemon, and which part of it; by pid or control group, never by name.

import { remember } from '../helpers/remember.ts';

/** The kernel reports an end within milliseconds; what waits in its log is read some seconds later at most. */
const REMEMBERED_MS = 30_000;
/** Threads come and go; those of a child that crashed can no longer be listed. */
export const LOOK_EVERY_MS = 2_000;
const MAX_REMEMBERED = 1024;

/** Which part of the daemon a process works for: the name of a source, "daemon" for its own. */
type Part = string;

/** Ids of the threads of a process, at most a few thousand; empty where it ended, or they cannot be listed now. */
export type ListThreads = (pid: number) => Promise<readonly number[]>;

export interface OwnOptions {
  /** Epoch ms. */
  readonly now?: () => number;
  /** Of the procfs in which the daemon finds itself: never one of a configuration. Left out: threads are not known. */
  readonly threads?: ListThreads;
}

/** A process as a line of the kernel names it. */
interface NamedProcess {
  readonly pid: number;
  readonly memcg: string | null;
}

export class OwnProcesses {
  readonly #now: () => number;
  #threads: ListThreads;
  #group: string | null = null;
  #looking = false;
  readonly #parts = new Map<() => readonly number[], Part>();
  readonly #known = new Map<number, { readonly part: Part; seenMs: number }>();

  constructor({ now = Date.now, threads = async () => [] }: OwnOptions = {}) {
    this.#now = now;
    this.#threads = threads;
    this.add('daemon', () => [process.pid]);
  }

  /** The control group that only this daemon's processes are in; null where there is none. */
  runsIn(group: string | null): void {
    this.#group = group;
  }

  /** How threads are listed from now on. */
  listThreadsBy(threads: ListThreads): void {
    this.#threads = threads;
  }

  /** `pids` is asked whenever it matters. Returns what takes it back; its processes are remembered for a while. */
  add(part: Part, pids: () => readonly number[]): () => void {
    this.#parts.set(pids, part);
    return () => {
      this.#note(part, pids());
      this.#parts.delete(pids);
    };
  }

  /** To be called now and then: threads must be known before they crash or hang. Never rejects. */
  async look(): Promise<void> {
    if (this.#looking) return; // the last look still waits for a list
    this.#looking = true;
    try {
      const nowMs = this.#now();
      for (const [pids, part] of [...this.#parts]) {
        for (const pid of pids()) this.#note(part, [pid, ...(await this.#threads(pid).catch(() => []))]);
      }
      for (const [pid, { seenMs }] of this.#known) if (nowMs - seenMs > REMEMBERED_MS) this.#known.delete(pid);
    } finally {
      this.#looking = false;
    }
  }

  /** The part of the daemon that the process, or thread, works for; null for every other one. */
  partOf(named: NamedProcess | null): Part | null {
    if (named === null) return null;
    const { pid, memcg } = named;
    for (const [pids, part] of this.#parts) if (pids().includes(pid)) return part;
    const known = this.#known.get(pid);
    if (known !== undefined && this.#now() - known.seenMs <= REMEMBERED_MS) return known.part;
    const group = this.#group;
    if (group === null || memcg === null || (memcg !== group && !memcg.startsWith(`${group}/`))) return null;
    // The lines that follow about the same kill name the pid alone.
    this.#note('daemon', [pid]);
    return 'daemon';
  }

  #note(part: Part, pids: readonly number[]): void {
    const seenMs = this.#now();
    for (const pid of pids) remember(this.#known, pid, { part, seenMs }, MAX_REMEMBERED);
  }
}
