// Queue watch: asks the kernel at times which processes have queues on which RDMA device: the cards that they work through, where an open
// device says only that they could.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getSystemErrorName } from 'node:util';
import { native } from '../../native.ts';

const EVERY_MS = 15_000;
/** Of one look. */
const MOST_OWNERS = 65_536;
/** The kernel has no RDMA. */
const WITHOUT: ReadonlySet<string> = new Set(['EPROTONOSUPPORT', 'ECONNREFUSED', 'EINVAL']);

export interface QueueOwners {
  /** Name of an errno; null where it was read. */
  readonly error: string | null;
  readonly owners: readonly (readonly [device: string, pid: number])[];
}

export type ReadQueueOwners = () => Promise<QueueOwners>;

export const readQueueOwners: ReadQueueOwners = () =>
  new Promise((resolve) =>
    native().rdmaQueueOwners((errno, devices, pids) =>
      resolve({
        error: errno === 0 ? null : getSystemErrorName(-errno),
        owners: devices.map((device, at) => [device, pids[at] ?? 0] as const),
      }),
    ),
  );

export interface QueueWatchOptions {
  readonly read: ReadQueueOwners;
  readonly proc: string;
  /** Whether there is an RDMA device at all. */
  readonly isNeeded: () => boolean;
  /** Pid → names of RDMA devices. */
  readonly known: (devices: ReadonlyMap<number, readonly string[]>) => void;
}

export class QueueWatch {
  readonly #options: QueueWatchOptions;
  /** Thread → its process, for those that own a queue: older kernels name the thread that made it. */
  #processes = new Map<number, number>();
  #timer: NodeJS.Timeout | null = null;
  #reading = false;
  #error: string | null = null;

  constructor(options: QueueWatchOptions) {
    this.#options = options;
  }

  /** What is not known for want of a right; null where nothing is. */
  get lack(): string | null {
    if (this.#error === null || WITHOUT.has(this.#error)) return null;
    return `which processes have queues is not known (${this.#error}): cards of ranks by open devices and variables`;
  }

  start(): void {
    this.#timer = setInterval(() => void this.look(), EVERY_MS).unref();
    void this.look();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Never rejects. */
  async look(): Promise<void> {
    const { read, isNeeded, known } = this.#options;
    if (this.#reading || !isNeeded()) return;
    this.#reading = true;
    try {
      const { error, owners } = await read();
      this.#error = error;
      // What was known holds no longer than it is seen.
      known(error === null ? await this.#byProcess(owners.slice(0, MOST_OWNERS)) : new Map());
    } catch {
      this.#error = 'EIO';
    } finally {
      this.#reading = false;
    }
  }

  async #byProcess(owners: QueueOwners['owners']): Promise<Map<number, readonly string[]>> {
    const before = this.#processes;
    this.#processes = new Map();
    const found = new Map<number, Set<string>>();
    for (const [device, id] of owners) {
      const process = this.#processes.get(id) ?? before.get(id) ?? (await this.#processOf(id));
      this.#processes.set(id, process);
      found.set(process, (found.get(process) ?? new Set()).add(device));
    }
    return new Map([...found].map(([process, devices]) => [process, [...devices].sort()]));
  }

  async #processOf(id: number): Promise<number> {
    try {
      const text = await readFile(join(this.#options.proc, String(id), 'status'), 'utf8');
      return Number(/^Tgid:\s*(\d+)$/m.exec(text)?.[1] ?? id);
    } catch {
      return id;
    }
  }
}
