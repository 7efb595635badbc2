// The API over TCP: TLS alone, tokens and certificates, read and write apart, bounded against those who keep connections.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { type RequestOptions, request } from 'node:https';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { ApiListener } from '../../src/api/api-listener.ts';
import type { ApiTcp } from '../../src/config/api.ts';
import { digestOf } from '../../src/config/token-digest.ts';
import { type Certificate, certificate } from '../sinks/certificate.ts';
import { until } from '../until.ts';
import { TestBackend, temporaryFolder } from './helpers.ts';

const READ = 'r'.repeat(32);
const WRITE = 'w'.repeat(32);

interface Answer {
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly challenges: readonly string[];
  readonly body: string;
}

describe('the API over TCP', () => {
  let folder: string;
  let server: Certificate;
  let ops: Certificate;
  let guest: Certificate;
  let backend: TestBackend;
  let listener: ApiListener;
  let troubles: string[];
  let writes: object[];
  const sockets: Socket[] = [];

  before(() => {
    folder = temporaryFolder();
    server = certificate(folder, 'server');
    ops = certificate(folder, 'ops.example.com');
    guest = certificate(folder, 'guest.example.com');
  });
  beforeEach(() => {
    backend = new TestBackend();
    troubles = [];
    writes = [];
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await listener.close();
  });
  after(() => {
    assert.ok(!JSON.stringify([troubles, writes]).includes(READ));
  });

  async function start(more: Partial<ApiTcp> = {}, renewMs = 60_000): Promise<void> {
    listener = new ApiListener(backend, {
      settings: {
        listen: { host: '127.0.0.1', port: 0 },
        certificateFile: server.certFile,
        keyFile: server.keyFile,
        clientCaFile: null,
        readDigest: digestOf(READ),
        writeDigest: digestOf(WRITE),
        writers: [],
        ...more,
      },
      onTrouble: (code, detail) => troubles.push(`${code} ${detail}`),
      onWrite: (fields) => writes.push(fields),
      retryMs: 20,
      renewMs,
    });
    await listener.start();
  }

  function ask(path: string, token: string | null, more: RequestOptions = {}): Promise<Answer> {
    const authorization = token === null ? {} : { authorization: token };
    const port = listener.port();
    const options = { host: '127.0.0.1', port, path, ca: server.cert, agent: false, ...more } as const;
    return new Promise((resolve, reject) => {
      const asked = request({ ...options, headers: authorization }, (response) => {
        let body = '';
        response.on('data', (part: Buffer) => {
          body += part.toString();
        });
        response.on('end', () => {
          const code = /"code":"([A-Z0-9]+)"/.exec(body)?.[1] ?? '';
          resolve({
            status: response.statusCode ?? 0,
            code,
            headers: response.headers,
            challenges: response.headersDistinct['www-authenticate'] ?? [],
            body,
          });
        });
      });
      asked.once('error', reject).end();
    });
  }

  const release = '/v1/release-devices?for_ms=5000';
  const basic = (token: string) => `Basic ${Buffer.from(`me:${token}`).toString('base64')}`;
  const cases: readonly [string, string, 'GET' | 'POST', string | null, number, string][] = [
    ['nothing is shown', '/v1/incidents', 'GET', null, 401, 'FL4116'],
    ['nothing is shown, of a path that is not there', '/nothing', 'GET', null, 401, 'FL4116'],
    ['a wrong token', '/v1/incidents', 'GET', 'Bearer wrong', 401, 'FL4116'],
    ['an empty token', '/v1/incidents', 'GET', 'Bearer ', 401, 'FL4116'],
    ['the digest of the token', '/v1/incidents', 'GET', `Bearer ${digestOf(READ)}`, 401, 'FL4116'],
    ['a token in the query', `/v1/incidents?token=${READ}`, 'GET', null, 401, 'FL4116'],
    ['the read token', '/v1/incidents', 'GET', `Bearer ${READ}`, 200, ''],
    ['the read token, which may not write', release, 'POST', `Bearer ${READ}`, 403, 'FL4117'],
    ['the write token reads', '/v1/incidents', 'GET', `bearer ${WRITE}`, 200, ''],
    ['the write token writes', release, 'POST', `Bearer ${WRITE}`, 200, ''],
    ['a browser reads with the token as a password', '/v1/incidents', 'GET', basic(READ), 200, ''],
    ['a browser never writes', release, 'POST', basic(WRITE), 403, 'FL4117'],
    ['what only root may do on the socket', '/v1/config/reload', 'POST', `Bearer ${WRITE}`, 403, 'FL4115'],
    ['made-up faults', '/v1/inject', 'POST', `Bearer ${READ}`, 403, 'FL4117'],
  ];
  for (const [name, path, method, token, status, code] of cases) {
    test(`${name}: ${status} ${code}`, async () => {
      backend.reloadConfig = async () => {
        const { ApiError } = await import('../../src/api/api-error.ts');
        throw new ApiError(403, 'FL4115', 'only root');
      };
      await start();
      const answer = await ask(path, token, { method });
      assert.deepEqual([answer.status, answer.code], [status, code]);
      assert.equal(backend.released.length, path === release && status === 200 ? 1 : 0);
      assert.equal(writes.length, method === 'POST' && status !== 403 ? 1 : path.includes('reload') ? 1 : 0);
      if (status === 401) assert.deepEqual(answer.challenges.map((each) => each.split(' ')[0]), ['Bearer', 'Basic']); // biome-ignore format: one line
      assert.ok(!`${answer.body}${troubles.join()}${JSON.stringify(writes)}`.includes(READ));
    });
  }

  const certificates: readonly [string, () => Partial<ApiTcp>, () => Certificate, boolean, number | null][] = [
    ['reads', () => ({ clientCaFile: ops.certFile, readDigest: null, writeDigest: null }), () => ops, false, 200],
    ['writes by its name', () => ({ clientCaFile: ops.certFile, writers: ['ops.example.com'] }), () => ops, true, 200],
    ['does not write', () => ({ clientCaFile: ops.certFile, writers: ['other'] }), () => ops, true, 403],
    ['of another CA ends the handshake', () => ({ clientCaFile: ops.certFile, readDigest: null, writeDigest: null }), () => guest, false, null],
    ['of another CA counts for nothing', () => ({ clientCaFile: ops.certFile }), () => guest, false, 401],
    ['without a CA counts for nothing', () => ({}), () => ops, false, 401],
  ]; // biome-ignore format: a table
  for (const [name, settings, client, write, status] of certificates) {
    test(`a client certificate ${name}`, async () => {
      await start(settings());
      const { cert, key } = client();
      const asked = ask(write ? release : '/v1/incidents', null, { cert, key, method: write ? 'POST' : 'GET' });
      if (status === null) await assert.rejects(asked);
      else assert.equal((await asked).status, status);
      if (write && status === 200) assert.match(JSON.stringify(writes), /certificate of ops\.example\.com/);
    });
  }

  test('a wrong token is not forgiven for a good certificate', async () => {
    await start({ clientCaFile: ops.certFile });
    const { cert, key } = ops;
    assert.equal((await ask('/v1/incidents', 'Bearer wrong', { cert, key })).status, 401);
  });

  test('plain HTTP and noise are hung up on, and the next client is served', async () => {
    await start();
    for (const bytes of ['GET /v1/incidents HTTP/1.1\r\nhost: x\r\n\r\n', Buffer.from([22, 3, 1, 255, 255, 1])]) {
      const socket = connect(listener.port() ?? 0, '127.0.0.1');
      sockets.push(socket);
      socket.on('error', () => {});
      socket.end(bytes);
      socket.resume();
      await once(socket, 'close');
    }
    assert.equal((await ask('/v1/incidents', `Bearer ${READ}`)).status, 200);
  });

  test('hundreds that never finish the handshake, or say nothing after it, keep no client out', async () => {
    await start();
    for (let i = 0; i < 150; i += 1) {
      const bare = connect(listener.port() ?? 0, '127.0.0.1');
      bare.on('error', () => {});
      sockets.push(bare);
    }
    const silent: TLSSocket[] = [];
    for (let i = 0; i < 40; i += 1) {
      const secure = connectTls({ host: '127.0.0.1', port: listener.port() ?? 0, ca: server.cert });
      secure.on('error', () => {});
      silent.push(secure);
      sockets.push(secure);
    }
    assert.equal((await ask('/v1/incidents', `Bearer ${READ}`)).status, 200);
    // Each has a moment to be asked in, whatever the machine's speed; past it, who comes next takes its place.
    await setTimeout(200);
    assert.equal((await ask('/v1/incidents', `Bearer ${READ}`)).status, 200);
    assert.ok(listener.counters.evicted > 0, `${listener.counters.evicted} were made to go`);
  });

  test('refuses a body that is too long, and one where none belongs', async () => {
    await start();
    const post = (path: string, body: string) =>
      new Promise<number>((resolve, reject) => {
        const headers = { authorization: `Bearer ${WRITE}`, 'content-length': body.length };
        const options = { host: '127.0.0.1', port: listener.port(), path, method: 'POST', ca: server.cert, headers };
        const asked = request({ ...options, agent: false }, (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        });
        asked.once('error', reject).end(body);
      });
    assert.equal(await post('/v1/notes', 'x'.repeat(10_000)), 413);
    assert.equal(await post(release, '{}'), 413);
  });

  test('takes up a renewed certificate, and keeps the one of before where the new one cannot be used', async () => {
    const [certFile, keyFile] = [join(folder, 'used.pem'), join(folder, 'used.key')];
    const use = (one: Certificate) => {
      copyFileSync(one.keyFile, keyFile);
      copyFileSync(one.certFile, certFile);
    };
    use(server);
    await start({ certificateFile: certFile, keyFile }, 20);
    assert.equal((await ask('/v1/incidents', `Bearer ${READ}`)).status, 200);
    copyFileSync(ops.keyFile, keyFile); // of another certificate
    await until(() => troubles.some((line) => line.startsWith('FL4120')));
    assert.equal((await ask('/v1/incidents', `Bearer ${READ}`)).status, 200);
    use(ops);
    await until(() => listener.trouble === null);
    assert.equal((await ask('/v1/incidents', `Bearer ${READ}`, { ca: ops.cert })).status, 200);
  });

  test('a taken port is reported once and tried again until it is free', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    await start({ listen: { host: '127.0.0.1', port } });
    assert.match(listener.trouble ?? '', /EADDRINUSE/);
    other.close();
    await until(() => listener.trouble === null);
    assert.deepEqual(
      troubles.map((line) => line.slice(0, 6)),
      ['FL4118', 'FL4119'],
    );
    assert.equal((await ask('/v1/incidents', `Bearer ${READ}`)).status, 200);
  });

  test('who shows nothing is reported once a minute, with the address and without what was shown', async () => {
    await start();
    for (let i = 0; i < 3; i += 1) await ask('/v1/incidents', 'Bearer guess-that-is-wrong');
    assert.equal(troubles.length, 1);
    assert.match(troubles[0] ?? '', /^FL4121 .*127\.0\.0\.1/);
    assert.ok(!troubles.join().includes('guess'));
  });

  test('closing ends connections at once', async () => {
    await start();
    const socket = connectTls({ host: '127.0.0.1', port: listener.port() ?? 0, ca: server.cert });
    sockets.push(socket);
    socket.on('error', () => {});
    await once(socket, 'secureConnect');
    const gone = once(socket.resume(), 'close');
    await listener.close();
    await gone;
    await assert.rejects(ask('/v1/incidents', `Bearer ${READ}`));
  });
});
