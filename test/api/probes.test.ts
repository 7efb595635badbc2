// /metrics, /healthz and /readyz, on the socket and over TCP, for friends and for the rest.

import assert from 'node:assert/strict';
import { type AddressInfo, connect as connectTo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { type ApiServer, startApi } from '../../src/api/api-server.ts';
import { ProbeListener } from '../../src/api/probe-listener.ts';
import { until } from '../until.ts';
import { get, TestBackend, temporaryFolder } from './helpers.ts';

const EXPOSITION = { contentType: 'text/plain; version=0.0.4; charset=utf-8', body: '# HELP ü x\nü 1\n' };

describe('probes on the socket', () => {
  let backend: TestBackend;
  let api: ApiServer;
  beforeEach(async () => {
    backend = new TestBackend();
    api = await startApi(backend, join(temporaryFolder(), 'run'));
  });
  afterEach(() => api.close());

  test('without a metrics sink /metrics says how to turn it on', async () => {
    const { status, body } = await get(api.path, '/metrics');
    assert.equal(status, 404);
    assert.equal(JSON.parse(body).code, 'FL3303');
  });

  test('/metrics gives what the sink writes', async () => {
    backend.exposition = EXPOSITION;
    assert.deepEqual(await get(api.path, '/metrics'), { status: 200, body: EXPOSITION.body });
  });

  test('a sink that fails is an answer 500, and the next scrape works', async () => {
    backend.metrics = () => Promise.reject(new Error('secret detail'));
    const { status, body } = await get(api.path, '/metrics');
    assert.equal(status, 500);
    assert.ok(!body.includes('secret detail'));
    assert.equal((await get(api.path, '/healthz')).status, 200);
  });

  test('/healthz is an answer of a loop that turns', async () => {
    const { status, body } = await get(api.path, '/healthz');
    assert.equal(status, 200);
    const { schema, healthy, reasons, uptime_s } = JSON.parse(body);
    assert.deepEqual([schema, healthy, reasons, uptime_s], ['faultline/health/1', true, [], 13]);
  });

  test('/healthz says that the loop is held up', async () => {
    backend.uptimeSeconds = () => {
      setImmediate(() => {
        const end = performance.now() + 1100;
        while (performance.now() < end);
      });
      return 1;
    };
    const { status, body } = await get(api.path, '/healthz');
    assert.equal(status, 503);
    assert.match(JSON.parse(body).reasons[0], /^one turn of the event loop took 1\d\d\d ms$/);
  });

  test('/readyz gives every reason', async () => {
    assert.deepEqual(await get(api.path, '/readyz'), {
      status: 200,
      body: '{"schema":"faultline/readiness/1","ready":true,"reasons":[]}\n',
    });
    backend.reasons = ['the disk is full', 'starting'];
    const { status, body } = await get(api.path, '/readyz');
    assert.equal(status, 503);
    assert.deepEqual(JSON.parse(body).reasons, backend.reasons);
  });
});

describe('probes over TCP', () => {
  const backend = new TestBackend();
  backend.exposition = EXPOSITION;
  const reported: string[] = [];
  let listener: ProbeListener;
  let url = '';
  beforeEach(async () => {
    reported.length = 0;
    listener = new ProbeListener(backend, {
      host: '127.0.0.1',
      port: 0,
      onTrouble: (code, detail) => reported.push(`${code} ${detail}`),
    });
    await listener.start();
    url = `http://127.0.0.1:${listener.port()}`;
  });
  afterEach(() => listener.close());

  test('gives metrics, health and readiness', async () => {
    const answer = await fetch(`${url}/metrics`, { headers: { accept: 'application/openmetrics-text' } });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), EXPOSITION.contentType);
    assert.equal(await answer.text(), EXPOSITION.body);
    assert.equal(backend.accepts.at(-1), 'application/openmetrics-text');
    assert.equal((await fetch(`${url}/healthz`)).status, 200);
    assert.equal((await fetch(`${url}/readyz`)).status, 200);
  });

  const refusals: readonly [method: string, path: string, status: number][] = [
    ['GET', '/', 404],
    ['GET', '/v1/status', 404],
    ['GET', '/v1/events', 404],
    ['POST', '/v1/release-devices', 404],
    ['GET', '/metrics/', 404],
    ['GET', '/metrics/../v1/status', 404],
    ['GET', '/__proto__', 404],
    ['POST', '/metrics', 405],
    ['OPTIONS', '/metrics', 405],
    ['GET', '/metrics?a=b', 400],
  ];
  for (const [method, path, status] of refusals) {
    test(`refuses ${method} ${path} with ${status}`, async () => {
      const text = await raw(`${method} ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
      assert.ok(text.startsWith(`HTTP/1.1 ${status} `), text.slice(0, 60));
      assert.deepEqual(backend.released, []);
    });
  }

  const hostile: readonly [string, string | Buffer][] = [
    ['noise', Buffer.from([0, 255, 1, 13, 10, 13, 10])],
    ['a header of 64 KiB', `GET /metrics HTTP/1.1\r\nhost: x\r\nx: ${'a'.repeat(65536)}\r\n\r\n`],
    ['an endless path', `GET /${'a'.repeat(65536)} HTTP/1.1\r\nhost: x\r\n\r\n`],
    ['TLS', Buffer.from('16030100f8010000f40303', 'hex')],
    ['a body', 'GET /metrics HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nabcde'],
    ['a request within a request', 'GET /metrics HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'],
  ];
  for (const [name, bytes] of hostile) {
    test(`hangs up on ${name} and serves the next client`, async () => {
      const text = await raw(bytes);
      assert.ok(text === '' || text.startsWith('HTTP/1.1 4'), text.slice(0, 80));
      assert.equal((await fetch(`${url}/metrics`)).status, 200);
    });
  }

  test('a taken port is reported once with what to do, and taken when it is free', async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    const { port } = holder.address() as AddressInfo; // of a TCP server
    const second = new ProbeListener(backend, {
      host: '127.0.0.1',
      port,
      retryMs: 5,
      onTrouble: (code, detail) => reported.push(`${code} ${detail}`),
    });
    await second.start();
    assert.equal(second.port(), null);
    await new Promise((resolve) => setTimeout(resolve, 30));
    assert.equal(reported.length, 1);
    assert.match(
      reported[0] ?? '',
      /^FL3302 127\.0\.0\.1:\d+ cannot be listened on: .*EADDRINUSE.* prometheus\.listen/,
    );
    await new Promise((resolve) => holder.close(resolve));
    await until(() => second.port() !== null);
    assert.match(reported[1] ?? '', /^FL3304 /);
    assert.equal((await fetch(`http://127.0.0.1:${port}/readyz`)).status, 200);
    await second.close();
    await assert.rejects(fetch(`http://127.0.0.1:${port}/readyz`));
  });

  test('closing waits for no client', async () => {
    const socket = await connected();
    socket.write('GET /metrics HTTP/1.1\r\nhost');
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    await listener.close();
    await closed;
  });

  function connected() {
    return new Promise<ReturnType<typeof connectTo>>((resolve, reject) => {
      const socket = connectTo(listener.port() ?? 0, '127.0.0.1', () => resolve(socket));
      socket.once('error', reject);
    });
  }

  function raw(bytes: string | Buffer): Promise<string> {
    return new Promise((resolve) => {
      const socket = connectTo(listener.port() ?? 0, '127.0.0.1');
      let text = '';
      socket.on('data', (part) => {
        text += part.toString('latin1');
      });
      socket.on('error', () => {}); // the server may hang up while we still write
      socket.on('close', () => resolve(text));
      socket.write(bytes);
    });
  }
});
