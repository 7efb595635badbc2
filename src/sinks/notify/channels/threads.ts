// Threads: what receivers call the first message of each conversation, so that what follows is put under it; kept over a restart.

import { StateFile } from '../../../helpers/files/state-file.ts';
import { remember } from '../../../helpers/remember.ts';

const MOST_THREADS = 4096;
const MOST_BYTES = 2 * 1024 * 1024;
const SETTLE_MS = 50;

export class Threads {
  readonly #known = new Map<string, string>();
  readonly #file: StateFile;

  /** `directory` null: of this run alone. */
  constructor(directory: string | null) {
    this.#file = new StateFile({
      directory,
      name: 'notify-threads.json',
      schema: 'faultline/notify-threads/1',
      maxBytes: MOST_BYTES,
      settleMs: SETTLE_MS,
      content: () => ({ threads: [...this.#known] }),
    });
  }

  async load(): Promise<void> {
    await this.#file.read(({ threads }) => {
      if (!Array.isArray(threads)) return false;
      for (const [key, thread] of threads as readonly unknown[][]) // checked here
        if (typeof key === 'string' && typeof thread === 'string') remember(this.#known, key, thread, MOST_THREADS);
      return true;
    });
  }

  of(channel: string, conversation: string): string | null {
    return this.#known.get(`${channel} ${conversation}`) ?? null;
  }

  /** The first message of a conversation stays what it is called by. */
  learn(channel: string, conversation: string, thread: string): void {
    const key = `${channel} ${conversation}`;
    if (this.#known.has(key)) return;
    remember(this.#known, key, thread, MOST_THREADS);
    this.#file.changed();
  }

  stop(): Promise<void> {
    return this.#file.stop();
  }
}
