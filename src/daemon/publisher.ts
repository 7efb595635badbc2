// Publisher: what happens with each event and incident of the pipeline — the log first, then everyone who reads them.

import type { Logger } from 'pino';
import type { Recent } from '../api/recent.ts';
import type { BlackBox } from '../incidents/black-box.ts';
import type { IncidentLog } from '../incidents/log/incident-log.ts';
import { logText } from '../incidents/report/steps.ts';
import type { FaultEvent } from '../model/event.ts';
import type { Incident } from '../model/incident.ts';
import { hasRole } from '../model/kind.ts';
import { logContext, spanIdOf } from '../model/trace.ts';
import type { NativeCore } from '../native.ts';
import type { SourceSet } from '../sources/source-set.ts';
import type { EventTimeTicker } from './event-ticker.ts';
import type { RunMemory } from './memory/run-memory.ts';
import type { Outputs } from './outputs.ts';
import type { Pipeline } from './pipeline.ts';

/** The parts that it publishes to; what is null is not built yet, or off. */
export interface PublisherParts {
  readonly core: Pick<NativeCore, 'now'>;
  readonly logger: Logger;
  readonly recent: Recent;
  readonly ticker: EventTimeTicker;
  readonly outputs: Outputs | null;
  readonly log: IncidentLog | null;
  readonly pipeline: Pick<Pipeline, 'explainsForATime'> | null;
  readonly memory: Pick<RunMemory, 'plansChanged' | 'happened'> | null;
  readonly blackBox: BlackBox | null;
  readonly sources: SourceSet | null;
}

export class Publisher {
  readonly #parts: PublisherParts;

  constructor(parts: PublisherParts) {
    this.#parts = parts;
  }

  /** An event of the pipeline: published, and heard by the sources, of which some then look closer. */
  event(event: FaultEvent): void {
    this.#publish(event);
    this.#parts.sources?.heard(event);
    this.#parts.memory?.happened();
    if (hasRole(event.kind, 'explains') || this.#parts.pipeline?.explainsForATime === true)
      this.#parts.memory?.plansChanged();
  }

  /** A made-up event is published like a real one; no source looks closer for it. */
  injectedEvent(event: FaultEvent): void {
    this.#publish(event);
  }

  /** Nothing is sent before the incident is in the log, or is marked as not written. */
  incident(incident: Incident): void {
    const { core, ticker, outputs, log, recent, logger, blackBox } = this.#parts;
    ticker.news();
    const onWork = outputs?.onWork ?? null;
    const startMs = onWork === null ? 0 : core.now();
    void log?.append(incident).then((written) => {
      const { id: incidentId, state, revision, severity, title, confidence } = written;
      if (onWork !== null) {
        const reason = log.trouble() ?? 'the disk did not answer in time';
        const failed = { skipped: `log unavailable: ${reason}`, error: 'log unavailable' };
        const outcome = written.log === 'written' ? {} : failed;
        onWork({ name: 'IncidentLog/Append', incidentId, revision, startMs, endMs: core.now(), ...outcome });
      }
      recent.incident(written);
      outputs?.incident(written);
      const advice = logText(written, 'UTC');
      const fields = { ...this.about(written), state, revision, severity, confidence, log: written.log, do: advice };
      logger.info(fields, title);
    });
    if (incident.made !== 'injected') void blackBox?.take(incident);
  }

  /** The fields of every log line about an incident: flags 00 say that no spans of it are exported. */
  about({ id, traceId }: Incident): Record<string, string> {
    const sampled = this.#parts.outputs?.sendsTrace(traceId) ?? false;
    return { incident: id, ...logContext({ traceId, spanId: spanIdOf(id), sampled }) };
  }

  #publish(event: FaultEvent): void {
    const { recent, outputs, ticker, log } = this.#parts;
    recent.event(event);
    log?.heard(event);
    outputs?.event(event);
    ticker.news();
  }
}
