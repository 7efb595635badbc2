// CPU quotas: how much of the time the control groups of the GPUs' processes may not run, because their quota is used up.

import { join } from 'node:path';
import { seriesKey } from '../../model/reading.ts';
import { parseCounter } from '../files/sentinel.ts';
import type { SmallFiles } from '../files/small-files.ts';
import type { ThrottleSamples } from './throttle-reader.ts';

/** Ranks of a host; more processes on its GPUs share their groups. */
const MAX_PROCESSES = 64;
const MAX_GROUPS = 128;
/** A quota holds for what is under it, too: pod, container and step are three of them. */
const MAX_DEPTH = 12;
/** "0::/a/b" of version 2, "4:cpu,cpuacct:/a/b" of version 1. */
const GROUP = /^(?:0:|\d{1,4}:(?:[\w=]{1,32},)*cpu(?:,[\w=]{1,32})*):(\/[^\n]{0,1024})$/m;

interface Counts {
  readonly periods: number;
  readonly throttled: number;
}

export class QuotaReader {
  readonly #files: SmallFiles;
  readonly #proc: string;
  readonly #root: string;
  readonly #host: string;
  readonly #processes: () => readonly number[];
  #last: ReadonlyMap<string, Counts> = new Map();

  /** `processes`: pids of those that use a GPU now. */
  constructor(
    files: SmallFiles,
    roots: { readonly proc: string; readonly sys: string },
    host: string,
    processes: () => readonly number[],
  ) {
    this.#files = files;
    this.#proc = roots.proc;
    this.#root = join(roots.sys, 'fs/cgroup');
    this.#host = host;
    this.#processes = processes;
  }

  /** Share of the periods since the last read in which the worst group was out of quota; nothing where none has one. */
  async read(): Promise<ThrottleSamples> {
    const counts = new Map<string, Counts>();
    let worst: number | null = null;
    for (const group of await this.#groups()) {
      const now = await this.#count(group);
      if (now === null) continue;
      counts.set(group, now);
      const before = this.#last.get(group);
      const periods = before === undefined ? 0 : now.periods - before.periods;
      if (before === undefined || periods <= 0 || now.throttled < before.throttled) continue;
      worst = Math.max(worst ?? 0, Math.min(1, (now.throttled - before.throttled) / periods));
    }
    this.#last = counts;
    return worst === null
      ? { keys: [], values: [] }
      : { keys: [seriesKey(`host/${this.#host}`, 'cpu_throttled')], values: [worst] };
  }

  /** The groups of the processes and all above them, each once. */
  async #groups(): Promise<ReadonlySet<string>> {
    const groups = new Set<string>();
    for (const pid of this.#processes().slice(0, MAX_PROCESSES)) {
      const path = GROUP.exec((await this.#files.read(join(this.#proc, String(pid), 'cgroup'))) ?? '')?.[1];
      const names = path?.split('/').filter((name) => name !== '') ?? [];
      // In a namespace of its own a group above ours is "/..": it is not there to be read.
      if (names.includes('..')) continue;
      for (let depth = Math.min(names.length, MAX_DEPTH); depth > 0 && groups.size < MAX_GROUPS; depth -= 1)
        groups.add(names.slice(0, depth).join('/'));
    }
    return groups;
  }

  async #count(group: string): Promise<Counts | null> {
    for (const tree of ['', 'cpu,cpuacct', 'cpu']) {
      const text = await this.#files.read(join(this.#root, tree, group, 'cpu.stat'));
      if (text === null) continue;
      const periods = parseCounter(/^nr_periods (\d{1,20})$/m.exec(text)?.[1] ?? null);
      const throttled = parseCounter(/^nr_throttled (\d{1,20})$/m.exec(text)?.[1] ?? null);
      return periods === null || throttled === null ? null : { periods, throttled };
    }
    return null;
  }
}
