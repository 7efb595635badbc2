// Detection latency: how long it takes from what happened to an incident on disk, as a histogram by stage.

import type { Histogram } from '@opentelemetry/api';
import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { isInjected } from '../../model/made.ts';
import type { Instruments } from './instruments.ts';

/** From what is good (a millisecond) to what a slow poll explains (a minute), in seconds. */
const BOUNDARIES_S = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** What was written longer ago is history read late, not late detection. */
const HISTORY_MS = 600_000;

export class DetectionLatency {
  readonly #duration: Histogram;
  readonly #now: () => number;

  constructor(instruments: Instruments, now: () => number) {
    this.#duration = instruments.histogram('faultline.detection.duration', BOUNDARIES_S);
    this.#now = now;
  }

  event(event: FaultEvent): void {
    if (event.state === 'clear' || event.count > 1 || isInjected(event)) return; // endings and repeats wait on purpose
    this.#record('observe', event.observedMs - event.timeMs);
    this.#record('event', this.#now() - event.observedMs);
  }

  /** Comes when the incident was written; its first revision is the one that an operator waits for. */
  incident(incident: Incident): void {
    if (incident.revision !== 1 || incident.events.length === 0 || incident.made === 'injected') return;
    const newest = incident.events.reduce((ms, event) => Math.max(ms, event.observedMs), Number.NEGATIVE_INFINITY);
    this.#record('incident', this.#now() - newest);
  }

  #record(stage: string, ms: number): void {
    if (ms < HISTORY_MS) this.#duration.record(Math.max(0, ms) / 1000, { stage });
  }
}
