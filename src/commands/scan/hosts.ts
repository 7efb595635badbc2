// Scan's hosts: a pipeline for each host that the logs are of, driven by the times of its lines alone, as a replay is.

import { Pipeline } from '../../daemon/pipeline.ts';
import type { StepSeen } from '../../detection/text/job.ts';
import { remember } from '../../helpers/remember.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import type { TextRecord } from '../../model/record.ts';
import { type NativeCore, native } from '../../native.ts';

/** As the daemon's configuration has it by default. */
const LATENESS_MS = 30_000;
const HOLD_MS = 30_000;
/** Time is let pass in steps of this: what only time shows is not missed for a line that came later. */
const STEP_MS = 250;
const MAX_EVENTS = 200_000;
const MAX_INCIDENTS = 20_000;

interface ScannedHost {
  readonly core: NativeCore;
  readonly pipeline: Pipeline;
  nowMs: number;
}

export class ScannedHosts {
  /** By id; of a repeat the newest. */
  readonly events = new Map<string, { readonly event: FaultEvent; readonly host: string }>();
  readonly incidents = new Map<string, Incident>();
  readonly #hosts = new Map<string, ScannedHost>();
  readonly #onSteps: (steps: readonly StepSeen[]) => void;

  constructor(onSteps: (steps: readonly StepSeen[]) => void) {
    this.#onSteps = onSteps;
  }

  text(record: TextRecord, host: string): void {
    const known = this.#at(host, record.observedMs);
    known.pipeline.text(record);
  }

  finish(): void {
    for (const { pipeline, core } of this.#hosts.values()) {
      pipeline.finish();
      core.close();
    }
    this.#hosts.clear();
  }

  /** The host at this time. */
  #at(host: string, timeMs: number): ScannedHost {
    const known = this.#hosts.get(host) ?? this.#made(host, timeMs);
    if (timeMs - known.nowMs >= STEP_MS) {
      known.nowMs = timeMs;
      known.pipeline.advance(timeMs);
    } else known.nowMs = Math.max(known.nowMs, timeMs);
    return known;
  }

  #made(host: string, nowMs: number): ScannedHost {
    const core = new (native().Core)({ historySeconds: 180, maxSeries: 4096 });
    const made: ScannedHost = {
      core,
      nowMs,
      pipeline: new Pipeline({
        host,
        core,
        latenessMs: LATENESS_MS,
        holdMs: HOLD_MS,
        links: [],
        adviseOnWords: true,
        now: () => made.nowMs,
        onEvent: (event) => remember(this.events, event.id, { event, host }, MAX_EVENTS),
        onIncident: (incident) => remember(this.incidents, incident.id, incident, MAX_INCIDENTS),
        onSteps: this.#onSteps,
      }),
    };
    this.#hosts.set(host, made);
    return made;
  }
}
