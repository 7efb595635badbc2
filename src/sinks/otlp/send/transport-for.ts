// Transport for a target: gRPC or HTTP; grpc-js is loaded with the first message that goes over gRPC.

import { partialSuccess, protoFields } from '../../delivery/send/grpc/reply-fields.ts';
import { HttpTransport } from '../../delivery/send/http-transport.ts';
import { LateTransport } from '../../delivery/send/late-transport.ts';
import type { Transport } from '../../delivery/send/transport.ts';
import type { MetricsExporter } from '../metrics/self-export.ts';
import type { Signal } from '../otel-environment.ts';
import type { OtlpConfig, OtlpTarget } from '../settings.ts';
import { GRPC_PATHS } from './grpc-paths.ts';

export function transportFor(signal: Signal, target: OtlpTarget, userAgent: string): Transport {
  if (target.protocol === 'http/protobuf') {
    const contentType = 'application/x-protobuf';
    return new HttpTransport({
      target,
      contentType,
      userAgent,
      untraced: signal === 'traces',
      partial: partialSuccess,
      reason: statusMessage,
    });
  }
  return new LateTransport(async () => {
    const { GrpcTransport } = await import('../../delivery/send/grpc/grpc-transport.ts');
    return new GrpcTransport({
      target,
      path: GRPC_PATHS[signal],
      userAgent,
      untraced: signal === 'traces',
      partial: partialSuccess,
    });
  });
}

/** The SDK's exporter of metrics; null where metrics are off or do not go over gRPC. It takes nothing where it would add headers of its own. */
export function metricsExporterFor(target: OtlpConfig['metrics'], userAgent: string): MetricsExporter | null {
  if (target?.protocol !== 'grpc') return null;
  const make = async (): Promise<MetricsExporter | null> => {
    const { addsHeaders, GrpcMetricsExporter } = await import('./grpc-metrics-exporter.ts');
    return addsHeaders(target, process.env) ? null : new GrpcMetricsExporter(target, target.intervalMs, userAgent);
  };
  let made: Promise<MetricsExporter | null> | null = null;
  return {
    async export(metrics) {
      made ??= make();
      return (await made)?.export(metrics) ?? null;
    },
    close: () => void made?.then((exporter) => exporter?.close()),
  };
}

/** The message of the google.rpc.Status that OTLP servers put into the body, else the body as text. */
function statusMessage(body: Buffer): string {
  const message = protoFields(body)?.find((field) => field.number === 2)?.bytes;
  return Buffer.from(message ?? body.subarray(0, 200)).toString('utf8');
}
