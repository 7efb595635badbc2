// The otlp section that is in force: the file first, then OpenTelemetry's variables, then the defaults. Null means off.

import type { Surroundings } from '../../config/directories.ts';
import type { Findings } from '../../config/findings.ts';
import { parseDuration, parseSize } from '../../config/quantity.ts';
import type { FromSchema } from '../../config/schema-parts.ts';
import { readSecret } from '../../config/secret.ts';
import { writtenOutText } from '../../config/written-secrets.ts';
import { redactAddress } from '../../model/redact.ts';
import { parseKeyValues } from './key-values.ts';
import { OtelEnvironment, type Signal } from './otel-environment.ts';
import { otlp } from './schema.ts';
import type { OtlpConfig, OtlpTarget } from './settings.ts';

type RawOtlp = FromSchema<typeof otlp>;

const ENDPOINT_INSTEAD = 'Write: endpoint: https://collector:4317, and put the secret into headers_file';
const TIMEOUT_MS = 10_000;
const INTERVAL_MS = 10_000;
const HEADER_NAME = /^[a-z0-9!#$%&'*+.^_`|~-]{1,128}$/;

export function resolveOtlp(
  raw: RawOtlp,
  environment: Surroundings['environment'],
  absolute: (path: string) => string,
  findings: Findings,
): OtlpConfig | null {
  const variables = new OtelEnvironment(environment, findings);
  refuseUsers(raw, findings);
  if (variables.flag('OTEL_SDK_DISABLED')) return null;
  const fileHeaders = headersOf(raw, absolute, findings);
  const target = (signal: Signal): OtlpTarget | null => {
    const enabled = raw[signal].enabled ?? (variables.exports(signal) ? 'on' : 'off');
    return enabled === 'off' ? null : targetOf(signal, raw, fileHeaders, variables, absolute, findings);
  };
  const [metrics, logs, traces] = [target('metrics'), target('logs'), target('traces')];
  if (metrics === null && logs === null && traces === null) return null;
  const percent = raw.traces.sample_percent;
  const ratio = percent === undefined ? (variables.traceRatio() ?? 1) : percent / 100;
  const intervalMs =
    duration(raw.metrics.interval) ??
    variables.milliseconds('OTEL_METRIC_EXPORT_INTERVAL', 1000, 3_600_000) ??
    INTERVAL_MS;
  const bytes = (text: string) => parseSize(text) ?? 0; // the schema lets only sizes through
  const ages = { metrics: duration(raw.spool.metrics_max_age) ?? 0, rest: duration(raw.spool.max_age) ?? 0 };
  return {
    serviceName: raw.service_name ?? variables.text('OTEL_SERVICE_NAME') ?? 'faultline',
    resourceAttributes: attributesOf(raw, variables, findings),
    metrics: metrics === null ? null : { ...metrics, intervalMs, maxSeries: raw.metrics.max_series },
    logs,
    traces: traces === null || ratio === 0 ? null : { ...traces, ratio, calls: raw.traces.calls },
    spool: {
      metrics: { maxBytes: bytes(raw.spool.metrics_max_bytes), maxAgeMs: ages.metrics },
      logs: { maxBytes: bytes(raw.spool.logs_max_bytes), maxAgeMs: ages.rest },
      traces: { maxBytes: bytes(raw.spool.traces_max_bytes), maxAgeMs: ages.rest },
    },
  };
}

/** Also where the signal is off: `config print` would show it. */
function refuseUsers(raw: RawOtlp, findings: Findings): void {
  const written = [raw.endpoint, raw.metrics.endpoint, raw.logs.endpoint, raw.traces.endpoint];
  for (const [i, pointer] of ['', '/metrics', '/logs', '/traces'].entries()) {
    const text = written[i];
    if (text === undefined || redactAddress(text) === text) continue;
    const at = `/otlp${pointer}/endpoint`;
    const [address = ''] = text.split('?');
    // A key in the query may come out of a variable; a user cannot be sent that way at all.
    if (redactAddress(address) === address && findings.expanded(at)) continue;
    findings.problem('FL1109', at, `holds a secret. ${ENDPOINT_INSTEAD}`);
  }
}

function duration(text: string | undefined): number | undefined {
  return text === undefined ? undefined : (parseDuration(text) ?? undefined);
}

function targetOf(
  signal: Signal,
  raw: RawOtlp,
  fileHeaders: Readonly<Record<string, string>> | null,
  variables: OtelEnvironment,
  absolute: (path: string) => string,
  findings: Findings,
): OtlpTarget | null {
  const protocol = raw.protocol ?? variables.protocol(signal) ?? 'grpc';
  const inFile = raw[signal].endpoint ?? raw.endpoint;
  const common = raw.endpoint ?? (inFile === undefined ? variables.common('ENDPOINT') : undefined);
  const own = raw[signal].endpoint ?? (inFile === undefined ? variables.own(signal, 'ENDPOINT') : undefined);
  const text = own ?? common;
  if (text === undefined) return null;
  const insecure = variables.own(signal, 'INSECURE') ?? variables.common('INSECURE');
  const place = endpointOf(text, protocol, own === undefined ? signal : null, insecure?.toLowerCase() === 'true');
  const pointer = raw[signal].endpoint === undefined ? '/otlp/endpoint' : `/otlp/${signal}/endpoint`;
  if (place === null) {
    const wanted = 'must be a URL. Write: endpoint: http://localhost:4317';
    if (inFile !== undefined && redactAddress(inFile) === inFile) findings.problem('FL1106', pointer, wanted);
    else if (inFile === undefined)
      variables.ignored(
        own === undefined ? 'OTEL_EXPORTER_OTLP_ENDPOINT' : `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_ENDPOINT`,
        'a URL',
      );
    return null;
  }
  const file = (path: string | undefined, name: string): string | null => {
    const variable = variables.own(signal, name) ?? variables.common(name);
    return path === undefined ? (variable ?? null) : absolute(path);
  };
  const certificateFile = file(raw.certificate_file, 'CLIENT_CERTIFICATE');
  const keyFile = file(raw.key_file, 'CLIENT_KEY');
  if ((certificateFile === null) !== (keyFile === null))
    findings.problem('FL1110', '/otlp', 'needs certificate_file and key_file together. Add the one that is missing');
  return {
    ...place,
    protocol,
    headers: fileHeaders ?? variableHeaders(signal, variables),
    timeoutMs: duration(raw.timeout) ?? variables.timeoutMs(signal) ?? TIMEOUT_MS,
    compression: raw.compression ?? variables.compression(signal) ?? 'none',
    caFile: file(raw.ca_file, 'CERTIFICATE'),
    certificateFile,
    keyFile,
  };
}

/** `common`: the signal whose path is put after a base URL; null where the URL is the signal's own. */
function endpointOf(
  text: string,
  protocol: OtlpTarget['protocol'],
  common: Signal | null,
  insecure: boolean,
): Pick<OtlpTarget, 'endpoint' | 'tls'> | null {
  if (protocol === 'grpc' && /^unix:\/{0,3}[^\s]+$/.test(text)) return { endpoint: text, tls: false };
  const bare = protocol === 'grpc' && /^[A-Za-z0-9.[\]:_-]+:\d{1,5}$/.test(text);
  const full = bare ? `${insecure ? 'http' : 'https'}://${text}` : text;
  if (!URL.canParse(full)) return null;
  const url = new URL(full);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null;
  if (url.username !== '' || url.password !== '') return null; // credentials belong into headers
  const tls = url.protocol === 'https:';
  if (protocol === 'grpc') {
    const port = url.port === '' ? (tls ? ':443' : ':80') : '';
    return { endpoint: `${url.protocol}//${url.host}${port}`, tls };
  }
  if (common !== null) url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/${common}`;
  return { endpoint: url.href, tls };
}

function headersOf(
  raw: RawOtlp,
  absolute: (path: string) => string,
  findings: Findings,
): Readonly<Record<string, string>> | null {
  let text = raw.headers;
  if (raw.headers_file !== undefined) {
    if (text !== undefined) findings.problem('FL1110', '/otlp/headers', 'and headers_file are both given. Remove one');
    const read = readSecret(absolute(raw.headers_file));
    if ('error' in read) findings.problem('FL1109', '/otlp/headers_file', read.error);
    else if (read.warning !== null) findings.warning('FL1111', '/otlp/headers_file', read.warning);
    text = 'error' in read ? undefined : read.value;
  } else if (text !== undefined && !findings.expanded('/otlp/headers')) {
    findings.problem('FL1109', '/otlp/headers', writtenOutText(otlp.properties.headers));
  }
  if (text === undefined) return null;
  const headers = headerMap(text);
  const pointer = raw.headers_file === undefined ? '/otlp/headers' : '/otlp/headers_file';
  if (headers === null) findings.problem('FL1106', pointer, 'must hold name=value,name=value');
  return headers;
}

function variableHeaders(signal: Signal, variables: OtelEnvironment): Readonly<Record<string, string>> {
  let all: Record<string, string> = {};
  for (const [text, name] of [
    [variables.common('HEADERS'), 'OTEL_EXPORTER_OTLP_HEADERS'],
    [variables.own(signal, 'HEADERS'), `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_HEADERS`],
  ] as const) {
    const headers = text === undefined ? {} : headerMap(text);
    if (headers === null) variables.ignored(name, 'name=value,name=value');
    else all = { ...all, ...headers };
  }
  return all;
}

function headerMap(text: string): Record<string, string> | null {
  const pairs = Object.entries(parseKeyValues(text) ?? { '': '' }).map(([name, value]) => [name.toLowerCase(), value]);
  const good = pairs.every(([name, value]) => HEADER_NAME.test(name ?? '') && /^[\x20-\x7e]*$/.test(value ?? ''));
  return good ? Object.fromEntries(pairs) : null;
}

function attributesOf(raw: RawOtlp, variables: OtelEnvironment, findings: Findings): Record<string, string> {
  const variable = variables.text('OTEL_RESOURCE_ATTRIBUTES');
  const ambient = variable === undefined ? {} : parseKeyValues(variable);
  if (ambient === null) variables.ignored('OTEL_RESOURCE_ATTRIBUTES', 'name=value,name=value');
  const written = raw.resource_attributes === undefined ? {} : parseKeyValues(raw.resource_attributes);
  if (written === null) {
    const wanted = 'must be name=value,name=value. Write: resource_attributes: deployment.environment.name=prod';
    findings.problem('FL1106', '/otlp/resource_attributes', wanted);
  }
  return { ...ambient, ...written };
}
