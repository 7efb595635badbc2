// Watches which boot this is: tells a reboot once, and writes down now and then that we saw this boot alive.

import type { EventInput } from '../../model/record.ts';
import {
  type BootRecord,
  parseBootId,
  type Reboot,
  readBootRecord,
  rebootSince,
  writeBootRecord,
} from './boot-record.ts';
import type { HostReader } from './host-reader.ts';

/** How far behind the record may be when the power goes; a write and its flush once a minute are no load. */
const WRITE_EVERY_MS = 60_000;

export class BootWatch {
  readonly #reader: HostReader;
  readonly #directory: string | null;
  readonly #host: string;
  #bootId: string | null = null;
  #looked = false;
  #writtenMs = Number.NEGATIVE_INFINITY;
  /** Writes go one after the other, so that "stopped" is the last word. */
  #writing: Promise<void> | null = null;
  /** Why the boot cannot be remembered. */
  trouble: string | null = null;

  constructor(reader: HostReader, directory: string | null, host: string) {
    this.#reader = reader;
    this.#directory = directory;
    this.#host = host;
  }

  /** After each round of the reader. */
  async look(timeMs: number, tell: (event: EventInput) => void): Promise<void> {
    if (this.#directory === null) return;
    if (!this.#looked) {
      this.#looked = true;
      this.#bootId = parseBootId(this.#reader.bootId);
      const reboot = rebootSince(await readBootRecord(this.#directory), this.#bootId, this.#reader.bootTimeMs);
      if (reboot !== null) tell(rebootEvent(reboot, this.#host, timeMs));
    }
    if (this.#writing !== null || timeMs - this.#writtenMs < WRITE_EVERY_MS) return;
    this.#writtenMs = timeMs;
    await this.#write(timeMs, false);
  }

  /** Writes down that we were asked to stop. */
  async stop(timeMs: number): Promise<void> {
    // Without a look there is no boot of which anything is known.
    if (this.#bootId === null) return;
    await this.#writing;
    await this.#write(timeMs, true);
  }

  async #write(timeMs: number, stopped: boolean): Promise<void> {
    if (this.#directory === null || this.#bootId === null) return;
    const record: BootRecord = { bootId: this.#bootId, seenMs: timeMs, stopped };
    const directory = this.#directory;
    this.#writing = writeBootRecord(directory, record).then(
      () => {
        this.trouble = null;
      },
      (error: Error) => {
        this.trouble = `FL2504 the boot cannot be remembered in ${directory}: ${error.message}`;
      },
    );
    await this.#writing;
    this.#writing = null;
  }
}

/** `observedMs`: when it was found, after the boot. */
export function rebootEvent({ bootMs, lastSeenMs, reason }: Reboot, host: string, observedMs: number): EventInput {
  // The kernel gives whole seconds, by a wall clock that may have been set since.
  const timeMs = Math.min(bootMs ?? observedMs, observedMs);
  const earliestMs = Math.min(lastSeenMs, timeMs);
  return {
    kind: 'host.rebooted',
    component: { type: 'host', id: host },
    timeMs,
    timeDigits: 0,
    interval: { earliestMs, latestMs: bootMs === null ? observedMs : Math.min(timeMs + 1000, observedMs) },
    observedMs,
    trust: 'system',
    source: 'system',
    attributes: { reason, last_seen_ms: lastSeenMs, down_s: Math.round((timeMs - earliestMs) / 1000) },
  };
}
