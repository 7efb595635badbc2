// The otlp section and OpenTelemetry's variables: what is off, what wins, what each signal gets.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of the configuration are what is tested

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OtlpConfig } from '../../../src/sinks/otlp/settings.ts';
import { complaints, load, secretFile } from '../../config/helpers.ts';

type Environment = Readonly<Record<string, string>>;

async function otlp(text: string, environment: Environment = {}): Promise<OtlpConfig | null> {
  return (await load(text, environment)).config.otlp;
}

const AT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4317' };

describe('off', () => {
  test('without an endpoint, and with everything switched off', async () => {
    assert.equal(await otlp(''), null);
    assert.equal(await otlp('', { ...AT, OTEL_SDK_DISABLED: 'TRUE' }), null);
    assert.equal(await otlp('otlp: {endpoint: "http://c:4317"}', { OTEL_SDK_DISABLED: 'true' }), null);
    const none = { OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none', OTEL_TRACES_EXPORTER: 'console' };
    assert.equal(await otlp('', { ...AT, ...none }), null);
    assert.equal(await otlp('', { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }), null);
  });

  test('one signal', async () => {
    const config = await otlp('otlp: {endpoint: "http://c:4317", logs: {enabled: off}}', {
      OTEL_TRACES_SAMPLER: 'always_off',
    });
    assert.deepEqual([config?.metrics !== null, config?.logs, config?.traces], [true, null, null]);
    const only = await otlp('', { ...AT, OTEL_METRICS_EXPORTER: 'prometheus, otlp', OTEL_LOGS_EXPORTER: 'none' });
    assert.deepEqual([only?.metrics !== null, only?.logs], [true, null]);
  });
});

test('defaults with an endpoint', async () => {
  assert.deepEqual(await otlp('', AT), {
    serviceName: 'faultline',
    resourceAttributes: {},
    metrics: { ...plain('http://collector:4317'), intervalMs: 10_000, maxSeries: 5000 },
    logs: plain('http://collector:4317'),
    traces: { ...plain('http://collector:4317'), ratio: 1, calls: 'incident' },
    spool: {
      metrics: { maxBytes: 67_108_864, maxAgeMs: 3_600_000 },
      logs: { maxBytes: 134_217_728, maxAgeMs: 86_400_000 },
      traces: { maxBytes: 67_108_864, maxAgeMs: 86_400_000 },
    },
  });
});

function plain(endpoint: string): Record<string, unknown> {
  const files = { caFile: null, certificateFile: null, keyFile: null };
  return { endpoint, protocol: 'grpc', tls: false, headers: {}, timeoutMs: 10_000, compression: 'none', ...files };
}

test('every variable has its effect', async () => {
  const config = await otlp('', {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://c:4318/base/',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    OTEL_EXPORTER_OTLP_HEADERS: 'Api-Key=a%20b, x=1',
    OTEL_EXPORTER_OTLP_LOGS_HEADERS: 'x=2',
    OTEL_EXPORTER_OTLP_TIMEOUT: '2500',
    OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '700',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    OTEL_EXPORTER_OTLP_CERTIFICATE: '/ca.pem',
    OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: '/c.pem',
    OTEL_EXPORTER_OTLP_CLIENT_KEY: '/c.key',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://t:1',
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'grpc',
    OTEL_RESOURCE_ATTRIBUTES: 'k8s.node.name=n%2C1,deployment.environment.name=prod',
    OTEL_SERVICE_NAME: 'gpu-watch',
    OTEL_METRIC_EXPORT_INTERVAL: '60000',
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
  });
  const { metrics, logs, traces } = config ?? {};
  assert.deepEqual(
    [metrics?.endpoint, logs?.endpoint, traces?.endpoint],
    ['https://c:4318/base/v1/metrics', 'https://c:4318/base/v1/logs', 'http://t:1'],
  );
  assert.deepEqual([metrics?.tls, traces?.tls, traces?.protocol], [true, false, 'grpc']);
  assert.deepEqual(
    [metrics?.headers, logs?.headers],
    [
      { 'api-key': 'a b', x: '1' },
      { 'api-key': 'a b', x: '2' },
    ],
  );
  assert.deepEqual([metrics?.timeoutMs, traces?.timeoutMs, metrics?.compression], [2500, 700, 'gzip']);
  assert.deepEqual([metrics?.caFile, metrics?.certificateFile, metrics?.keyFile], ['/ca.pem', '/c.pem', '/c.key']);
  assert.deepEqual(config?.resourceAttributes, { 'k8s.node.name': 'n,1', 'deployment.environment.name': 'prod' });
  assert.deepEqual([config?.serviceName, metrics?.intervalMs, traces?.ratio], ['gpu-watch', 60_000, 0.25]);
});

test('what the file says wins over the variables', async () => {
  const file =
    'otlp: {endpoint: "http://f:1", protocol: grpc, timeout: 3s, service_name: s, resource_attributes: "a=1", metrics: {interval: 5s}, traces: {sample_percent: 50}}';
  const environment = {
    ...AT,
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://other:2',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    OTEL_EXPORTER_OTLP_TIMEOUT: '1000',
    OTEL_SERVICE_NAME: 't',
    OTEL_RESOURCE_ATTRIBUTES: 'a=2,b=3',
    OTEL_METRIC_EXPORT_INTERVAL: '60000',
    OTEL_TRACES_SAMPLER: 'always_off',
  };
  const config = await otlp(file, environment);
  assert.deepEqual(
    [config?.metrics?.endpoint, config?.metrics?.protocol, config?.metrics?.timeoutMs, config?.metrics?.intervalMs],
    ['http://f:1', 'grpc', 3000, 5000],
  );
  assert.deepEqual(
    [config?.serviceName, config?.resourceAttributes, config?.traces?.ratio],
    ['s', { a: '1', b: '3' }, 0.5],
  );
});

test('endpoints: ports, bare addresses, sockets', async () => {
  const at = async (endpoint: string, environment: Environment = {}) => {
    const metrics = (await otlp(`otlp: {endpoint: "${endpoint}"}`, environment))?.metrics;
    return [metrics?.endpoint, metrics?.tls];
  };
  assert.deepEqual(await at('https://c'), ['https://c:443', true]);
  assert.deepEqual(await at('c:4317'), ['https://c:4317', true]);
  assert.deepEqual(await at('[::1]:4317', { OTEL_EXPORTER_OTLP_INSECURE: 'true' }), ['http://[::1]:4317', false]);
  assert.deepEqual(await at('unix:///run/otel.sock'), ['unix:///run/otel.sock', false]);
});

test('headers are secrets: from a variable or a file, never written out, never printed', async () => {
  const write =
    'is a secret and must not be written out. Write: headers: ${OTLP_HEADERS}, or headers_file: <path> [FL1109]';
  assert.deepEqual(await complaints('otlp: {endpoint: "http://c:1", headers: "a=b"}'), [
    `faultline.yaml:1:41: otlp.headers ${write}`,
  ]);
  const fromVariable = await otlp('otlp: {endpoint: "http://c:1", headers: "${H}"}', { H: 'a=b' });
  assert.deepEqual(fromVariable?.logs?.headers, { a: 'b' });
  const fromFile = await otlp(`otlp: {endpoint: "http://c:1", headers_file: ${secretFile('a=c\n')}}`);
  assert.deepEqual(fromFile?.logs?.headers, { a: 'c' });
  const broken = await complaints('otlp: {endpoint: "http://c:1", headers: "${H}"}', { H: 'a=b\u0001c' });
  assert.deepEqual(broken, ['faultline.yaml:1:41: otlp.headers must hold name=value,name=value [FL1106]']);
});

test('mistakes in the file are reported; a variable that cannot be used is a warning without its value', async () => {
  assert.deepEqual(await complaints('otlp: {endpoint: "collector"}'), [
    'faultline.yaml:1:18: otlp.endpoint must be a URL. Write: endpoint: http://localhost:4317 [FL1106]',
  ]);
  const { config, warnings } = await load('', {
    ...AT,
    OTEL_EXPORTER_OTLP_TIMEOUT: 'hunter2',
    OTEL_TRACES_SAMPLER: 'xray',
  });
  assert.equal(config.otlp?.logs?.timeoutMs, 10_000);
  assert.ok(warnings.every((line) => line.includes('FL1113') && !line.includes('hunter2')));
  assert.equal(warnings.length, 2);
});
