// The otlp section of the schema. What an OTEL_ variable can also say has no default here: the file wins, then the variable.

import { choice, duration, optionalPath, section, size } from '../../config/schema-parts.ts';

const text = <const X extends string>(description: string, example: X) =>
  ({ type: 'string', description, minLength: 1, maxLength: 4096, examples: [example] }) as const;

const word = <const E extends readonly string[]>(description: string, values: E) =>
  ({ type: 'string', description, enum: values, examples: [values[0]] }) as const;

/** A duration without a default. */
const span = <const X extends string>(description: string, example: X, min: string, max: string) => {
  const { default: _, ...rest } = duration(description, example, min, max);
  return { ...rest, examples: [example] } as const;
};

const onOff = (what: string) => word(`${what}: on where an endpoint is set and this is not off.`, ['on', 'off']);

const where = {
  endpoint: text(
    'Where requests go; for http/protobuf the whole URL. Default: that of the section.',
    'http://localhost:4318/v1/logs',
  ),
} as const;

export const otlp = section(
  'Export over OTLP. Off, at no cost, until an endpoint is set here or in OTEL_EXPORTER_OTLP_ENDPOINT.',
  {
    endpoint: text('URL of the collector; https means TLS. OTEL_EXPORTER_OTLP_ENDPOINT.', 'http://localhost:4317'),
    protocol: word('How requests are sent; grpc when left out. OTEL_EXPORTER_OTLP_PROTOCOL.', [
      'grpc',
      'http/protobuf',
    ]),
    headers: {
      type: 'string',
      description: `Sent with each request, name=value,name=value, from a variable: \${OTLP_HEADERS}. OTEL_EXPORTER_OTLP_HEADERS.`,
      minLength: 1,
      maxLength: 8192,
      secret: true,
      instead: `headers: \${OTLP_HEADERS}, or headers_file: <path>`,
      examples: [`\${OTLP_HEADERS}`],
    },
    headers_file: optionalPath('File with the headers in one line.', '/etc/faultline/otlp-headers'),
    timeout: span('Time for one request; 10s when left out. OTEL_EXPORTER_OTLP_TIMEOUT.', '10s', '100ms', '5m'),
    compression: word(
      'none when left out; gzip pays for a collector on another host. OTEL_EXPORTER_OTLP_COMPRESSION.',
      ['none', 'gzip'],
    ),
    ca_file: optionalPath(
      'Certificates to trust instead of the system. OTEL_EXPORTER_OTLP_CERTIFICATE.',
      '/etc/faultline/ca.pem',
    ),
    certificate_file: optionalPath(
      'Certificate to show. OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE.',
      '/etc/faultline/client.pem',
    ),
    key_file: optionalPath('Key of that certificate. OTEL_EXPORTER_OTLP_CLIENT_KEY.', '/etc/faultline/client.key'),
    service_name: text('service.name; faultline when left out. OTEL_SERVICE_NAME.', 'faultline'),
    resource_attributes: text(
      'Said of everything that is sent, name=value,name=value; OTEL_RESOURCE_ATTRIBUTES adds to it.',
      'deployment.environment.name=prod,k8s.cluster.name=eu-1',
    ),
    metrics: section('Series as metrics.', {
      enabled: onOff('Metrics'),
      ...where,
      interval: span('Time between two exports; 10s when left out. OTEL_METRIC_EXPORT_INTERVAL.', '10s', '1s', '1h'),
      max_series: {
        type: 'integer',
        description: 'Series sent at most; further ones are left out and counted.',
        minimum: 10,
        maximum: 100_000,
        default: 5000,
      },
    }),
    logs: section('Events and incidents as log records.', { enabled: onOff('Logs'), ...where }),
    traces: section('One trace per incident.', {
      enabled: onOff('Traces'),
      ...where,
      sample_percent: {
        type: 'integer',
        description: 'Share of incidents that get a trace; 100 when left out. OTEL_TRACES_SAMPLER.',
        minimum: 0,
        maximum: 100,
        examples: [100],
      },
      calls: choice(
        'Spans of calls out (SNMP, Redfish, Kubernetes, Slurm, notifications): only those that are about an incident, or all, at most 120 a minute and 60 that failed.',
        ['incident', 'all'],
        'incident',
      ),
    }),
    spool: section('What waits for the collector, on disk under directories.state.', {
      metrics_max_bytes: size('Metrics kept; the oldest go first.', '64MiB', '1MiB', '16GiB'),
      logs_max_bytes: size('Log records kept.', '128MiB', '1MiB', '16GiB'),
      traces_max_bytes: size('Spans kept.', '64MiB', '1MiB', '16GiB'),
      metrics_max_age: duration('Metrics older than this are not sent any more.', '1h', '1m', '30d'),
      max_age: duration('Log records and spans older than this are not sent any more.', '24h', '1h', '30d'),
    }),
  },
);
