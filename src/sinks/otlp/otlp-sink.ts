// OTLP sink: metrics, log records and traces to a collector. Loaded only where the configuration names one.

import { ProtobufLogsSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { Resource } from '@opentelemetry/resources';
import type { ResourceMetrics } from '@opentelemetry/sdk-metrics';
import { observeCalls } from '../../helpers/calls.ts';
import type { Logged } from '../../incidents/log/after.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { isSampled } from '../../model/trace.ts';
import type { Work } from '../../model/work.ts';
import type { Delivery, DeliveryCommon, DeliveryCounts } from '../delivery/delivery.ts';
import { DeliverySet } from '../delivery/delivery-set.ts';
import { type CatchUpOptions, type CaughtUp, catchUp } from '../delivery/journal/catch-up.ts';
import { SentMarks } from '../delivery/journal/sent-marks.ts';
import { DiskLane } from '../delivery/spool/disk-lane.ts';
import type { SeriesAggregate, Sink, SinkCounts, SinkHealth } from '../sink.ts';
import type { LabelBook } from '../work/label-book.ts';
import { type OtlpDeliveries, otlpDeliveries } from './deliveries.ts';
import { LogBatch } from './logs/log-batch.ts';
import type { Origin } from './logs/log-records.ts';
import { MetricFeed } from './metrics/metric-feed.ts';
import { type MetricsExporter, SelfExport } from './metrics/self-export.ts';
import { journalPath, spoolDirectory } from './places.ts';
import { readMachineId, resourceOf } from './resource.ts';
import { metricsExporterFor } from './send/transport-for.ts';
import type { OtlpConfig } from './settings.ts';
import { CallBook } from './traces/call-book.ts';
import type { Span } from './traces/spans.ts';
import { TraceBook } from './traces/trace-book.ts';

export interface OtlpSinkOptions extends Omit<DeliveryCommon, 'lane'>, Pick<CatchUpOptions, 'known' | 'loggedAfter'> {
  readonly host: string;
  readonly version: string;
  /** The spool is made under it. */
  readonly stateDirectory: string;
  /** File with the machine id, for host.id. */
  readonly machineIdPath?: string;
  /** For whom components work; left out: for no job. */
  readonly labels?: LabelBook;
  /** All that is reported is made up. */
  readonly simulated?: boolean;
  /** How long a file operation may take before the disk counts as hanging. */
  readonly diskDeadlineMs?: number;
  /** The daemon's metrics about itself, asked for once per export interval. */
  readonly selfMetrics?: () => Promise<ResourceMetrics>;
  /** How long a link of an open incident must be over before its span is sent. */
  readonly settleMs?: number;
}

export interface OtlpCounters {
  /** A signal that is off is null. */
  readonly metrics: DeliveryCounts | null;
  readonly logs: DeliveryCounts | null;
  readonly traces: DeliveryCounts | null;
  /** Series that are sent, and aggregates that found no place under the cap. */
  readonly series: number;
  readonly seriesLeftOut: number;
}

interface Parts {
  readonly resource: Resource;
  readonly deliveries: OtlpDeliveries;
  /** Null where no incident is sent. */
  readonly caughtUp: CaughtUp | null;
  /** Null where metrics do not go over gRPC. */
  readonly exporter: MetricsExporter | null;
}

const TICK_MS = 1_000;
const MOST_RECORDS = 512;

/** Everything is ready when it resolves; nothing is sent before `start`. */
export async function createOtlpSink(config: OtlpConfig, options: OtlpSinkOptions): Promise<OtlpSink> {
  const { host, version, known, loggedAfter } = options;
  // A made-up host is not the machine that it is made up on.
  const made = options.simulated === true ? 'simulated' : null;
  const machineId = made === null ? await readMachineId(options.machineIdPath ?? '/etc/machine-id') : null;
  const lane = new DiskLane(options.diskDeadlineMs);
  const directory = spoolDirectory(options.stateDirectory);
  const userAgent = `faultline/${version}`;
  const path = journalPath(options.stateDirectory);
  const sendsIncidents = config.logs !== null || config.traces !== null;
  return new OtlpSink(config, options, {
    resource: resourceOf(config, host, version, machineId, made),
    deliveries: otlpDeliveries(config, { ...options, directory, lane, userAgent }),
    caughtUp: sendsIncidents ? await catchUp({ path, lane, known, loggedAfter }) : null,
    exporter: options.selfMetrics === undefined ? null : metricsExporterFor(config.metrics, userAgent),
  });
}

export class OtlpSink implements Sink {
  readonly name = 'otlp';
  readonly #now: () => number;
  readonly #traceRatio: number;
  readonly #metrics: Delivery | null;
  readonly #logs: Delivery | null;
  readonly #traces: Delivery | null;
  readonly #deliveries: DeliverySet;
  readonly #feed: MetricFeed | null;
  readonly #self: SelfExport | null;
  readonly #batch: LogBatch;
  readonly #book: TraceBook | null;
  readonly #calls: CallBook | null;
  #unobserve: (() => void) | null = null;
  readonly #marks: SentMarks | null;
  #unsent: readonly Logged[];
  #timer: NodeJS.Timeout | null = null;

  constructor(config: OtlpConfig, options: OtlpSinkOptions, { resource, deliveries, caughtUp, exporter }: Parts) {
    const { settleMs, version, now, known = [], selfMetrics } = options;
    const labels = options.labels === undefined ? {} : { labels: options.labels };
    const { metrics, traces } = config;
    const origin: Origin = { resource, scope: { name: 'faultline', version } };
    this.#now = now;
    this.#traceRatio = traces?.ratio ?? 0;
    this.#metrics = deliveries.metrics;
    this.#logs = deliveries.logs;
    this.#traces = deliveries.traces;
    const on = Object.entries(deliveries).flatMap(([name, each]) => (each === null ? [] : [[name, each] as const]));
    this.#deliveries = new DeliverySet(this.name, new Map(on));
    this.#feed = metrics && new MetricFeed({ ...metrics, ...labels, resource, version, now });
    this.#self =
      this.#metrics === null || selfMetrics === undefined
        ? null
        : new SelfExport({ collect: selfMetrics, resource, delivery: this.#metrics, exporter });
    this.#batch = new LogBatch({ origin, ratio: this.#traceRatio, now });
    const settle = settleMs === undefined ? {} : { settleMs };
    const sent = caughtUp?.journal.parts ?? new Map<string, Set<string>>();
    this.#book = traces && new TraceBook({ origin, ratio: traces.ratio, now, sent, ...settle });
    this.#calls = traces && new CallBook({ origin, ratio: traces.ratio, all: traces.calls === 'all', now });
    this.#marks = caughtUp && new SentMarks(caughtUp.journal, () => this.#flushed(), this.#book);
    this.#unsent = caughtUp?.unsent ?? [];
    const waits = new Set(this.#unsent.flatMap((entry) => ('incident' in entry ? [entry.incident.id] : [])));
    for (const incident of known) if (!waits.has(incident.id)) this.#book?.restore(incident);
  }

  start(signal: AbortSignal): void {
    if (this.#timer !== null || signal.aborted) return;
    this.#deliveries.start();
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
    if (this.#calls !== null) this.#unobserve = observeCalls(this.#calls.observe);
    for (const entry of this.#unsent) {
      if ('incident' in entry) this.#sendIncident(entry.incident);
      else this.#batch.event(entry.event);
    }
    this.#unsent = [];
  }

  event(event: FaultEvent): void {
    this.#feed?.event(event);
    this.#book?.event(event);
    if (this.#logs === null) return;
    this.#batch.event(event);
    if (this.#batch.ready >= MOST_RECORDS) this.#sendLogs(false);
  }

  incident(incident: Incident): void {
    this.#feed?.incident(incident);
    this.#sendIncident(incident);
  }

  /** Goes out at once: the job has stopped. */
  summary(job: string, text: string, timeMs: number): void {
    if (this.#logs === null) return;
    this.#batch.summary(job, text, timeMs);
    setImmediate(() => this.#sendLogs(false));
  }

  series(aggregates: readonly SeriesAggregate[]): void {
    this.#feed?.series(aggregates);
  }

  get wantsWork(): boolean {
    return this.#book !== null;
  }

  /** A piece of our own work, as a span of its incident's trace or of the caller's. */
  work(work: Work): void {
    this.#book?.work(work);
  }

  sendsTrace(traceId: string): boolean {
    return this.#traceRatio > 0 && isSampled(traceId, this.#traceRatio);
  }

  counters(): OtlpCounters {
    return {
      metrics: this.#metrics?.counts() ?? null,
      logs: this.#logs?.counts() ?? null,
      traces: this.#traces?.counts() ?? null,
      series: this.#feed?.size ?? 0,
      seriesLeftOut: this.#feed?.leftOut ?? 0,
    };
  }

  counts(): SinkCounts[] {
    return this.#deliveries.counts();
  }

  health(): SinkHealth {
    return this.#deliveries.health();
  }

  /** Sends or keeps what there is, within a second. */
  async stop(): Promise<void> {
    if (this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
    this.#unobserve?.();
    this.#self?.stop();
    this.#sendMetrics(true);
    this.#sendLogs(true);
    this.#sendSpans([...(this.#book?.due() ?? []), ...(this.#calls?.take() ?? [])]);
    await this.#deliveries.stop(this.#self?.settled() ?? Promise.resolve(), async () => this.#marks?.write());
  }

  #tick(): void {
    this.#sendMetrics(false);
    this.#sendLogs(false);
    if (this.#book === null) return;
    this.#sendSpans([...this.#book.due(), ...(this.#calls?.take() ?? [])]);
    void this.#marks?.write();
  }

  /** At once, together with what else this turn of the event loop brings. */
  #sendIncident(incident: Incident): void {
    if (this.#book !== null) this.#sendSpans(this.#book.incident(incident));
    if (this.#logs !== null) this.#batch.incident(incident);
    const { id: incidentId, revision } = incident;
    const startMs = this.wantsWork ? this.#now() : 0;
    const spooled = (onDisk: boolean): void => {
      const skipped = onDisk ? {} : { skipped: 'the disk does not take it; it waits in memory' };
      this.work({ name: 'Exporter/Spool', incidentId, revision, startMs, endMs: this.#now(), ...skipped });
    };
    setImmediate(() => {
      this.#sendLogs(false);
      this.#marks?.handedOver(incident);
      if (this.wantsWork) void this.#logs?.flushed().then(spooled);
      void this.#marks?.write();
    });
  }

  async #flushed(): Promise<boolean> {
    const flushed = await Promise.all([this.#logs?.flushed(), this.#traces?.flushed()]);
    return !flushed.includes(false);
  }

  #sendLogs(all: boolean): void {
    if (this.#logs === null) return;
    for (let records = this.#batch.take(MOST_RECORDS, all); records.length > 0; ) {
      this.#logs.push(ProtobufLogsSerializer.serializeRequest(records), records.length);
      records = this.#batch.take(MOST_RECORDS, all);
    }
  }

  #sendSpans(spans: readonly Span[]): void {
    if (this.#traces === null) return;
    for (let at = 0; at < spans.length; at += MOST_RECORDS) {
      const part = spans.slice(at, at + MOST_RECORDS);
      this.#traces.push(ProtobufTraceSerializer.serializeRequest(part), part.length);
    }
  }

  #sendMetrics(all: boolean): void {
    if (this.#metrics === null || this.#feed === null) return;
    if (!this.#feed.isDue() && !all) return;
    this.#self?.send();
    for (const { bytes, points } of this.#feed.next()) this.#metrics.push(bytes, points);
    if (this.#feed.leftOut > 0) {
      const text = `more than ${this.#feed.size} series: further ones are not sent. Raise otlp.metrics.max_series`;
      this.#metrics.trouble.once('FL3209', text);
    }
  }
}
