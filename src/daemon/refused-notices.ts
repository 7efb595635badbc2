// Refused notices: what native code reported in a form that no reader can take is logged once a minute and name, and counted.

import { type Notice, noticesOf } from '../native.ts';

const AGAIN_MS = 60_000;
/** Names come from native code; one that makes up names fills no memory. */
const MOST_NAMES = 64;

interface Refused {
  count: number;
  nextMs: number;
}

export class RefusedNotices {
  readonly #log: (fields: object, text: string) => void;
  readonly #byName = new Map<string, Refused>();

  constructor(log: (fields: object, text: string) => void) {
    this.#log = log;
  }

  take(notices: readonly Notice[]): void {
    for (const { of, reason, timeMs } of noticesOf(notices, 'malformed')) {
      const name = this.#byName.has(of) || this.#byName.size < MOST_NAMES ? of : 'other';
      const refused = this.#byName.get(name) ?? { count: 0, nextMs: timeMs };
      this.#byName.set(name, refused);
      refused.count += 1;
      if (timeMs < refused.nextMs) continue;
      this.#log({ code: 'FL2003', notice: name, count: refused.count }, `FL2003 notice ${name} was refused: ${reason}`);
      Object.assign(refused, { count: 0, nextMs: timeMs + AGAIN_MS });
    }
  }
}
