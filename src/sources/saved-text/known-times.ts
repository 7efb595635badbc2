// Known times: lines that the kernel writes once a boot, found in one file with a date and with the seconds since boot, say when it was.

import { Dating } from './dating.ts';
import { readLine } from './form/read-line.ts';

/** Of the driver, each time that it is loaded. */
const ONCE = /loading NVIDIA UNIX|Nvlink Core is being initialized|nvidia-modeset: Loading NVIDIA/;
const THIS_BOOT = /^ {2}journalctl -b -0:/;
const OTHER_BOOT = /^ {2}journalctl -b -[1-9]:/;

export class KnownTimes {
  /** Epoch ms by message; null for one that was there twice. */
  readonly #dated = new Map<string, number | null>();
  #dating: Dating | null = null;
  #other = false;
  #bootedMs: number | null = null;

  /** Epoch ms. */
  get bootedMs(): number | null {
    return this.#bootedMs;
  }

  take(text: string, savedMs: number): void {
    if (THIS_BOOT.test(text)) this.#dated.clear();
    if (OTHER_BOOT.test(text)) this.#other = true;
    if (this.#bootedMs !== null || !ONCE.test(text)) return;
    const { message, stamp } = readLine(text.trimEnd());
    if (stamp?.kind === 'wall' && !this.#other) {
      this.#dating ??= new Dating({ savedMs });
      const timeMs = this.#dating.date(stamp)?.timeMs ?? null;
      this.#dated.set(message, this.#dated.has(message) ? null : timeMs);
    } else if (stamp?.kind === 'boot') {
      const dated = this.#dated.get(message) ?? null;
      if (dated !== null) this.#bootedMs = dated - stamp.ms;
    }
  }
}
