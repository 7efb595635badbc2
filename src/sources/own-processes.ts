// Own processes: whether a line of the kernel is about a process of this daemon; by pid or control group, never by name.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { type NamedProcess, processOf } from '../detection/text/kernel/named-process.ts';

/** The kernel tells within milliseconds of an end; what waits in its log is read some seconds later at most. */
const REMEMBERED_MS = 30_000;
/** Threads come and go; those of a child that crashed can no longer be listed. */
export const LOOK_EVERY_MS = 2_000;
const MAX_REMEMBERED = 1024;

/** Which part of the daemon a process works for: the name of a source, "daemon" for its own. */
type Part = string;

export interface OwnOptions {
  /** Epoch ms. */
  readonly now?: () => number;
  /** procfs in which the daemon finds itself: never one of a configuration. */
  readonly proc?: string;
}

export class OwnProcesses {
  readonly #now: () => number;
  readonly #proc: string;
  readonly #group: string | null;
  readonly #parts = new Map<() => readonly number[], Part>();
  readonly #known = new Map<number, { readonly part: Part; seenMs: number }>();

  constructor({ now = Date.now, proc = '/proc' }: OwnOptions = {}) {
    this.#now = now;
    this.#proc = proc;
    this.#group = serviceGroup(proc);
    this.add('daemon', () => [process.pid]);
  }

  /** `pids` is asked whenever it matters. Returns what takes it back; its processes are remembered for a while. */
  add(part: Part, pids: () => readonly number[]): () => void {
    this.#parts.set(pids, part);
    return () => {
      this.#note(part, pids());
      this.#parts.delete(pids);
    };
  }

  /** The part of the daemon that the line tells of; null for a line about anything else. Cheap for nearly every line. */
  concerns(text: string): Part | null {
    if (!MAY_NAME_PROCESS.test(text)) return null;
    const found = processOf(text);
    return found === null ? null : this.#partOf(found);
  }

  /** To be called now and then: threads must be known before they crash. */
  look(): void {
    const nowMs = this.#now();
    for (const [pids, part] of this.#parts) {
      for (const pid of pids()) this.#note(part, [pid, ...threadsOf(this.#proc, pid)]);
    }
    for (const [pid, { seenMs }] of this.#known) if (nowMs - seenMs > REMEMBERED_MS) this.#known.delete(pid);
  }

  #partOf({ pid, memcg }: NamedProcess): Part | null {
    for (const [pids, part] of this.#parts) if (pids().includes(pid)) return part;
    const known = this.#known.get(pid);
    if (known !== undefined && this.#now() - known.seenMs <= REMEMBERED_MS) return known.part;
    // A hung thread is still there.
    for (const [pids, part] of this.#parts) {
      if (pids().some((own) => existsSync(`${this.#proc}/${own}/task/${pid}`))) return part;
    }
    const group = this.#group;
    if (group === null || memcg === null || (memcg !== group && !memcg.startsWith(`${group}/`))) return null;
    // The lines that follow on the same kill name the pid alone.
    this.#note('daemon', [pid]);
    return 'daemon';
  }

  #note(part: Part, pids: readonly number[]): void {
    const seenMs = this.#now();
    for (const pid of pids) {
      this.#known.delete(pid);
      this.#known.set(pid, { part, seenMs });
    }
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MAX_REMEMBERED) break;
      this.#known.delete(oldest);
    }
  }
}

const MAY_NAME_PROCESS =
  /segfault|unhandled|general protection|trap |Kill|oom-kill|oom_reaper|blocked |soft lockup|state:D/;

/** Only a service has its control group to itself: a session, a container or the root holds the processes of others. */
function serviceGroup(proc: string): string | null {
  try {
    const lines = readFileSync(`${proc}/self/cgroup`, 'utf8').split('\n');
    const paths = lines.flatMap((line) => /^\d+:(?:[^:]*,)?(?:memory)?(?:,[^:]*)?:(\/.*)$/.exec(line)?.[1] ?? []);
    return paths.find((path) => path.endsWith('.service')) ?? null;
  } catch {
    return null;
  }
}

function threadsOf(proc: string, pid: number): number[] {
  try {
    return readdirSync(`${proc}/${pid}/task`).map(Number);
  } catch {
    return []; // it ended meanwhile
  }
}
