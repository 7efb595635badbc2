// Which certificate of a BMC is the right one: an authority's word, a fingerprint, or the one that it showed first.

import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { selfSignedCertificate } from '../../../../src/simulator/bmc/certificate.ts';
import type { RedfishError } from '../../../../src/sources/bmc/http/redfish-error.ts';
import { Transport } from '../../../../src/sources/bmc/http/transport.ts';
import { BmcRecord } from '../../../../src/sources/bmc/memory/bmc-record.ts';
import type { BmcSettings } from '../../../../src/sources/bmc/settings.ts';
import { bmcConfig } from '../support.ts';

interface Served {
  readonly url: string;
  readonly asked: string[];
  readonly sha256: () => string;
  readonly pem: () => string;
  /** Another certificate from now on. */
  change(): void;
  connections(): number;
}

async function served(t: TestContext): Promise<Served> {
  const asked: string[] = [];
  let made = selfSignedCertificate('bmc.simulated', '127.0.0.1');
  let connections = 0;
  const server = https.createServer({ key: made.key, cert: made.certificate }, (request, response) => {
    asked.push(`${request.url} ${request.headers['x-auth-token'] ?? ''}`);
    response.end('{}');
  });
  server.on('secureConnection', () => {
    connections += 1;
  });
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    url: `https://127.0.0.1:${port}`,
    asked,
    sha256: () => new X509Certificate(made.certificate).fingerprint256.replaceAll(':', '').toLowerCase(),
    pem: () => made.certificate,
    change() {
      made = selfSignedCertificate('bmc.simulated', '127.0.0.1');
      server.setSecureContext({ key: made.key, cert: made.certificate });
      server.closeAllConnections();
    },
    connections: () => connections,
  };
}

function asking(t: TestContext, url: string, more: Partial<BmcSettings>, record = new BmcRecord()) {
  const transport = new Transport(bmcConfig(url, { insecure: false, timeoutMs: 3000, ...more }), Date.now, record);
  t.after(() => transport.close());
  return () => transport.send({ method: 'GET', path: '/x', headers: { 'X-Auth-Token': 'secret' } });
}

test('a certificate that no authority vouches for is refused with its fingerprint, and nothing is sent', async (t) => {
  const bmc = await served(t);
  await assert.rejects(asking(t, bmc.url, {}), (error: RedfishError) => {
    assert.deepEqual([error.fault, error.code], ['certificate', 'FL2303']);
    assert.ok(error.message.includes(bmc.sha256()), error.message);
    return true;
  });
  assert.deepEqual(bmc.asked, []);
});

test('the fingerprint itself, or the certificate as its own authority, lets it in', async (t) => {
  const bmc = await served(t);
  assert.equal((await asking(t, bmc.url, { pin: bmc.sha256() })()).status, 200);
  assert.equal((await asking(t, bmc.url, { ca: bmc.pem() })()).status, 200);
  await assert.rejects(asking(t, bmc.url, { pin: 'ab'.repeat(32) }), { fault: 'certificate_changed' });
});

test('the first certificate is kept over runs; another one is reported, never accepted, and gets no token', async (t) => {
  const bmc = await served(t);
  const record = new BmcRecord();
  const ask = asking(t, bmc.url, { pin: 'first_use' }, record);
  await ask();
  assert.equal(record.fingerprint, bmc.sha256());
  const first = bmc.sha256();
  const seen = bmc.asked.length;
  bmc.change();
  // The same run, with a session of TLS to take up, and one that only has what was kept.
  for (const again of [ask, asking(t, bmc.url, { pin: 'first_use' }, new BmcRecord(record.facts))]) {
    await assert.rejects(again, (error: RedfishError) => {
      assert.deepEqual([error.fault, error.code], ['certificate_changed', 'FL2314']);
      assert.ok(error.message.includes(bmc.sha256()) && error.message.includes(first), error.message);
      return true;
    });
  }
  assert.equal(bmc.asked.length, seen, 'nothing was sent');
  assert.equal(record.fingerprint, first, 'and nothing was forgotten');
});

test('a service that takes the connection and says nothing leaves no connection behind', async (t) => {
  const bmc = await served(t);
  const silent = (await import('node:net')).createServer();
  const sockets = new Set<unknown>();
  silent.on('connection', (socket) => {
    sockets.add(socket);
    socket
      .on('close', () => sockets.delete(socket))
      .on('error', () => undefined)
      .resume();
  });
  t.after(() => silent.close());
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo; // it listens on TCP
  const ask = asking(t, `https://127.0.0.1:${port}`, { pin: bmc.sha256(), timeoutMs: 100 });
  for (let i = 0; i < 3; i += 1) await assert.rejects(ask, { fault: 'timeout' });
  const { until } = await import('../../../until.ts');
  await until(() => sockets.size === 0);
});

test('connections that the BMC closes after each answer leave none behind', async (t) => {
  const bmc = await served(t);
  const transport = new Transport(
    bmcConfig(bmc.url, { insecure: false, pin: bmc.sha256() }),
    Date.now,
    new BmcRecord(),
  );
  t.after(() => transport.close());
  for (let i = 0; i < 40; i += 1) {
    await transport.send({ method: 'GET', path: '/x', headers: { Connection: 'close' } });
  }
  assert.equal(bmc.connections(), 40);
  const open = process.getActiveResourcesInfo().filter((what) => what === 'TLSSocketWrap' || what === 'TCPSocketWrap');
  assert.ok(open.length <= 4, `${open.length} sockets`);
});
