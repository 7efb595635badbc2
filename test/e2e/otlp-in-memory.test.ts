// Memory of the receiver: what a daemon that runs holds after hundreds of huge, slow, compressed and many-named requests, over gRPC and HTTP.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type Answer, overGrpc, overHttp, spansOf, TRACE_EXPORT, traces } from '../sources/otlp-in/senders.ts';
import { DaemonUnderTest } from './daemon-under-test.ts';

const MIB = 1024 * 1024;
const PROTOBUF = { 'content-type': 'application/x-protobuf' };
const JSON_TYPE = { 'content-type': 'application/json' };
const GZIP = { ...PROTOBUF, 'content-encoding': 'gzip' };
/** What requests in flight may hold (`max_in_flight`), the messages that are read of them, and what a heap grows by before it is cleaned. */
const MOST_GROWTH_MIB = 32 + 128;
/** Of what is still there once all senders are gone: samples and lines that are kept by number. */
const MOST_KEPT_MIB = 96;

async function receiving(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'otlp-in-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const socketPath = join(folder, 'otlp.sock');
  const daemon = new DaemonUnderTest({ extra: `  otlp_in: {listen: ["unix:${socketPath}"], max_rate: 256MiB}\n` });
  t.after(() => daemon.close());
  const { pid = 0 } = await daemon.start();
  const mib = (field: 'VmRSS' | 'VmHWM'): number => Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024; // biome-ignore format: one figure
  /** From here on the most that it holds is counted. */
  const mark = (): void => writeFileSync(`/proc/${pid}/clear_refs`, '5');
  return { daemon, socketPath, target: `unix:${socketPath}`, mib, mark };
}

type Receiving = Awaited<ReturnType<typeof receiving>>;

/** `count` requests, eight at a time; how often each code came. */
async function crowd(count: number, send: (i: number) => Promise<Answer>): Promise<Record<string, number>> {
  const codes: Record<string, number> = {};
  let next = 0;
  const sender = async (): Promise<void> => {
    for (let i = next++; i < count; i = next++) {
      const code = await send(i).then(
        (answer) => answer.code,
        (error: NodeJS.ErrnoException) => error.code ?? 'failed',
      );
      codes[code] = (codes[code] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 8 }, sender));
  return codes;
}

const names = (i: number, count: number): string[] =>
  Array.from({ length: count }, (_, each) => `${i}-${each}-${'n'.repeat(40)}`);

const span = (name: string) => ({
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  kind: 2,
  name,
  startTimeUnixNano: `${Date.now() - 20}000000`,
  endTimeUnixNano: `${Date.now()}000000`,
});
const attribute = (key: string, value: string) => ({ key, value: { stringValue: value } });
const of = (service: string) => ({ attributes: [attribute('service.name', service)] });

/** A thousand services, and as many places of each, that no other request names. */
const manyServices = (i: number): string =>
  JSON.stringify({
    resourceSpans: names(i, 1000).map((name) => ({ resource: of(name), scopeSpans: [{ spans: [span(name)] }] })),
  });

/** A series for each of five thousand sets of attributes. */
const manySeries = (i: number): string => {
  const dataPoints = names(i, 5000).map((name) => ({
    attributes: [attribute('http.route', name)],
    startTimeUnixNano: '1000000000',
    timeUnixNano: `${Date.now()}000000`,
    count: 3,
    sum: 1,
    explicitBounds: [0.1, 1],
    bucketCounts: [1, 1, 1],
  }));
  const metric = {
    name: 'http.server.request.duration',
    unit: 's',
    histogram: { aggregationTemporality: 2, dataPoints },
  };
  return JSON.stringify({ resourceMetrics: [{ resource: of(`api-${i}`), scopeMetrics: [{ metrics: [metric] }] }] });
};

/** Lines of five thousand programs. */
const manyLines = (i: number): string =>
  JSON.stringify({
    resourceLogs: names(i, 5000).map((name) => ({
      resource: of(name),
      scopeLogs: [
        { logRecords: [{ timeUnixNano: `${Date.now()}000000`, body: { stringValue: `CUDA error: ${name}` } }] },
      ],
    })),
  });

const BOMB = gzipSync(Buffer.alloc(64 * MIB));

const WAYS: Readonly<Record<string, (at: Receiving) => Promise<Record<string, number>>>> = {
  'HTTP: 64 MiB in 64 KiB of gzip': ({ socketPath }) =>
    crowd(80, () => overHttp({ socketPath }, '/v1/traces', BOMB, GZIP)),
  'HTTP: 16 MiB as they are': ({ socketPath }) => {
    const body = Buffer.alloc(16 * MIB);
    return crowd(24, () => overHttp({ socketPath }, '/v1/logs', body, PROTOBUF));
  },
  'HTTP: messages of two bytes': ({ socketPath }) => {
    const body = Buffer.alloc(4 * MIB - 1024, Buffer.from([0x0a, 0]));
    return crowd(24, () => overHttp({ socketPath }, '/v1/traces', body, PROTOBUF));
  },
  'HTTP: JSON nested deep, and of many keys': ({ socketPath }) => {
    const deep = `{"resourceSpans":${'['.repeat(100_000)}`;
    const wide = `{${Array.from({ length: 200_000 }, (_, i) => `"k${i}":1`).join(',')}}`;
    return crowd(16, (i) => overHttp({ socketPath }, '/v1/traces', i % 2 === 0 ? deep : wide, JSON_TYPE));
  },
  'HTTP: a thousand services each': ({ socketPath }) =>
    crowd(20, (i) => overHttp({ socketPath }, '/v1/traces', manyServices(i), JSON_TYPE)),
  'HTTP: five thousand series each': ({ socketPath }) =>
    crowd(20, (i) => overHttp({ socketPath }, '/v1/metrics', manySeries(i), JSON_TYPE)),
  'HTTP: five thousand programs each': ({ socketPath }) =>
    crowd(20, (i) => overHttp({ socketPath }, '/v1/logs', manyLines(i), JSON_TYPE)),
  'HTTP: bodies that do not end': async ({ socketPath }) => {
    const sockets = Array.from({ length: 64 }, () => connect(socketPath).on('error', () => {}));
    await Promise.all(
      sockets.map(async (socket) => {
        socket.write(
          `POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-protobuf\r\ncontent-length: ${4 * MIB}\r\n\r\n`,
        );
        socket.write(Buffer.alloc(4 * MIB - 1));
        await Promise.race([
          once(socket, 'data'),
          once(socket, 'close'),
          new Promise((done) => setTimeout(done, 2000)),
        ]);
      }),
    );
    for (const socket of sockets) socket.destroy();
    return { slow: sockets.length };
  },
  'gRPC: 64 MiB that are compressed': ({ target }) => {
    const body = Buffer.alloc(64 * MIB);
    return crowd(12, () => overGrpc(target, body, TRACE_EXPORT, true));
  },
  'gRPC: a thousand services each': ({ target }) =>
    crowd(20, (i) => overGrpc(target, traces(names(i, 1000).flatMap((name) => spansOf(name, [{ name }]))))),
  'gRPC: streams that do not end': async ({ socketPath }) => {
    const session = connectHttp2('http://localhost', { createConnection: () => connect(socketPath) });
    session.on('error', () => {});
    const head = { ':method': 'POST', ':path': TRACE_EXPORT, 'content-type': 'application/grpc', te: 'trailers' };
    const length = Buffer.from([0, 0, 0x3f, 0xff, 0xff]);
    for (let i = 0; i < 64; i += 1) {
      const stream = session.request(head).on('error', () => {});
      stream.write(Buffer.concat([length, Buffer.alloc(4 * MIB - 100)]));
    }
    await new Promise((done) => setTimeout(done, 2000));
    session.destroy();
    return { slow: 64 };
  },
};

test('hundreds of huge, slow, compressed and many-named requests leave the memory of the daemon bounded', async (t) => {
  const at = await receiving(t);
  const good = traces(spansOf('shop', [{ startMs: Date.now() - 100 }]));
  const taken = (): Promise<Answer> => overHttp({ socketPath: at.socketPath }, '/v1/traces', good, PROTOBUF);
  for (let i = 0; i < 20; i += 1) assert.equal((await taken()).code, 200);
  const before = at.mib('VmRSS');
  for (const [way, send] of Object.entries(WAYS)) {
    at.mark();
    const codes = await send(at);
    const grown = at.mib('VmHWM') - before;
    t.diagnostic(`${way}: ${JSON.stringify(codes)}, at most ${grown.toFixed(0)} MiB more than ${before.toFixed(0)}`);
    assert.ok(grown < MOST_GROWTH_MIB, `${way}: grew by ${grown.toFixed(0)} MiB`);
  }
  await at.daemon.until('a good request is taken', async () => (await taken()).code === 200);
  await at.daemon.until('what was held is given back', async () => at.mib('VmRSS') - before < MOST_KEPT_MIB);
  assert.equal((await overGrpc(at.target, good)).code, 0);
  t.diagnostic(`kept: ${(at.mib('VmRSS') - before).toFixed(0)} MiB`);
});
