// Signals: the three things that OTLP carries, each with its paths, its shape, and the door behind which it is used.

import type { Sender } from '../../sender.ts';
import type { Fields, Shape } from '../wire/shape.ts';
import { LOGS, type LogsRequest, METRICS, type MetricsRequest, TRACES, type TracesRequest } from '../wire/shapes.ts';

/** What of a request was not taken: how many spans, points or records, and why; nothing: 0 and an empty text. */
export interface Taken {
  readonly rejected: number;
  readonly why: string;
}
export const ALL_TAKEN: Taken = { rejected: 0, why: '' };

/** Who uses what comes; one that is left out refuses its signal. Must not throw and must not keep the request. */
export interface Doors {
  readonly traces?: (request: TracesRequest, sender: Sender) => Taken;
  readonly metrics?: (request: MetricsRequest, sender: Sender) => Taken;
  readonly logs?: (request: LogsRequest, sender: Sender) => Taken;
}

export interface SignalKind {
  readonly name: keyof Doors;
  readonly httpPath: string;
  readonly grpcPath: string;
  readonly shape: Shape<Fields>;
  take(doors: Doors, request: unknown, sender: Sender): Taken | null;
}

const service = (name: string) => `/opentelemetry.proto.collector.${name}/Export`;

export const SIGNALS: readonly SignalKind[] = [
  {
    name: 'traces',
    httpPath: '/v1/traces',
    grpcPath: service('trace.v1.TraceService'),
    shape: TRACES,
    take: (doors, request, sender) => doors.traces?.(request as TracesRequest, sender) ?? null, // decoded by its shape
  },
  {
    name: 'metrics',
    httpPath: '/v1/metrics',
    grpcPath: service('metrics.v1.MetricsService'),
    shape: METRICS,
    take: (doors, request, sender) => doors.metrics?.(request as MetricsRequest, sender) ?? null, // decoded by its shape
  },
  {
    name: 'logs',
    httpPath: '/v1/logs',
    grpcPath: service('logs.v1.LogsService'),
    shape: LOGS,
    take: (doors, request, sender) => doors.logs?.(request as LogsRequest, sender) ?? null, // decoded by its shape
  },
];
