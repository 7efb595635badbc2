// Export preview: where OTLP would go and what would be in it, from a second of a made-up host; nothing is sent and no file is written.

import { hostname } from 'node:os';
import type { Config } from '../../daemon/config.ts';
import { plain } from '../../model/plain.ts';
import { redactAddress } from '../../model/redact.ts';
import { LogBatch } from '../../sinks/otlp/logs/log-batch.ts';
import type { Origin } from '../../sinks/otlp/logs/log-records.ts';
import { MetricFeed } from '../../sinks/otlp/metrics/metric-feed.ts';
import { resourceOf } from '../../sinks/otlp/resource.ts';
import type { OtlpConfig, OtlpTarget } from '../../sinks/otlp/settings.ts';
import { TraceBook } from '../../sinks/otlp/traces/trace-book.ts';
import type { SeriesAggregate } from '../../sinks/sink.ts';
import { readProtobuf } from '../../sources/otlp-in/wire/read-protobuf.ts';
import { METRICS } from '../../sources/otlp-in/wire/shapes.ts';
import { attributesOf } from '../../sources/otlp-in/wire/values.ts';
import { playExample } from '../patterns/play-example.ts';

const GPU = 'gpu/0000:9b:00.0';
/** Of one second: what the sources of the made-up host read. */
const READ: readonly (readonly [key: string, value: number])[] = [
  [`${GPU}#power`, 412.5],
  [`${GPU}#temperature`, 88],
  [`${GPU}#sm_clock`, 1_095_000_000],
  [`${GPU}#utilization`, 0.98],
  ['pdu_phase/pdu-b/1#voltage', 229.8],
  ['psu/node-3/1#power', 1640],
  ['job/llama#step_time', 0.897],
];
const LONGEST = 160;

/** Lines for people; null where nothing is exported over OTLP. */
export function exportPreview({ otlp }: Config, version: string, nowMs: number): string[] | null {
  if (otlp === null) return null;
  const resource = resourceOf(otlp, hostname(), version, null, 'simulated');
  const origin: Origin = { resource, scope: { name: 'faultline', version } };
  const [open] = playExample([
    [0, 'gpu.thermal_throttle', GPU, { quantity: 'SM clock', before: 1_980_000_000, after: 1_095_000_000, unit: 'Hz' }],
    [20, 'job.throughput_drop', 'job/llama', { quantity: 'step time', before: 0.412, after: 0.897, unit: 's' }],
  ]);
  if (open === undefined) throw new Error('the made-up second has no incident'); // its events are those above
  const resolvedMs = open.updatedMs + 60_000;
  const incidents = [open, { ...open, state: 'resolved' as const, resolvedMs, revision: open.revision + 1 }];
  const context = { otlp, origin, version, nowMs, incidents };
  return [
    'What OTLP would be sent, made from one second of a made-up host with one incident. Nothing is sent.',
    '',
    `resource  ${Object.entries(resource.attributes)
      .map(([key, value]) => `${key}=${shown(value)}`)
      .join(' ')}`,
    ...metricLines(context),
    ...logLines(context),
    ...traceLines(context),
  ];
}

interface Context {
  readonly otlp: OtlpConfig;
  readonly origin: Origin;
  readonly version: string;
  readonly nowMs: number;
  readonly incidents: ReturnType<typeof playExample>;
}

function metricLines({ otlp: { metrics }, origin, version, nowMs, incidents }: Context): string[] {
  if (metrics === null) return off('metrics');
  // As at the end of an interval.
  let clockMs = nowMs - metrics.intervalMs;
  const { resource } = origin;
  const feed = new MetricFeed({ ...metrics, resource, version, now: () => clockMs });
  for (const incident of incidents.slice(0, 1)) feed.incident(incident);
  feed.series(READ.map(([key, value]) => aggregate(key, value, nowMs)));
  clockMs = nowMs;
  const requests = [...feed.next()];
  const lines = requests.flatMap(({ bytes }) =>
    (readProtobuf(bytes, METRICS).resourceMetrics ?? []).flatMap(({ scopeMetrics = [] }) =>
      scopeMetrics
        .flatMap((scope) => scope.metrics ?? [])
        .flatMap(({ name = '', unit = '', gauge, sum }) =>
          ((gauge ?? sum)?.dataPoints ?? []).map((point) => {
            const attributes = [...attributesOf(point.attributes)].map(([key, value]) => `${key}=${shown(value)}`);
            return line(`${name} ${point.asDouble ?? point.asInt ?? ''} ${unit}`, attributes);
          }),
        ),
    ),
  );
  const points = requests.reduce((sum, each) => sum + each.points, 0);
  const size = requests.reduce((sum, { bytes }) => sum + bytes.length, 0);
  return [
    ...target(`metrics   every ${metrics.intervalMs / 1000} s`, metrics),
    `          ${points} points, ${size} bytes:`,
    ...lines,
  ];
}

function logLines({ otlp: { logs, traces }, origin, nowMs, incidents }: Context): string[] {
  if (logs === null) return off('logs');
  const batch = new LogBatch({ origin, ratio: traces?.ratio ?? 0, now: () => nowMs });
  for (const incident of incidents) {
    for (const event of incident.state === 'open' ? incident.events : []) batch.event(event);
    batch.incident(incident);
  }
  const records = batch
    .take(512, true)
    .map(({ eventName, severityText, body, spanContext, attributes }) =>
      line(`${eventName} ${severityText} trace=${spanContext?.traceId ?? 'none'} ${shown(body)}`, keysOf(attributes)),
    );
  return [...target('logs      ', logs), `          ${records.length} records:`, ...records];
}

function traceLines({ otlp: { traces }, origin, nowMs, incidents }: Context): string[] {
  if (traces === null) return off('traces');
  const book = new TraceBook({ origin, ratio: 1, now: () => nowMs });
  const spans = incidents
    .flatMap((incident) => book.incident(incident))
    .map(({ name, spanContext, links, attributes }) =>
      line(`${name} trace=${spanContext().traceId} ${links.length} links`, keysOf(attributes)),
    );
  const share = traces.ratio === 1 ? '' : `of ${traces.ratio * 100} % of the incidents`;
  return [...target(`traces    ${share}`, traces), `          ${spans.length} spans:`, ...spans];
}

function target(begins: string, to: OtlpTarget): string[] {
  const names = Object.keys(to.headers);
  const files = [to.caFile, to.certificateFile].filter((path) => path !== null);
  const parts = [
    `to ${redactAddress(to.endpoint)} over ${to.protocol}`,
    to.tls ? `TLS${files.length === 0 ? '' : ` (${files.join(', ')})`}` : 'no TLS',
    `compression ${to.compression}`,
    `time-out ${to.timeoutMs / 1000} s`,
    names.length === 0 ? 'no headers' : `headers ${names.join(', ')} (their values are not shown)`,
  ];
  return ['', `${begins.trimEnd().padEnd(9)} ${parts.join(', ')}`];
}

function off(signal: string): string[] {
  return ['', `${signal.padEnd(9)} off: none are sent`];
}

function aggregate(key: string, value: number, timeMs: number): SeriesAggregate {
  return { key, count: 2, min: value, max: value, mean: value, last: value, lastTimeMs: timeMs - 500 };
}

function keysOf(attributes: object | undefined): string[] {
  return Object.entries(attributes ?? {}).map(([key, value]) => `${key}=${shown(value)}`);
}

function line(head: string, attributes: readonly string[]): string {
  const rest =
    attributes.length === 0 ? '' : `  {${attributes.slice(0, 12).join(' ')}${attributes.length > 12 ? ' …' : ''}}`;
  return `  ${plain(head, LONGEST)}${rest}`;
}

function shown(value: unknown): string {
  return plain(typeof value === 'object' ? JSON.stringify(value) : String(value), 64);
}
