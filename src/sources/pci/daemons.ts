// Whether the daemons that a GPU fabric needs run: Fabric Manager and IMEX, by the names of processes.

import type { SmallFiles } from '../files/small-files.ts';
import { ofProcess, pids } from './process-names.ts';

/** The kernel keeps 15 characters of a name. */
const NAMES: Readonly<Record<string, string>> = { 'nv-fabricmanage': 'fabric manager', 'nvidia-imex': 'IMEX' };
/** Looking at every process is dear: those found are looked at each time, all of them only once in this time. */
const SCAN_MS = 15 * 60_000;

export class Daemons {
  readonly #files: SmallFiles;
  readonly #proc: string;
  #found = new Map<string, string>();
  #scannedMs = Number.NEGATIVE_INFINITY;

  constructor(files: SmallFiles, proc: string) {
    this.#files = files;
    this.#proc = proc;
  }

  /** Names of those that run: "fabric manager", "IMEX". */
  async running(nowMs: number): Promise<string[]> {
    if (nowMs - this.#scannedMs >= SCAN_MS) {
      this.#scannedMs = nowMs;
      this.#found = await this.#scan();
    } else {
      for (const [pid, what] of this.#found) {
        if ((await this.#nameOf(pid)) === what) continue;
        this.#found.delete(pid);
        this.#scannedMs = Number.NEGATIVE_INFINITY; // a new one may run already
      }
    }
    return [...new Set(this.#found.values())].sort();
  }

  async #scan(): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for (const pid of await pids(this.#files, this.#proc)) {
      const what = await this.#nameOf(pid);
      if (what !== null) found.set(pid, what);
    }
    return found;
  }

  async #nameOf(pid: string): Promise<string | null> {
    const name = await ofProcess(this.#files, this.#proc, pid, 'comm');
    return (name !== null && Object.hasOwn(NAMES, name) ? NAMES[name] : null) ?? null;
  }
}
