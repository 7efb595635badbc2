// OTLP sink: metrics, log records and traces to a collector. Loaded only where the configuration names one.

import { join } from 'node:path';
import {
  ProtobufLogsSerializer,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
} from '@opentelemetry/otlp-transformer';
import type { Resource } from '@opentelemetry/resources';
import type { ResourceMetrics } from '@opentelemetry/sdk-metrics';
import type { Logger } from 'pino';
import type { OtlpConfig } from '../../config/otlp-config.ts';
import type { Logged } from '../../incidents/log/after.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import type { Work } from '../../model/work.ts';
import type { SeriesAggregate, Sink, SinkCounts, SinkHealth } from '../sink.ts';
import { LogBatch } from './logs/log-batch.ts';
import type { Origin } from './logs/log-records.ts';
import { MetricFeed } from './metrics/metric-feed.ts';
import { Pipeline, type PipelineOptions, type SignalCounts } from './pipeline.ts';
import { DiskLane } from './queue/disk-lane.ts';
import { readMachineId, resourceOf } from './resource.ts';
import { type Mark, ToldJournal } from './told-journal.ts';
import type { Span } from './traces/spans.ts';
import { TraceBook } from './traces/trace-book.ts';

export interface OtlpSinkOptions extends Pick<PipelineOptions, 'files' | 'backoff' | 'diskRetryMs'> {
  readonly host: string;
  readonly version: string;
  /** The spool is made under it. */
  readonly stateDirectory: string;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
  /** The steady clock, epoch ms. */
  readonly now: () => number;
  /** File with the machine id, for host.id. */
  readonly machineIdPath?: string;
  /** All that is told is made up. */
  readonly simulated?: boolean;
  /** How long a file operation may take before the disk counts as hanging. */
  readonly diskDeadlineMs?: number;
  /** The daemon's metrics about itself, asked for once per export interval. */
  readonly selfMetrics?: () => Promise<ResourceMetrics>;
  /** How long a link of an open incident must be over before its span is sent. */
  readonly settleMs?: number;
  /** What an earlier run knew of incidents last, those that changed last at the end. */
  readonly known?: readonly Incident[];
  /** What the incident log holds behind this revision, or from its beginning. */
  readonly loggedAfter?: (mark: Mark | null) => Promise<readonly Logged[]>;
}

export interface OtlpCounters {
  /** A signal that is off is null. */
  readonly metrics: SignalCounts | null;
  readonly logs: SignalCounts | null;
  readonly traces: SignalCounts | null;
  /** Series that are sent, and aggregates that found no place under the cap. */
  readonly series: number;
  readonly seriesLeftOut: number;
}

const TICK_MS = 1_000;
const MOST_RECORDS = 512;
const GRACE_MS = 400;

/** Everything is ready when it resolves; nothing is sent before `start`. */
export async function createOtlpSink(config: OtlpConfig, options: OtlpSinkOptions): Promise<OtlpSink> {
  // A made-up host is not the machine that it is made up on.
  const made = options.simulated === true ? 'simulated' : null;
  const machineId = made === null ? await readMachineId(options.machineIdPath ?? '/etc/machine-id') : null;
  const lane = new DiskLane(options.diskDeadlineMs ?? 2_000);
  const told = config.logs === null && config.traces === null ? NOTHING_TOLD : await takeUp(lane, options);
  return new OtlpSink(
    config,
    { ...options, lane, ...told },
    resourceOf(config, options.host, options.version, machineId, made),
  );
}

interface TakenUp {
  /** Null where no incident is sent. */
  readonly journal: ToldJournal | null;
  /** What an earlier run wrote to the incident log and did not bring to the spool any more. */
  readonly untold: readonly Logged[];
}

const NOTHING_TOLD: TakenUp = { journal: null, untold: [] };

async function takeUp(lane: DiskLane, { stateDirectory, known = [], loggedAfter }: OtlpSinkOptions): Promise<TakenUp> {
  const journal = new ToldJournal(join(stateDirectory, 'spool', 'otlp', 'told'), lane);
  if (await journal.open()) return { journal, untold: (await loggedAfter?.(journal.mark).catch(() => [])) ?? [] };
  // Where nothing was sent before, the history stays history.
  const last = known.at(-1);
  await journal.begin(last === undefined ? null : { id: last.id, revision: last.revision });
  return { journal, untold: [] };
}

export class OtlpSink implements Sink {
  readonly name = 'otlp';
  readonly #now: () => number;
  readonly #resource: Resource;
  readonly #selfMetrics: OtlpSinkOptions['selfMetrics'];
  readonly #metrics: Pipeline | null;
  readonly #logs: Pipeline | null;
  readonly #traces: Pipeline | null;
  readonly #feed: MetricFeed | null;
  readonly #batch: LogBatch;
  readonly #book: TraceBook | null;
  readonly #journal: ToldJournal | null;
  #untold: readonly Logged[];
  /** The revision that was handed to the spool last, and that of which it is written down. */
  #last: Mark | null = null;
  #marked: Mark | null = null;
  #unmarked = false;
  #marking: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(config: OtlpConfig, options: OtlpSinkOptions & TakenUp & { lane: DiskLane }, resource: Resource) {
    const { host: _, stateDirectory, lane, journal, untold, settleMs, version, now, known = [] } = options;
    const common = {
      ...options,
      directory: join(stateDirectory, 'spool', 'otlp'),
      lane,
      userAgent: `faultline/${version}`,
    };
    const { metrics, logs, traces, spool } = config;
    const origin: Origin = { resource, scope: { name: 'faultline', version } };
    this.#now = now;
    this.#resource = resource;
    this.#selfMetrics = options.selfMetrics;
    this.#metrics = metrics && new Pipeline({ ...common, signal: 'metrics', target: metrics, caps: spool.metrics });
    this.#logs = logs && new Pipeline({ ...common, signal: 'logs', target: logs, caps: spool.logs });
    this.#traces = traces && new Pipeline({ ...common, signal: 'traces', target: traces, caps: spool.traces });
    this.#feed = metrics && new MetricFeed({ ...metrics, resource, version, now });
    this.#batch = new LogBatch({ origin, ratio: traces?.ratio ?? 0, now });
    const settle = settleMs === undefined ? {} : { settleMs };
    const sent = journal?.spans ?? new Map<string, Set<string>>();
    this.#book = traces && new TraceBook({ origin, ratio: traces.ratio, now, sent, ...settle });
    this.#journal = journal;
    this.#untold = untold;
    const waits = new Set(untold.flatMap((entry) => ('incident' in entry ? [entry.incident.id] : [])));
    for (const incident of known) if (!waits.has(incident.id)) this.#book?.restore(incident);
  }

  start(signal: AbortSignal): void {
    if (this.#timer !== null || signal.aborted) return;
    for (const pipeline of this.#pipelines()) pipeline.start();
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
    for (const entry of this.#untold) {
      if ('incident' in entry) this.#tell(entry.incident);
      else this.#batch.event(entry.event);
    }
    this.#untold = [];
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
    this.#tell(incident);
  }

  #tell(incident: Incident): void {
    if (this.#book !== null) this.#sendSpans(this.#book.incident(incident));
    if (this.#logs !== null) this.#batch.incident(incident);
    this.#flushSoon(incident);
  }

  /** Goes out at once: the job stands still. */
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

  /** Metrics that somebody else collected, on the same path, as said by this host's resource. */
  send({ scopeMetrics }: Pick<ResourceMetrics, 'scopeMetrics'>): void {
    const metrics = { resource: this.#resource, scopeMetrics };
    const all = scopeMetrics.flatMap((scope) => scope.metrics);
    const points = all.reduce((sum, metric) => sum + metric.dataPoints.length, 0);
    if (this.#metrics !== null) this.#metrics.push(ProtobufMetricsSerializer.serializeRequest(metrics), points);
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

  /** What self-metrics tell of the exports, one entry a signal. */
  counts(): SinkCounts[] {
    return [...this.#named()].map(([signal, pipeline]) => {
      const counts = pipeline.counts();
      return {
        sink: `otlp/${signal}`,
        exports: {
          success: counts.sentRequests - counts.partialRequests,
          partial: counts.partialRequests,
          retried: counts.retries,
          rejected: counts.refusedRequests,
          dropped: counts.droppedRequests,
        },
        waitingBytes: counts.memoryBytes + counts.spoolBytes,
      };
    });
  }

  health(): SinkHealth {
    const parts: string[] = [];
    let status: SinkHealth['status'] = 'works';
    for (const [name, pipeline] of this.#named()) {
      const { sentRequests, waitingRequests, spoolBytes, droppedItems, rejectedItems, refusedItems } =
        pipeline.counts();
      const lost = droppedItems + rejectedItems + refusedItems;
      const why = pipeline.trouble.why;
      if (why !== null) status = 'failing';
      const told = [
        `${name}: ${sentRequests} requests sent`,
        ...(waitingRequests > 0 ? [`${waitingRequests} waiting (${spoolBytes} bytes on disk)`] : []),
        ...(lost > 0 ? [`${lost} items lost`] : []),
        ...(why === null ? [] : [why]),
      ];
      parts.push(told.join(', '));
    }
    return { sink: this.name, status, detail: parts.join('; ') };
  }

  /** Sends or keeps what there is, within a second. */
  async stop(): Promise<void> {
    if (this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
    this.#sendMetrics(true);
    this.#sendLogs(true);
    this.#sendSpans(this.#book?.due() ?? []);
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, 1_000);
    });
    const stopped = Promise.all([...this.#pipelines()].map((pipeline) => pipeline.stop(GRACE_MS)));
    await Promise.race([limit, stopped.then(() => this.#mark())]);
    clearTimeout(timer);
  }

  *#named(): Iterable<readonly [string, Pipeline]> {
    if (this.#metrics !== null) yield ['metrics', this.#metrics];
    if (this.#logs !== null) yield ['logs', this.#logs];
    if (this.#traces !== null) yield ['traces', this.#traces];
  }

  *#pipelines(): Iterable<Pipeline> {
    for (const [, pipeline] of this.#named()) yield pipeline;
  }

  #tick(): void {
    this.#sendMetrics(false);
    this.#sendLogs(false);
    if (this.#book === null) return;
    this.#sendSpans(this.#book.due());
    void this.#mark();
  }

  /** An incident goes out at once, together with what else this turn of the event loop brings. */
  #flushSoon({ id: incidentId, revision }: Incident): void {
    const startMs = this.wantsWork ? this.#now() : 0;
    const spooled = (onDisk: boolean): void => {
      const skipped = onDisk ? {} : { skipped: 'the disk does not take it; it waits in memory' };
      this.work({ name: 'Exporter/Spool', incidentId, revision, startMs, endMs: this.#now(), ...skipped });
    };
    setImmediate(() => {
      this.#sendLogs(false);
      this.#last = { id: incidentId, revision };
      if (this.wantsWork) void this.#logs?.flushed().then(spooled);
      void this.#mark();
    });
  }

  /** Writes down which revision the spool has, with all that was told before it, and the spans that they settled. */
  #mark(): Promise<void> {
    this.#unmarked = true;
    this.#marking ??= this.#markAll().finally(() => {
      this.#marking = null;
    });
    return this.#marking;
  }

  async #markAll(): Promise<void> {
    while (this.#unmarked && this.#journal !== null) {
      this.#unmarked = false;
      const last = this.#last;
      const spans = this.#book?.unnoted ?? 0;
      const flushed = await Promise.all([this.#logs?.flushed(), this.#traces?.flushed()]);
      if (flushed.includes(false)) continue;
      await this.#journal.add(this.#book?.takeUnnoted(spans) ?? [], last === this.#marked ? null : last);
      this.#marked = last;
    }
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
    for (const { bytes, points } of this.#feed.next()) this.#metrics.push(bytes, points);
    void this.#selfMetrics?.().then(
      (metrics) => this.send(metrics),
      () => undefined, // they count what they cannot collect themselves
    );
    if (this.#feed.leftOut > 0) this.#metrics.trouble.leftOut(this.#feed.size);
  }
}
