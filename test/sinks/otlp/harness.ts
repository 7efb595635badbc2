// Harness: a sink against a collector of these tests, with short waits, and what the tests feed it.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Backoff } from '../../../src/sinks/delivery/send/backoff.ts';
import { createOtlpSink, type OtlpSink, type OtlpSinkOptions } from '../../../src/sinks/otlp/otlp-sink.ts';
import type { OtlpConfig, OtlpTarget } from '../../../src/sinks/otlp/settings.ts';
import { until as wait } from '../../until.ts';

export const MIB = 1024 * 1024;

export function target(endpoint: string, more: Partial<OtlpTarget> = {}): OtlpTarget {
  return {
    endpoint,
    protocol: 'grpc',
    tls: endpoint.startsWith('https:'),
    headers: {},
    timeoutMs: 5_000,
    compression: 'none',
    caFile: null,
    certificateFile: null,
    keyFile: null,
    ...more,
  };
}

export function otlpConfig(port: number, more: Partial<OtlpTarget> = {}, intervalMs = 1_000): OtlpConfig {
  const scheme = more.tls === true ? 'https' : 'http';
  const base = `${scheme}://127.0.0.1:${port}`;
  const of = (signal: string) => target(more.protocol === 'http/protobuf' ? `${base}/v1/${signal}` : base, more);
  const caps = { maxBytes: 16 * MIB, maxAgeMs: 86_400_000 };
  return {
    serviceName: 'faultline',
    resourceAttributes: { 'k8s.node.name': 'node-3' },
    metrics: { ...of('metrics'), intervalMs, maxSeries: 1000 },
    logs: of('logs'),
    traces: { ...of('traces'), calls: 'incident', ratio: 1 },
    spool: { metrics: caps, logs: caps, traces: caps },
  };
}

export function stateDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'fl-otlp-'));
}

/** Codes of what was logged, in order. */
export interface Reports {
  readonly logger: OtlpSinkOptions['logger'];
  readonly codes: string[];
  readonly lines: string[];
}

export function reports(): Reports {
  const codes: string[] = [];
  const lines: string[] = [];
  const log = (fields: unknown, text?: unknown) => {
    codes.push(String((fields as { code?: string }).code)); // every line of the sink has a code
    lines.push(String(text));
  };
  return { logger: { warn: log, info: log } as OtlpSinkOptions['logger'], codes, lines }; // only these two are called
}

export async function startSink(
  config: OtlpConfig,
  directory: string,
  logger: OtlpSinkOptions['logger'],
  more: Partial<OtlpSinkOptions> = {},
): Promise<OtlpSink> {
  const sink = await createOtlpSink(config, {
    host: 'node-3',
    version: '1.2.3',
    stateDirectory: directory,
    logger,
    now: Date.now,
    machineIdPath: '/nonexistent',
    backoff: () => new Backoff(() => 0, 20, 50),
    diskRetryMs: 20,
    ...more,
  });
  sink.start(new AbortController().signal);
  return sink;
}

/** Waits until `is` holds; fails with what `seen` shows when it does not within the limit. */
export function until(is: () => boolean, seen: () => unknown, limitMs = 60_000): Promise<true> {
  return wait(is, { seen, limitMs });
}
