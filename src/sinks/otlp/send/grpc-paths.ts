// gRPC paths: service and method of opentelemetry.proto.collector, by signal.

export const GRPC_PATHS = {
  metrics: '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export',
  logs: '/opentelemetry.proto.collector.logs.v1.LogsService/Export',
  traces: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
} as const;
