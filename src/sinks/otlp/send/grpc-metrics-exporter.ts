// gRPC metrics exporter: the OpenTelemetry SDK's own, for the same target as the requests of the spool. Loaded for gRPC only.

import { resolve as resolvePath } from 'node:path';
import { Metadata } from '@grpc/grpc-js';
import { DiagLogLevel, diag } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-grpc';
import type { ResourceMetrics } from '@opentelemetry/sdk-metrics';
import { grpcCredentials } from '../../delivery/send/grpc/grpc-credentials.ts';
import { useNameBook } from '../../delivery/send/grpc/grpc-names.ts';
import { oneLine, type Taken, taken } from '../../delivery/send/outcome.ts';
import { parseKeyValues } from '../key-values.ts';
import type { MetricsExporter } from '../metrics/self-export.ts';
import type { OtlpTarget } from '../settings.ts';

type Compression = NonNullable<NonNullable<ConstructorParameters<typeof OTLPMetricExporter>[0]>['compression']>;

/** ExportResultCode of @opentelemetry/core. */
const SUCCESS = 0;
const HEADER_VARIABLES = ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_METRICS_HEADERS'];

export class GrpcMetricsExporter implements MetricsExporter {
  readonly #target: OtlpTarget;
  readonly #timeoutMs: number;
  readonly #userAgent: string;
  #exporter: OTLPMetricExporter | null = null;

  /** `intervalMs`: how often there are metrics to export; one export does not last longer. */
  constructor(target: OtlpTarget, intervalMs: number, userAgent: string) {
    this.#target = target;
    this.#timeoutMs = Math.min(target.timeoutMs, intervalMs);
    this.#userAgent = userAgent;
  }

  /** One at a time. */
  async export(metrics: ResourceMetrics): Promise<Taken | null> {
    try {
      this.#exporter ??= await this.#connect();
      const exporter = this.#exporter;
      const rejected = hearRejected();
      const done = await new Promise<boolean>((resolve) => {
        exporter.export(metrics, ({ code }) => resolve(code === SUCCESS));
      });
      if (done) return taken(rejected.points, rejected.message);
      this.close(); // a new one reads the certificates again and makes a new connection
      return null;
    } catch {
      this.close();
      return null; // a certificate that cannot be read; the spool's transport meets the same and reports it
    }
  }

  close(): void {
    void this.#exporter?.shutdown().catch(() => undefined);
    this.#exporter = null;
  }

  async #connect(): Promise<OTLPMetricExporter> {
    useNameBook();
    const { endpoint, headers, compression } = this.#target;
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
    return new OTLPMetricExporter({
      // It wants three slashes before the path of a unix socket.
      url: endpoint.startsWith('unix:')
        ? `unix://${resolvePath(endpoint.replace(/^unix:\/*(?=\/)|^unix:/, ''))}`
        : endpoint,
      credentials: await grpcCredentials(this.#target),
      metadata,
      compression: compression as Compression, // the enum's values are these words
      timeoutMillis: this.#timeoutMs,
      userAgent: this.#userAgent,
    });
  }
}

/** What the collector rejects from now on: the exporter writes a partial success to the SDK's log, as JSON, and nowhere else. */
function hearRejected(): { points: number; message: string } {
  const heard = { points: 0, message: '' };
  const warn = (...words: unknown[]): void => {
    const found = words.map((word) => /"rejectedDataPoints":"?(\d{1,15})/.exec(String(word))).find(Boolean);
    if (found == null) return;
    heard.points = Number(found[1]);
    heard.message = oneLine(/"errorMessage":"((?:[^"\\]|\\.)*)"/.exec(found.input)?.[1] ?? '');
  };
  const nothing = (): void => {};
  const logger = { error: nothing, warn, info: nothing, debug: nothing, verbose: nothing };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  return heard;
}

/**
 * Whether the exporter would send headers that are not in force: it adds those of OpenTelemetry's variables, also where the
 * configuration file has headers of its own, which leave the variables out.
 */
export function addsHeaders(target: OtlpTarget, environment: Readonly<Record<string, string | undefined>>): boolean {
  return HEADER_VARIABLES.some((variable) => {
    const text = environment[variable]?.trim() ?? '';
    const pairs = text === '' ? {} : parseKeyValues(text);
    return pairs === null || Object.keys(pairs).some((name) => !(name.toLowerCase() in target.headers));
  });
}
