// Failed askers: who showed nothing that counts is reported at most once a minute, however often it tries.

const REPORT_MS = 60_000;

export class FailedAskers {
  readonly #report: (detail: string) => void;
  readonly #now: () => number;
  #count = 0;
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(report: (detail: string) => void, now: () => number = () => performance.now()) {
    this.#report = report;
    this.#now = now;
  }

  failed(from: string): void {
    this.#count += 1;
    const nowMs = this.#now();
    if (nowMs - this.#lastMs < REPORT_MS) return;
    const times = this.#count === 1 ? 'a request was' : `${this.#count} requests were`;
    this.#report(`${times} refused that showed no token or certificate that counts, the last from ${from}`);
    this.#lastMs = nowMs;
    this.#count = 0;
  }
}
