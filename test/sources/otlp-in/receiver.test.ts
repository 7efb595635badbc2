// The receiver over real sockets: both protocols on one address, what it refuses and in which words, and what it holds meanwhile.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { parseAddress } from '../../../src/sources/address.ts';
import { grpcDoor } from '../../../src/sources/otlp-in/listen/grpc-door.ts';
import { httpDoor } from '../../../src/sources/otlp-in/listen/http-door.ts';
import { Listener } from '../../../src/sources/otlp-in/listen/listener.ts';
import { Receiver } from '../../../src/sources/otlp-in/receive/receiver.ts';
import type { TracesRequest } from '../../../src/sources/otlp-in/wire/shapes.ts';
import { until } from '../../until.ts';
import { METRICS_EXPORT, overGrpc, overHttp, spansOf, TRACE_EXPORT, traces } from './senders.ts';

const PROTOBUF = { 'content-type': 'application/x-protobuf' };
const JSON_TYPE = { 'content-type': 'application/json' };
const MIB = 1024 * 1024;

interface Limits {
  readonly bytesPerSecond?: number;
  readonly mostBytes?: number;
  readonly now?: () => number;
}

async function receiving(
  t: TestContext,
  { bytesPerSecond = 64 * MIB, mostBytes = 32 * MIB, now = () => performance.now() }: Limits = {},
  at = '127.0.0.1:0',
) {
  const requests: TracesRequest[] = [];
  const receiver = new Receiver({
    maxRequestBytes: MIB,
    mostBytes,
    bytesPerSecond,
    now,
    doors: {
      traces: (request) => {
        requests.push(request);
        const late = request.resourceSpans?.[0]?.scopeSpans?.[0]?.spans?.[0]?.name === 'late';
        return late ? { rejected: 1, why: '1 span: ended too long ago' } : { rejected: 0, why: '' };
      },
    },
    onFailure: (error) => assert.fail(String(error)),
  });
  const address = parseAddress(at);
  assert.ok(address !== null);
  const listener = new Listener(address, receiver);
  t.after(() => listener.close());
  await listener.listen();
  return { receiver, requests, port: listener.port ?? 0, target: `127.0.0.1:${listener.port}` };
}

test('spans come over gRPC and HTTP, in protobuf and JSON, plain and compressed, on one address, and are read alike', async (t) => {
  const { requests, receiver, port, target } = await receiving(t);
  const spans = spansOf('shop', [{ durationMs: 25, status: 2 }], { 'process.pid': 12 });
  const protobuf = traces(spans);
  const json = traces(spans, 'json');
  assert.equal((await overGrpc(target, protobuf)).code, 0);
  assert.equal((await overGrpc(target, protobuf, undefined, true)).code, 0);
  assert.equal((await overHttp({ port }, '/v1/traces', protobuf, PROTOBUF)).code, 200);
  assert.equal(
    (await overHttp({ port }, '/v1/traces', gzipSync(protobuf), { ...PROTOBUF, 'content-encoding': 'gzip' })).code,
    200,
  );
  assert.deepEqual(await overHttp({ port }, '/v1/traces', json, JSON_TYPE).then(({ code, text }) => [code, text]), [
    200,
    '{}',
  ]);
  assert.equal(requests.length, 5);
  for (const request of requests) {
    const [resource] = request.resourceSpans ?? [];
    const [span] = resource?.scopeSpans?.[0]?.spans ?? [];
    assert.deepEqual(
      [resource?.resource?.attributes?.[0], span?.kind, span?.traceId?.length, span?.status?.code],
      [{ key: 'service.name', value: { stringValue: 'shop' } }, 2, 32, 2],
    );
    assert.equal(Math.round(((span?.endTimeUnixNano ?? 0) - (span?.startTimeUnixNano ?? 0)) * 100) / 100, 25);
  }
  assert.deepEqual([receiver.counts.requests, receiver.counts.refused, receiver.budget.held], [5, 0, 0]);
});

test('what is refused says what, which field and what to do, and whether to try again', async (t) => {
  const { receiver, port, target } = await receiving(t);
  const http = (path: string, body: Buffer | string, headers: Record<string, string>) =>
    overHttp({ port }, path, body, headers).then(({ code, text, retryAfter }) => [
      code,
      retryAfter,
      text.replace(/[^ -~]/g, ''),
    ]);
  assert.deepEqual(await http('/v1/traces', '{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":7}]}]}]}', JSON_TYPE), [
    400, null,
    '{"code":3,"message":"resourceSpans[0].scopeSpans[0].spans[0].traceId: is not hex digits, as OTLP in JSON writes ids (not base64)"}',
  ]); // biome-ignore format: one case
  assert.deepEqual(await http('/v1/traces', '{"resource_spans":[]}', JSON_TYPE), [
    400, null, '{"code":3,"message":"resource_spans: OTLP in JSON spells it resourceSpans"}',
  ]); // biome-ignore format: one case
  assert.match(String(await http('/v1/traces', 'hello', JSON_TYPE)), /^400,.*not JSON in UTF-8/);
  assert.match(String(await http('/v1/traces', 'hello', { 'content-type': 'text/plain' })), /^400,.*content-type/);
  assert.match(String(await http('/v1/traces', 'x', { ...PROTOBUF, 'content-encoding': 'br' })), /^400,.*gzip/);
  assert.match(
    String(await http('/v1/traces', 'x', { ...PROTOBUF, 'content-encoding': 'gzip' })),
    /^400,.*is not gzip/,
  );
  assert.match(String(await http('/v1/spans', '{}', JSON_TYPE)), /^404,.*\/v1\/traces/);
  assert.match(String(await http('/v1/metrics', '{}', JSON_TYPE)), /^404,.*no metrics are taken here/);
  const cut = await overGrpc(target, Buffer.from([0x0a, 5, 0x0a, 3]));
  assert.deepEqual([cut.code, cut.text], [3, 'resource_spans[0]: is longer than what holds it']);
  assert.deepEqual(await overGrpc(target, Buffer.alloc(0), METRICS_EXPORT).then(({ code }) => code), 12);
  assert.deepEqual(await overGrpc(target, Buffer.alloc(0), '/x/Y').then(({ code }) => code), 12);
  assert.equal(receiver.budget.held, 0);
  assert.equal(receiver.counts.refused, 11);
});

test('a part that is not taken is a partial success', async (t) => {
  const { port, target } = await receiving(t);
  const late = spansOf('shop', [{ name: 'late' }]);
  const why = '1 span: ended too long ago';
  const { code, body } = await overGrpc(target, traces(late));
  assert.deepEqual([code, body.includes(why), body.readUInt16BE(2)], [0, true, 0x0801]);
  const { text } = await overHttp({ port }, '/v1/traces', traces(late, 'json'), JSON_TYPE);
  assert.deepEqual(JSON.parse(text), { partialSuccess: { rejectedSpans: '1', errorMessage: why } });
});

test('what is too large is refused for good, also when it only grows to that', async (t) => {
  const { receiver, port, target } = await receiving(t);
  const bomb = gzipSync(Buffer.alloc(40 * MIB));
  const tooLarge = /longer than 1048576 bytes \(sources.otlp_in.max_request\)/;
  for (const { code, text, retryAfter } of [
    await overHttp({ port }, '/v1/traces', bomb, { ...PROTOBUF, 'content-encoding': 'gzip' }),
    await overHttp({ port }, '/v1/traces', Buffer.alloc(3 * MIB), PROTOBUF),
  ]) {
    assert.deepEqual([code, retryAfter], [413, null]);
    assert.match(text, tooLarge);
  }
  for (const sent of [
    await overGrpc(target, Buffer.alloc(40 * MIB), undefined, true),
    await overGrpc(target, Buffer.alloc(30 * MIB)),
  ]) {
    assert.equal(sent.code, 8);
    assert.match(sent.text, tooLarge);
    assert.equal(sent.body.includes('RetryInfo'), false);
  }
  // Two bytes each on the wire, an object each in memory.
  const many = await overHttp({ port }, '/v1/traces', Buffer.alloc(400_000, Buffer.from([0x0a, 0])), PROTOBUF);
  assert.equal(many.code, 413);
  assert.match(many.text, /more than 100000 messages/);
  assert.equal(receiver.budget.held, 0);
});

test('more than may be taken in a second, or held at once, is refused with the time to try again', async (t) => {
  const { port, target } = await receiving(t, { bytesPerSecond: 1000, mostBytes: 2 * MIB });
  const large = Buffer.alloc(900_000, traces(spansOf('shop', [{}])));
  let last = await overHttp({ port }, '/v1/traces', large, PROTOBUF);
  for (let i = 0; i < 2; i += 1) last = await overHttp({ port }, '/v1/traces', large, PROTOBUF);
  assert.equal(last.code, 429);
  assert.ok(Number(last.retryAfter) > 1, String(last.retryAfter));
  const refused = await overGrpc(target, large);
  assert.deepEqual([refused.code, refused.body.includes('google.rpc.RetryInfo')], [8, true]);
});

test('what is inflated is paid for, taken or not, and while that is owed nothing is inflated', async (t) => {
  const { port } = await receiving(t, { bytesPerSecond: 1000, mostBytes: 4 * MIB, now: () => 0 });
  const gzip = { ...PROTOBUF, 'content-encoding': 'gzip' };
  const bomb = gzipSync(Buffer.alloc(40 * MIB));
  const codes: number[] = [];
  for (let i = 0; i < 6; i += 1) codes.push((await overHttp({ port }, '/v1/traces', bomb, gzip)).code);
  assert.deepEqual(codes, [413, 413, 413, 429, 429, 429], 'half and one; the rest is for others');
  const broken = await overHttp({ port }, '/v1/traces', Buffer.alloc(100), gzip);
  assert.equal(broken.code, 429, 'before it is looked into');
});

test('many that begin a request and do not end it hold no more than the limit, and do not shut others out', async (t) => {
  const { receiver, port, target } = await receiving(t, { mostBytes: 4 * MIB });
  const slow = Array.from({ length: 40 }, () => {
    const socket = connect(port, '127.0.0.1');
    t.after(() => socket.destroy());
    socket.on('error', () => {});
    socket.write(
      `POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-protobuf\r\ncontent-length: ${MIB}\r\n\r\n`,
    );
    socket.write(Buffer.alloc(MIB - 1));
    return socket;
  });
  await until(() => receiver.counts.refused >= 30, { what: 'refusals', seen: () => receiver.counts });
  assert.ok(receiver.budget.held <= 4 * MIB, String(receiver.budget.held));
  for (const socket of slow) socket.destroy();
  await until(() => receiver.budget.held === 0, { what: 'what was held', seen: () => receiver.budget.held });
  assert.equal((await overGrpc(target, traces(spansOf('shop', [{}])))).code, 0);
});

test('who is slow makes room for who comes next, but not at once', async (t) => {
  let nowMs = 0;
  const { receiver, port, target } = await receiving(t, { mostBytes: 4 * MIB, now: () => nowMs });
  const head = `POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-protobuf\r\ncontent-length: ${MIB}\r\n\r\n`;
  for (let i = 1; i <= 4; i += 1) {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    t.after(() => socket.destroy());
    socket.write(head);
    socket.write(Buffer.alloc(MIB - 1));
    await until(() => receiver.budget.held === i * (MIB - 1), {
      what: 'what is held',
      seen: () => receiver.budget.held,
    });
  }
  const one = traces(spansOf('shop', [{}]));
  assert.equal((await overGrpc(target, one)).code, 8);
  nowMs = 100;
  assert.equal((await overGrpc(target, one)).code, 0);
  await until(() => receiver.budget.held === 3 * (MIB - 1), {
    what: 'the oldest is cut',
    seen: () => receiver.budget.held,
  });
});

const HEAD = 'POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-protobuf\r\n';

/** All that is answered until the connection ends. */
async function answerOf(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (part: Buffer) => {
    text += part.toString('latin1');
  });
  await once(socket, 'close');
  return text;
}

test('whoever makes room hears so, and when to try again', async (t) => {
  const { receiver, port } = await receiving(t, { mostBytes: 4 * MIB });
  const answers: Promise<string>[] = [];
  for (let i = 1; i <= 4; i += 1) {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    t.after(() => socket.destroy());
    answers.push(answerOf(socket));
    socket.write(`${HEAD}content-length: ${MIB}\r\n\r\n`);
    socket.write(Buffer.alloc(MIB - 1));
    await until(() => receiver.budget.held === i * (MIB - 1), {
      what: 'what is held',
      seen: () => receiver.budget.held,
    });
  }
  await new Promise((resolve) => setTimeout(resolve, 150));
  assert.equal((await overHttp({ port }, '/v1/traces', traces(spansOf('shop', [{}])))).code, 200);
  const first = await answers[0];
  assert.match(first ?? '', /^HTTP\/1.1 429 .*retry-after: 1\r\n.*this one was not whole. Send it again/s);
});

test('who sends all of a body that is too long before it looks for an answer finds one', async (t) => {
  const { receiver, port } = await receiving(t);
  const socket = connect(port, '127.0.0.1');
  t.after(() => socket.destroy());
  const answer = answerOf(socket.pause());
  socket.write(`${HEAD}content-length: ${6 * MIB}\r\n\r\n`);
  await until(() => receiver.counts.refused === 1, { what: 'a refusal before the body' });
  await new Promise<void>((resolve, reject) => {
    socket.write(Buffer.alloc(6 * MIB), (error) => (error ? reject(error) : resolve()));
  });
  socket.resume();
  assert.match(await answer, /^HTTP\/1.1 413 .*longer than 1048576 bytes/s);
});

test('a request that does not end is refused after its time, over HTTP and gRPC', async (t) => {
  const receiver = new Receiver({
    maxRequestBytes: MIB,
    mostBytes: 4 * MIB,
    bytesPerSecond: MIB,
    doors: {},
    onFailure: (error) => assert.fail(String(error)),
  });
  for (const [door, at] of [
    [httpDoor(receiver, 200), 'http'],
    [grpcDoor(receiver, 200), 'grpc'],
  ] as const) {
    const server = createServer((socket) => void door.emit('connection', socket)).listen(0, '127.0.0.1');
    t.after(() => server.close());
    await once(server, 'listening');
    const bound = server.address();
    assert.ok(typeof bound === 'object' && bound !== null);
    if (at === 'http') {
      const socket = connect(bound.port, '127.0.0.1');
      socket.write(`${HEAD}content-length: 10\r\n\r\nx`);
      assert.match(await answerOf(socket), /^HTTP\/1.1 408 .*not whole after 0.2 seconds/s);
    } else {
      const session = connectHttp2(`http://127.0.0.1:${bound.port}`);
      t.after(() => session.destroy());
      const stream = session.request({ ':method': 'POST', ':path': TRACE_EXPORT, 'content-type': 'application/grpc' });
      stream.write('x');
      const [headers] = await once(stream, 'response');
      assert.deepEqual([headers['grpc-status'], /not whole/.test(headers['grpc-message'])], ['4', true]);
    }
  }
  assert.equal(receiver.budget.held, 0);
});

test('connections that say nothing make room for one that does', async (t) => {
  const { port, target } = await receiving(t);
  const idle = Array.from({ length: 300 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  t.after(() => {
    for (const socket of idle) socket.destroy();
  });
  await Promise.all(idle.map((socket) => once(socket, 'connect')));
  assert.equal((await overGrpc(target, traces(spansOf('shop', [{}])))).code, 0);
});

test('a unix socket takes both protocols, from every user; nothing but an old socket is taken away for it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'otlp-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'otlp.sock');
  const { requests } = await receiving(t, {}, `unix:${path}`);
  assert.equal(statSync(path).mode & 0o777, 0o666);
  assert.equal((await overGrpc(`unix:${path}`, traces(spansOf('shop', [{}])))).code, 0);
  assert.equal((await overHttp({ socketPath: path }, '/v1/traces', traces(spansOf('shop', [{}])))).code, 200);
  assert.equal(requests.length, 2);
  await assert.rejects(receiving(t, {}, `unix:${path}`), /another program listens/);
  writeFileSync(join(folder, 'file'), 'x');
  await assert.rejects(receiving(t, {}, `unix:${join(folder, 'file')}`), /is not a socket/);
});
