// Disk lane: one file operation of the spool at a time, each given up on when the disk hangs, so that at most one thread is held.

/** A disk that takes longer for one operation hangs. */
const HANGS_MS = 2_000;

export class DiskHangs extends Error {
  readonly code = 'EHANG';
}

export class DiskLane {
  readonly #deadlineMs: number;
  #last: Promise<unknown> = Promise.resolve();
  #stuck = 0;

  constructor(deadlineMs = HANGS_MS) {
    this.#deadlineMs = deadlineMs;
  }

  /**
   * Runs `work` after what was asked for before it. Rejects with DiskHangs when it is not done in time, or at once while
   * an operation is stuck; what had begun continues in the background and is not waited for.
   */
  run<T>(work: () => Promise<T>, deadlineMs = this.#deadlineMs): Promise<T> {
    if (this.#stuck > 0) return Promise.reject(new DiskHangs('the disk hangs'));
    let late = false;
    let begun = false;
    const done = this.#last.then(() => {
      if (late) throw new DiskHangs('the disk hangs');
      begun = true;
      return work();
    });
    this.#last = done.catch(() => undefined);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        late = true;
        if (begun) {
          this.#stuck += 1;
          void this.#unstick(done);
        }
        reject(new DiskHangs('the disk hangs'));
      }, deadlineMs);
      done.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }

  async #unstick(done: Promise<unknown>): Promise<void> {
    await done.catch(() => undefined);
    this.#stuck -= 1;
  }
}
