// Self-metrics: the daemon's own state as OpenTelemetry metrics, collected by the sinks; made only where a sink wants metrics.

import { MeterProvider, MetricReader, type ResourceMetrics } from '@opentelemetry/sdk-metrics';
import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import type { SeriesAggregate, Sink, SinkHealth } from '../sink.ts';
import { DetectionLatency } from './detection-latency.ts';
import { Findings } from './findings.ts';
import { Instruments } from './instruments.ts';
import { observeInputs } from './observe.ts';
import { observeProcesses } from './observe-processes.ts';
import { OpenedIncidents } from './opened-incidents.ts';
import type { SelfInputs } from './self-inputs.ts';
import { SourceLag } from './source-lag.ts';

/** One reader for all: what is collected is cumulative, so that two who read do not take from each other. */
class SharedReader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

export class SelfMetrics implements Sink {
  readonly name = 'self';
  readonly #reader = new SharedReader();
  readonly #provider: MeterProvider;
  readonly #findings: Findings;
  readonly #latency: DetectionLatency;
  readonly #lag = new SourceLag();
  readonly #opened: OpenedIncidents;
  readonly #now: () => number;
  #collecting: Promise<ResourceMetrics> | null = null;

  constructor(inputs: SelfInputs) {
    this.#provider = new MeterProvider({ readers: [this.#reader] });
    const instruments = new Instruments(this.#provider.getMeter('faultline', inputs.version));
    this.#findings = new Findings(instruments, inputs.restored);
    this.#opened = new OpenedIncidents(inputs.restored);
    this.#now = inputs.now;
    this.#latency = new DetectionLatency(instruments, inputs.now);
    observeInputs(instruments, inputs);
    instruments.observableGauge('faultline.source.lag').addCallback((result) => {
      for (const [source, seconds] of this.#lag.lags(inputs.now())) result.observe(seconds, { source });
    });
    observeProcesses(instruments, this.#provider.getMeter('faultline', inputs.version), inputs);
  }

  start(): void {}

  event(event: FaultEvent): void {
    this.#findings.event(event);
    this.#latency.event(event);
  }

  incident(incident: Incident): void {
    this.#findings.incident(incident);
    this.#opened.incident(incident);
    this.#latency.incident(incident);
  }

  series(aggregates: readonly SeriesAggregate[]): void {
    this.#lag.series(aggregates);
  }

  health(): SinkHealth {
    return { sink: this.name, status: 'works', detail: 'read by the other sinks' };
  }

  async stop(): Promise<void> {
    await this.#provider.shutdown();
  }

  /** Everything as it is, cumulative since the start; the resource is the SDK's and the caller's to replace. */
  collect(): Promise<ResourceMetrics> {
    this.#collecting ??= this.#reader
      .collect()
      .then(({ resourceMetrics: { resource, scopeMetrics } }) => {
        const [first, ...others] = scopeMetrics;
        if (first === undefined) return { resource, scopeMetrics };
        const { scope, metrics } = first;
        return {
          resource,
          scopeMetrics: [{ scope, metrics: [...metrics, this.#opened.metric(this.#now())] }, ...others],
        };
      })
      .finally(() => {
        this.#collecting = null;
      });
    return this.#collecting;
  }
}
