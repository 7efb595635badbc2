// Protocol breaks: how often the vendor child wrote what no honest child writes, and when that is more than an accident.

import type { SourceHealth } from '../source.ts';

/** One break may be a bit that flipped; another within this is a library that cannot be relied on. */
const WITHIN_MS = 10 * 60_000;
const MOST_KEPT = 32;

export class ProtocolBreaks {
  #timesMs: number[] = [];
  #last = '';

  note(timeMs: number, what: string): void {
    this.#timesMs = [...this.#timesMs, timeMs].slice(-MOST_KEPT);
    this.#last = what;
  }

  /** What to say in place of `health` while breaks repeat. */
  over(health: SourceHealth, nowMs: number): SourceHealth {
    const recent = this.#timesMs.filter((timeMs) => nowMs - timeMs < WITHIN_MS).length;
    if (recent < 2) return health;
    return {
      ...health,
      status: 'failed',
      unready: true,
      detail: `FL2002 the process that reads the GPUs broke its protocol ${recent} times within ten minutes, last: ${this.#last}`,
      remedy:
        'verify the NVIDIA libraries against their package (dpkg --verify or rpm -V), look for what else has written to them, and reinstall the driver; what this process says of GPUs counts for nothing meanwhile',
    };
  }
}
