// The otlp section that is in force.

/** Where and how the requests of one signal are sent. */
export interface OtlpTarget {
  /** Over gRPC scheme and authority or a unix: address; over HTTP the whole URL. */
  readonly endpoint: string;
  readonly protocol: 'grpc' | 'http/protobuf';
  readonly tls: boolean;
  /** Lower-case names; the values may be secret. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly compression: 'none' | 'gzip';
  readonly caFile: string | null;
  readonly certificateFile: string | null;
  readonly keyFile: string | null;
}

export interface OtlpSpoolCaps {
  readonly maxBytes: number;
  readonly maxAgeMs: number;
}

/** A signal that is null is off. */
export interface OtlpConfig {
  readonly serviceName: string;
  readonly resourceAttributes: Readonly<Record<string, string>>;
  readonly metrics: (OtlpTarget & { readonly intervalMs: number; readonly maxSeries: number }) | null;
  readonly logs: OtlpTarget | null;
  /** `ratio`: share of incidents that get a trace, 0 to 1. */
  readonly traces: (OtlpTarget & { readonly ratio: number; readonly calls: 'incident' | 'all' }) | null;
  readonly spool: { readonly metrics: OtlpSpoolCaps; readonly logs: OtlpSpoolCaps; readonly traces: OtlpSpoolCaps };
}
