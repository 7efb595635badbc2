// Plan memory: keeps over a restart of the daemon which plans explain what follows, in a file of the state folder.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorText } from '../helpers/error-text.ts';
import { readOwn, replaceOwn } from '../helpers/files/own-file.ts';
import { eventFromDocument, eventToDocument } from '../model/documents/event.ts';
import type { FaultEvent } from '../model/event.ts';

const FILE = 'plans.json';
const SCHEMA = 'faultline/plans/1';
const MAX_BYTES = 4 * 1024 * 1024;
const MOST_EVENTS = 256;
/** Nothing planned explains for longer, and no incident stays open without a sign of life. */
const OLDEST_MS = 7 * 86_400_000;
/** One write for what comes together; a kill in between loses the last second. */
const SETTLE_MS = 1_000;
/** How far ahead an event may be by itself: of a clock that was set back nothing of before can be placed. */
const AHEAD_MS = 60_000;

export interface SinceBoot {
  /** Which start of the kernel; null where it does not say. */
  readonly bootId: string | null;
  readonly ms: number;
}

export interface PlanMemoryOptions {
  /** The state folder; null to remember nothing. */
  readonly directory: string | null;
  readonly host: string;
  /** Epoch ms on the steady clock of this run. */
  readonly now: () => number;
  /** What two runs of one boot have in common, whatever was done to the clock between them. */
  readonly sinceBoot: () => SinceBoot;
  readonly remembered: () => readonly FaultEvent[];
  readonly onTrouble: (detail: string) => void;
}

export class PlanMemory {
  readonly #options: PlanMemoryOptions;
  #timer: NodeJS.Timeout | null = null;
  #written = '[]';
  #writing: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: PlanMemoryOptions) {
    this.#options = options;
  }

  /** Something that may be remembered changed. */
  changed(): void {
    if (this.#options.directory === null || this.#timer !== null || this.#stopped) return;
    this.#timer = setTimeout(() => void this.#save(), SETTLE_MS).unref();
  }

  /** Writes what waits. */
  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#options.directory !== null) await this.#save();
    await this.#writing;
  }

  #save(): Promise<void> {
    this.#timer = null;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    const { directory, host, now, sinceBoot, remembered, onTrouble } = this.#options;
    if (directory === null) return;
    const events = remembered().slice(-MOST_EVENTS);
    const text = JSON.stringify(events.map((event) => eventToDocument(event, host)));
    if (text === this.#written) return;
    const boot = sinceBoot();
    const head = {
      schema: SCHEMA,
      boot_id: boot.bootId,
      since_boot_ms: Math.round(boot.ms),
      now_ms: Math.round(now()),
    };
    try {
      const document = `${JSON.stringify(head).slice(0, -1)},"events":${text}}\n`;
      await replaceOwn(join(directory, FILE), document, { sync: true });
      this.#written = text;
    } catch (error) {
      onTrouble(errorText(error));
    }
  }
}

/** What the run before this one remembered, on the clock of this one; nothing where there is no such file, or it is damaged. */
export async function readPlans(
  options: Pick<PlanMemoryOptions, 'directory' | 'now' | 'sinceBoot'>,
): Promise<FaultEvent[]> {
  if (options.directory === null) return [];
  try {
    return placed(JSON.parse(await readOwn(join(options.directory, FILE), MAX_BYTES)), options);
  } catch {
    return [];
  }
}

function placed(document: unknown, { now, sinceBoot }: Pick<PlanMemoryOptions, 'now' | 'sinceBoot'>): FaultEvent[] {
  if (typeof document !== 'object' || document === null) return [];
  const { schema, boot_id, since_boot_ms, now_ms, events } = document as Record<string, unknown>; // a non-null object can be indexed
  if (schema !== SCHEMA || !Array.isArray(events)) return [];
  const boot = sinceBoot();
  const nowMs = now();
  const same = boot.bootId !== null && boot_id === boot.bootId;
  const known = typeof since_boot_ms === 'number' && typeof now_ms === 'number' && Number.isFinite(now_ms);
  const aheadMs = same && known ? now_ms + (boot.ms - since_boot_ms) - nowMs : 0;
  return events
    .slice(-MOST_EVENTS)
    .map(eventFromDocument)
    .filter((event) => event !== null)
    .map((event) => moved(event, -aheadMs))
    .filter(({ timeMs }) => timeMs <= nowMs + AHEAD_MS && timeMs >= nowMs - OLDEST_MS);
}

/** The clock was set between the two runs: the same instant has another number now. */
function moved(event: FaultEvent, byMs: number): FaultEvent {
  if (Math.abs(byMs) < 1_000) return event;
  const { timeMs, observedMs, interval } = event;
  return {
    ...event,
    timeMs: timeMs + byMs,
    observedMs: observedMs + byMs,
    interval: { earliestMs: interval.earliestMs + byMs, latestMs: interval.latestMs + byMs },
  };
}

/** From the monotonic clock, and the kernel's own id of its start under this root. */
export function sinceBootUnder(proc: string): () => SinceBoot {
  let bootId: string | null = null;
  try {
    bootId = readFileSync(join(proc, 'sys/kernel/random/boot_id'), 'utf8').trim() || null;
  } catch {} // not mounted here: the wall clock is all that two runs have in common
  return () => ({ bootId, ms: Number(process.hrtime.bigint() / 1_000_000n) });
}
