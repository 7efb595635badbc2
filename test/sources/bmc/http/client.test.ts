// Tests of the client against services that answer badly: pages, redirects, bodies without end, links that lead away.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { RedfishClient } from '../../../../src/sources/bmc/http/client.ts';
import type { RedfishError } from '../../../../src/sources/bmc/http/redfish-error.ts';
import { bmcConfig } from '../support.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

async function against(
  handler: Handler,
  run: (client: RedfishClient, asked: string[]) => Promise<void>,
): Promise<void> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    handler(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const config = bmcConfig(`http://127.0.0.1:${port}`, { user: null, password: null, timeoutMs: 500 });
  const client = new RedfishClient(config, () => Date.now());
  try {
    await run(client, asked);
  } finally {
    await client.close();
    server.closeAllConnections();
    server.close();
  }
}

const json = (response: ServerResponse, body: unknown) => response.end(JSON.stringify(body));
const fault = (name: string) => (error: RedfishError) => error.fault === name;

test('a collection is read over its pages, and a page that leads back ends it', async () => {
  const pages: Handler = (request, response) => {
    const page = Number(new URL(request.url ?? '', 'http://b').searchParams.get('$skip') ?? '0');
    const members = [{ '@odata.id': `/m/${page}` }, { '@odata.id': `/m/${page}` }, null, 'nonsense'];
    json(response, { Members: members, 'Members@odata.nextLink': `/c?$skip=${(page + 1) % 3}` });
  };
  await against(pages, async (client, asked) => {
    assert.deepEqual(await client.members('/c?$skip=0'), ['/m/0', '/m/1', '/m/2']);
    assert.equal(asked.length, 3);
  });
});

test('a redirect on the same service is followed, one to elsewhere is not', async () => {
  const moved: Handler = (request, response) => {
    const to = request.url === '/a' ? '/a/' : 'http://192.0.2.1/steal';
    if (request.url === '/a/') return void json(response, { Id: 'a' });
    response.writeHead(308, { location: to }).end();
  };
  await against(moved, async (client) => {
    assert.deepEqual((await client.get('/a')).body, { Id: 'a' });
    await assert.rejects(client.get('/b'), fault('bad_reply'));
  });
});

for (const [why, handler, expected] of [
  ['HTML', (_, response) => void response.end('<html>'), 'bad_reply'],
  [
    'an error with status 200',
    (_, response) => void json(response, { error: { code: 'Base.1.0.InternalError' } }),
    'server',
  ],
  ['404', (_, response) => void response.writeHead(404).end(), 'missing'],
  ['403', (_, response) => void response.writeHead(403).end(), 'forbidden'],
  ['500', (_, response) => void response.writeHead(500).end(), 'server'],
  ['503', (_, response) => void response.writeHead(503, { 'retry-after': '30' }).end(), 'busy'],
  ['401', (_, response) => void response.writeHead(401).end(), 'credentials'],
  ['a body that never ends', (_, response) => void response.write('{"a":'), 'timeout'],
  ['a body without bounds', (_, response) => void response.end(Buffer.alloc(5 * 1024 * 1024, ' ')), 'too_large'],
  ['a connection that breaks', (request) => void request.socket.destroy(), 'network'],
] as readonly (readonly [string, Handler, string])[]) {
  test(`${why} is reported as ${expected}`, async () => {
    await against(handler, async (client) => {
      await assert.rejects(client.get('/x'), fault(expected));
    });
  });
}

test('what is not a Redfish service is reported with what it says it is', async () => {
  const web: Handler = (_, response) => void response.setHeader('content-type', 'text/html').end('<html>');
  await against(web, async (client) => {
    await assert.rejects(client.root(), /FL2306 .*status 200, text\/html/);
  });
});

test('a kept connection that the BMC closed meanwhile is replaced, and the request sent once more', async () => {
  let requests = 0;
  const closing: Handler = (request, response) => {
    requests += 1;
    if (requests === 2) return void request.socket.destroy();
    json(response, { Id: 'x' });
  };
  await against(closing, async (client) => {
    await client.get('/x');
    assert.deepEqual((await client.get('/x')).body, { Id: 'x' });
    assert.equal(requests, 3);
  });
});

for (const [header, ms] of [
  ['120', 120_000],
  ['soon', 30_000],
  ['999999', 3_600_000],
] as const) {
  test(`a busy BMC that says ${header} is left alone for ${ms} ms`, async () => {
    const busy: Handler = (_, response) => void response.writeHead(503, { 'retry-after': header }).end();
    await against(busy, async (client) => {
      await assert.rejects(client.get('/x'), (error: RedfishError) => error.retryAfterMs === ms);
    });
  });
}

test('nothing is asked after the close', async () => {
  await against(
    (_, response) => void json(response, {}),
    async (client, asked) => {
      await client.close();
      await assert.rejects(client.get('/x'), fault('closed'));
      assert.deepEqual(asked, []);
    },
  );
});
