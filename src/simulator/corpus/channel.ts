// Channel: between the simulated sources and the pipeline, so that what a source says can be lost or come late.

import type { Discovery, Emit, EventInput, SampleBatch, TextRecord } from '../../model/record.ts';
import type { ScenarioClock } from '../scenario-clock.ts';
import type { Presence } from './presence.ts';

/** Trouble of one source's way to the pipeline; both by name of the source. */
export interface Trouble {
  /** Where the daemon is stalled it reads what waits for it afterwards; where it is gone, nothing. */
  readonly presence: Presence;
  readonly down: ReadonlySet<string>;
  /** ms that it takes longer. */
  readonly late: ReadonlyMap<string, number>;
}

export class Channel implements Emit {
  readonly #line: () => Emit;
  readonly #clock: ScenarioClock;
  readonly #trouble: () => Trouble;
  /** Epoch ms of the clock's zero. */
  readonly #epochMs: number;
  readonly #waiting: ((nowMs: number) => void)[] = [];

  constructor(line: () => Emit, clock: ScenarioClock, epochMs: number, trouble: () => Trouble) {
    this.#line = line;
    this.#clock = clock;
    this.#epochMs = epochMs;
    this.#trouble = trouble;
  }

  samples(batch: SampleBatch): void {
    this.#send(batch.source, 0, () => this.#line().samples(batch));
  }

  text(record: TextRecord): void {
    this.#send(record.source, 0, (nowMs) => this.#line().text({ ...record, observedMs: nowMs }));
  }

  event(input: EventInput, lateMs = 0): void {
    this.#send(input.source, lateMs, (nowMs) =>
      this.#line().event({ ...input, observedMs: Math.max(input.observedMs, nowMs) }),
    );
  }

  /** Found before anything happens: never lost. */
  discovery(discovery: Discovery): void {
    this.#line().discovery(discovery);
  }

  /** A mistake of a source's own code is one of the run. */
  failed(error: unknown): never {
    throw error;
  }

  /** What waited for a daemon that was stalled, where it runs again. */
  release(): void {
    if (this.#trouble().presence !== 'here') return;
    for (const deliver of this.#waiting.splice(0)) deliver(this.#epochMs + this.#clock.now());
  }

  #send(source: string, lateMs: number, deliver: (nowMs: number) => void): void {
    const { presence, down, late } = this.#trouble();
    if (presence === 'gone' || down.has(source)) return;
    const by = lateMs + (late.get(source) ?? 0);
    const now = this.#clock.now();
    if (presence === 'stalled') this.#waiting.push(deliver);
    else if (by === 0) deliver(this.#epochMs + now);
    else this.#clock.at(now + by, () => deliver(this.#epochMs + now + by));
  }
}
