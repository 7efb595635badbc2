// Tests of following the local API.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { follow } from '../../../src/simulator/demo/follow.ts';

let folder = '';
let server: Server;
let socket = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'faultline-follow-'));
  socket = join(folder, 's.sock');
});
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  rmSync(folder, { recursive: true });
});

async function serve(answer: (response: ServerResponse) => void): Promise<void> {
  server = createServer((_, response) => answer(response));
  await new Promise<void>((resolve) => server.listen(socket, resolve));
}

/** What came until the stream ended, and why it did. */
function all(): Promise<{ documents: unknown[]; why: string }> {
  const documents: unknown[] = [];
  return new Promise((resolve) => {
    follow(
      socket,
      '/v1/events',
      (document) => documents.push(document),
      (why) => resolve({ documents, why }),
    );
  });
}

test('documents come whole, wherever the stream is cut', async () => {
  const bytes = Buffer.from('{"a":"ä"}\n{"b":2}\n\n');
  await serve((response) => {
    response.write(bytes.subarray(0, 7));
    setImmediate(() => response.end(bytes.subarray(7)));
  });
  assert.deepEqual(await all(), { documents: [{ a: 'ä' }, { b: 2 }], why: '/v1/events was closed' });
});

test('a line that is not JSON ends it', async () => {
  await serve((response) => void response.write('{"a":1}\nwhat\n{"b":2}\n'));
  const { documents, why } = await all();
  assert.deepEqual(documents, [{ a: 1 }]);
  assert.match(why, /not JSON/);
});

test('a refusal ends it with its status', async () => {
  await serve((response) => {
    response.statusCode = 503;
    response.end();
  });
  assert.match((await all()).why, /status 503/);
});

test('a socket that is not there ends it', async () => {
  await serve(() => undefined);
  socket = join(folder, 'other.sock');
  assert.match((await all()).why, /ENOENT/);
});

test('nothing is reported after it was stopped', async () => {
  let reported = 0;
  await serve((response) => void response.write('{"a":1}\n'));
  const stop = follow(
    socket,
    '/',
    () => reported++,
    () => reported++,
  );
  stop();
  await new Promise((resolve) => setTimeout(resolve, 30));
  assert.equal(reported, 0);
});
