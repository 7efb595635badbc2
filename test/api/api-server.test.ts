// The local API over its real socket: routes, refusals, hostile requests, slow readers, an end that waits for no client.

import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { type ApiServer, startApi } from '../../src/api/api-server.ts';
import { ask } from '../../src/api/client.ts';
import { until } from '../until.ts';
import { connected, event, get, raw, TestBackend, temporaryFolder } from './helpers.ts';

describe('the local API', () => {
  let backend: TestBackend;
  let api: ApiServer;
  beforeEach(async () => {
    backend = new TestBackend();
    api = await startApi(backend, join(temporaryFolder(), 'run'));
  });
  afterEach(() => api.close());

  test('gives its status, and only owner and group may connect', async () => {
    const { status, body } = await get(api.path, '/v1/status');
    assert.equal(status, 200);
    assert.equal(JSON.parse(body).schema, 'faultline/status/1');
    assert.equal(JSON.parse(body).host, 'node-3');
    assert.equal(statSync(api.path).mode & 0o777, 0o660);
  });

  test('releases devices for the time asked, ten minutes when none is', async () => {
    assert.equal((await get(api.path, '/v1/release-devices?for_ms=5000', 'POST')).status, 200);
    assert.equal((await get(api.path, '/v1/release-devices', 'POST')).status, 200);
    assert.deepEqual(backend.released, [5000, 600_000]);
  });

  const refusals: readonly [string, string, number, string][] = [
    ['GET', '/', 404, 'FL4101'],
    ['GET', '/v1/../v1/status', 404, 'FL4101'],
    ['GET', '/constructor', 404, 'FL4101'],
    ['DELETE', '/v1/status', 405, 'FL4102'],
    ['GET', '/v1/release-devices', 405, 'FL4102'],
    ['GET', '/v1/events?follow=yes', 400, 'FL4103'],
    ['GET', '/v1/events?follow=1&follow=0', 400, 'FL4103'],
    ['GET', '/v1/status?x=1', 400, 'FL4103'],
    ['POST', '/v1/release-devices?for_ms=-1', 400, 'FL4103'],
    ['POST', '/v1/release-devices?for_ms=1e9', 400, 'FL4103'],
    ['POST', '/v1/release-devices?for_ms=999999999', 400, 'FL4103'],
    ['POST', '/v1/release-devices?for_ms=', 400, 'FL4103'],
  ];
  for (const [method, path, status, code] of refusals) {
    test(`refuses ${method} ${path} with ${status} ${code}`, async () => {
      const answer = await get(api.path, path, method);
      assert.equal(answer.status, status);
      assert.equal(JSON.parse(answer.body).code, code);
      assert.deepEqual(backend.released, []);
    });
  }

  test('refuses a body', async () => {
    const answer = await get(api.path, '/v1/release-devices', 'POST', 'for_ms=5000');
    assert.equal(answer.status, 413);
    assert.deepEqual(backend.released, []);
  });

  test('a backend that throws is one answer 500, not the end', async () => {
    backend.status = () => {
      throw new Error('secret detail');
    };
    const answer = await get(api.path, '/v1/status');
    assert.equal(answer.status, 500);
    assert.ok(!answer.body.includes('secret detail'));
    assert.equal((await get(api.path, '/v1/events')).status, 200);
  });

  const hostile: readonly [string, string | Buffer][] = [
    ['binary noise', Buffer.from([0, 255, 1, 13, 10, 13, 10])],
    ['a header of 64 KiB', `GET /v1/status HTTP/1.1\r\nhost: x\r\nx: ${'a'.repeat(65536)}\r\n\r\n`],
    ['a path of 64 KiB', `GET /${'a'.repeat(65536)} HTTP/1.1\r\nhost: x\r\n\r\n`],
    ['TLS', Buffer.from('16030100f8010000f40303', 'hex')],
    [
      'two lengths',
      'POST /v1/release-devices HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\ncontent-length: 5\r\n\r\nabcde',
    ],
  ];
  for (const [name, bytes] of hostile) {
    test(`hangs up on ${name} and serves the next client`, async () => {
      const answer = await raw(api.path, bytes);
      assert.ok(answer === '' || answer.startsWith('HTTP/1.1 4'), answer.slice(0, 80));
      assert.equal((await get(api.path, '/v1/status')).status, 200);
      assert.deepEqual(backend.released, []);
    });
  }

  test('streams what there was and then what comes, one line each', async () => {
    backend.recent = [event('old')];
    const socket = await connected(api.path);
    socket.write('GET /v1/events?follow=1 HTTP/1.1\r\nhost: x\r\n\r\n');
    let text = '';
    const seen = new Promise<void>((resolve) => {
      socket.on('data', (part) => {
        text += part.toString();
        if (text.includes('"text":"old"') && backend.eventListeners.size === 1) backend.emit(event('new'));
        if (text.includes('"text":"new"')) resolve();
      });
    });
    await seen;
    assert.ok(text.indexOf('"old"') < text.indexOf('"new"'));
    socket.destroy();
    await new Promise<void>((resolve) => socket.once('close', () => resolve()));
    await until(() => backend.eventListeners.size === 0);
    assert.equal(api.counters.streams, 0);
  });

  test('a backlog larger than the bound reaches a client that reads it', async () => {
    backend.recent = Array.from({ length: 400 }, (_, i) => event('x'.repeat(10_000), 1_700_000_000_000 + i));
    const socket = await connected(api.path);
    socket.write('GET /v1/events?follow=1 HTTP/1.1\r\nhost: x\r\n\r\n');
    let documents = 0;
    await new Promise<void>((resolve) => {
      socket.on('data', (part) => {
        documents += part.toString().split('faultline/event/1').length - 1;
        if (documents >= 399) resolve(); // one of them may stand across two parts
      });
    });
    assert.equal(api.counters.slowReaders, 0);
    socket.destroy();
    await until(() => backend.eventListeners.size === 0);
  });

  test('a follower that does not read is let go and counted, and others continue', async () => {
    const slow = await connected(api.path);
    slow.pause();
    slow.write('GET /v1/events?follow=1 HTTP/1.1\r\nhost: x\r\n\r\n');
    await until(() => backend.eventListeners.size > 0);
    for (let i = 0; i < 1000 && backend.eventListeners.size > 0; i += 1) {
      backend.emit(event('x'.repeat(10_000), 1_700_000_000_000 + i));
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.equal(api.counters.slowReaders, 1);
    assert.equal((await get(api.path, '/v1/status')).status, 200);
    slow.destroy();
  });

  test('closing ends followers and idle connections, and takes the socket away', async () => {
    const idle = await connected(api.path);
    const follower = await connected(api.path);
    follower.write('GET /v1/events?follow=1 HTTP/1.1\r\nhost: x\r\n\r\n');
    await until(() => backend.eventListeners.size > 0);
    const gone = [idle, follower].map((socket) => new Promise((resolve) => socket.resume().once('close', resolve)));
    await api.close();
    await Promise.all(gone);
    assert.ok(!existsSync(api.path));
  });
});

describe('the place of the socket', () => {
  test('the socket of a dead daemon is taken over', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'faultline.sock');
    const { spawnSync } = await import('node:child_process');
    const code = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
    spawnSync(process.execPath, ['-e', code]);
    assert.ok(existsSync(path));
    const api = await startApi(new TestBackend(), folder);
    assert.equal((await get(api.path, '/v1/status')).status, 200);
    await api.close();
  });

  test('a live daemon keeps its socket', async () => {
    const folder = temporaryFolder();
    const first = await startApi(new TestBackend(), folder);
    await assert.rejects(startApi(new TestBackend(), folder), /FL4112/);
    assert.equal((await get(first.path, '/v1/status')).status, 200);
    await first.close();
  });

  test('a folder that cannot be made is reported with what to do', async () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    const reported = /^Error: FL4111 .*run cannot hold the socket: (ENOTDIR|EEXIST).*set directories\.runtime$/;
    await assert.rejects(startApi(new TestBackend(), join(file, 'run')), reported);
  });

  test('a file or link in its place is left alone', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'faultline.sock'), 'precious');
    await assert.rejects(startApi(new TestBackend(), folder), /FL4111/);
    const linked = temporaryFolder();
    symlinkSync(join(folder, 'elsewhere'), join(linked, 'faultline.sock'));
    await assert.rejects(startApi(new TestBackend(), linked), /FL4111/);
    assert.ok(existsSync(join(folder, 'faultline.sock')));
  });

  test('a path too long for a socket is reported before anything is made', async () => {
    const folder = join(temporaryFolder(), 'x'.repeat(120));
    await assert.rejects(startApi(new TestBackend(), folder), /FL4110 .*directories\.runtime/);
    assert.ok(!existsSync(folder));
  });
});

describe('the client', () => {
  test('says that no daemon listens, and where it looked', async () => {
    await assert.rejects(
      ask('GET', '/v1/status', ['/nonexistent/faultline.sock']),
      /FL1203 .*\/nonexistent\/faultline\.sock/,
    );
  });

  test('passes on what the daemon refuses, in its words', async () => {
    const api = await startApi(new TestBackend(), temporaryFolder());
    await assert.rejects(ask('POST', '/v1/release-devices?for_ms=1', [api.path]), /FL4103 for_ms/);
    assert.deepEqual(Object.keys((await ask('GET', '/v1/status', [api.path])) as object).includes('pid'), true);
    await api.close();
  });

  test('is not misled by something else on the socket', async () => {
    const path = join(temporaryFolder(), 'other.sock');
    const server = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nhi!'));
    await new Promise<void>((resolve) => server.listen(path, resolve));
    await assert.rejects(ask('GET', '/v1/status', [path]), /FL1205/);
    server.close();
  });
});

/** The server learns of closed clients a moment after they do. */

describe('a socket that another program removes', () => {
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });
  const kept = async (folder: string) => {
    const reported: string[] = [];
    const backend = new TestBackend();
    const onTrouble = (code: string) => reported.push(code);
    const api = await startApi(backend, folder, { checkMs: 20, onTrouble });
    closing.push(() => api.close());
    return { api, reported };
  };

  test('is made again, with its folder and its rights, and who is connected stays so', async () => {
    const folder = join(temporaryFolder(), 'run');
    const { api, reported } = await kept(folder);
    const follower = await connected(api.path);
    follower.write('GET /v1/events?follow=1 HTTP/1.1\r\nhost: x\r\n\r\n');
    await new Promise((resolve) => follower.once('data', resolve));
    for (let times = 1; times <= 2; times += 1) {
      rmSync(folder, { recursive: true });
      await until(() => reported.length === times);
      assert.equal((await get(api.path, '/v1/status')).status, 200);
      assert.equal(statSync(api.path).mode & 0o777, 0o660);
    }
    assert.deepEqual([reported, api.trouble(), follower.destroyed], [['FL4113', 'FL4113'], null, false]);
    await api.close();
    assert.equal(existsSync(api.path), false);
  });

  test('is reported once and for as long as it cannot be made, and then made', async () => {
    const above = temporaryFolder();
    const folder = join(above, 'run');
    const { api, reported } = await kept(folder);
    rmSync(folder, { recursive: true });
    writeFileSync(folder, 'in the way');
    await until(() => reported.length > 0);
    assert.match(api.trouble() ?? '', /faultline\.sock is gone and cannot be made again: /);
    await new Promise((resolve) => setTimeout(resolve, 100));
    rmSync(folder);
    await until(() => reported.length > 1);
    assert.deepEqual([reported, api.trouble()], [['FL4114', 'FL4113'], null]);
    assert.equal((await get(api.path, '/v1/status')).status, 200);
    await api.close();
  });

  test('is not taken from another daemon that listens in its place', async () => {
    const folder = join(temporaryFolder(), 'run');
    const { api, reported } = await kept(folder);
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    const other = createServer().listen(api.path);
    closing.push(() => other.close());
    await until(() => reported.length > 0);
    assert.deepEqual(reported, ['FL4114']);
    assert.ok(existsSync(api.path));
    await new Promise((resolve) => other.close(resolve));
    await until(() => reported.length > 1);
    assert.equal((await get(api.path, '/v1/status')).status, 200);
    await api.close();
  });

  test('a folder that was moved away and one that others may write count as gone', async () => {
    const above = temporaryFolder();
    const folder = join(above, 'run');
    const { api, reported } = await kept(folder);
    renameSync(folder, join(above, 'moved'));
    mkdirSync(folder);
    chmodSync(folder, 0o777);
    await until(() => reported.length > 0);
    assert.match(api.trouble() ?? '', /FL4111/);
    chmodSync(folder, 0o750);
    await until(() => reported.length > 1);
    assert.deepEqual(reported, ['FL4114', 'FL4113']);
    await api.close();
  });
});
