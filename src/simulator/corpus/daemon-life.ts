// The daemon of an accuracy run: its pipeline, and what becomes of it when it stalls, restarts, or its host reboots.

import { RepeatBook } from '../../correlation/repeats/repeat-book.ts';
import { PastEvents } from '../../correlation/window/past-events.ts';
import { Pipeline } from '../../daemon/pipeline.ts';
import type { PipelineOptions } from '../../daemon/pipeline-options.ts';
import { LeftBehind } from '../../detection/rules/left-behind.ts';
import { eventFromDocument, eventToDocument } from '../../model/documents/event.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { type NativeCore, native } from '../../native.ts';
import { rebootEvent } from '../../sources/system/boot-watch.ts';
import type { PlannedChange } from '../scenario/planned-change.ts';
import type { ScenarioClock } from '../scenario-clock.ts';

const HISTORY_S = 120;
const MAX_SERIES = 1024;
/** As in `src/daemon/start.ts`: how long an incident of an earlier run waits for a new sign of life. */
const STALE_MS = 600_000;
/** Firmware and services take the rest of the time that a reboot takes. */
const AFTER_BOOT_MS = 20_000;

export type LifeOptions = Omit<PipelineOptions, 'core' | 'restored' | 'closed' | Remembered>;

type Remembered = 'plans' | 'causes' | 'repeats' | 'pastEvents' | 'settings';
type Books = Required<Pick<PipelineOptions, 'repeats' | 'pastEvents' | 'settings'>>;

export class DaemonLife {
  readonly #options: LifeOptions;
  readonly #clock: ScenarioClock;
  readonly #epochMs: number;
  /** Last revisions, as the log on disk has them. */
  readonly #incidents: () => readonly Incident[];
  #core: NativeCore;
  #pipeline: Pipeline;
  #books: Books;
  /** When the reboot under way began, epoch ms. */
  #downSinceMs = 0;

  constructor(options: LifeOptions, clock: ScenarioClock, epochMs: number, incidents: () => readonly Incident[]) {
    this.#options = options;
    this.#clock = clock;
    this.#epochMs = epochMs;
    this.#incidents = incidents;
    this.#core = this.#newCore();
    this.#books = emptyBooks(options);
    this.#pipeline = new Pipeline({ ...options, ...this.#books, core: this.#core });
  }

  get pipeline(): Pipeline {
    return this.#pipeline;
  }

  begin(change: PlannedChange): void {
    if (change.type === 'reboot') this.#downSinceMs = this.#options.now();
  }

  /** True where the daemon is a new process from now on. */
  end(change: PlannedChange): boolean {
    if (change.type !== 'agent_restart' && change.type !== 'reboot') return false;
    this.#pipeline.reportWaiting();
    const plans = eventsOnDisk(this.#pipeline.remembered(), this.#options.host);
    const causes = eventsOnDisk(this.#pipeline.rememberedCauses(), this.#options.host);
    this.#books = booksOnDisk(this.#books, this.#options);
    this.#core.close();
    this.#core = this.#newCore();
    const all = this.#incidents().filter(({ mergedInto }) => mergedInto === null);
    const restored = all.filter(({ state }) => state === 'open');
    const closed = all.filter(({ state }) => state !== 'open');
    this.#pipeline = new Pipeline({
      ...this.#options,
      ...this.#books,
      core: this.#core,
      restored,
      plans,
      causes,
      closed,
    });
    if (restored.length > 0)
      this.#clock.at(this.#clock.now() + STALE_MS, () => this.#pipeline.resolveStale(this.#options.now()));
    return true;
  }

  /** What the daemon reports of a reboot once it runs again. */
  rebooted(change: PlannedChange): void {
    if (change.type !== 'reboot') return;
    const nowMs = this.#options.now();
    const bootMs = Math.max(this.#downSinceMs, nowMs - AFTER_BOOT_MS);
    const reason = change.orderly === false ? 'abrupt' : 'orderly';
    this.#pipeline.event(rebootEvent({ bootMs, lastSeenMs: this.#downSinceMs, reason }, this.#options.host, nowMs));
  }

  close(): void {
    this.#core.close();
  }

  #newCore(): NativeCore {
    return new (native().Core)({ historySeconds: HISTORY_S, maxSeries: MAX_SERIES, anchorMs: this.#epochMs });
  }
}

function emptyBooks({ latenessMs, host }: LifeOptions): Books {
  return { repeats: new RepeatBook(), pastEvents: new PastEvents(latenessMs), settings: new LeftBehind(host) };
}

/** What the next run reads of the files in the state folder. */
function booksOnDisk({ repeats, pastEvents, settings }: Books, options: LifeOptions): Books {
  const next = emptyBooks(options);
  const as = (timeMs: number): number => timeMs;
  next.repeats.restore(JSON.parse(JSON.stringify(repeats.document())), as);
  next.pastEvents.restore(JSON.parse(JSON.stringify(pastEvents.document())), as);
  next.settings.restore(JSON.parse(JSON.stringify(settings.document())), as);
  return next;
}

function eventsOnDisk(events: readonly FaultEvent[], host: string): FaultEvent[] {
  return events.flatMap((event) => eventFromDocument(JSON.parse(JSON.stringify(eventToDocument(event, host)))) ?? []);
}
