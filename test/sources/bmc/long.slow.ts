// What takes minutes: an answer of sixty seconds, and sessions that end again and again.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { selfSignedCertificate } from '../../../src/simulator/bmc/certificate.ts';
import { SimulatedBmc } from '../../../src/simulator/bmc/simulated-bmc.ts';
import { BmcSource } from '../../../src/sources/bmc/bmc-source.ts';
import { RedfishClient } from '../../../src/sources/bmc/http/client.ts';
import { bmcConfig, Recorder, until } from './support.ts';

test('an answer that takes sixty seconds is waited for where the timeout allows it, and delays no other BMC', async (t) => {
  const made = selfSignedCertificate('slow', '127.0.0.1');
  const server = createServer({ key: made.key, cert: made.certificate }, (_, response) => {
    setTimeout(() => response.end('{"Id":"x"}'), 60_000);
  });
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const url = `https://127.0.0.1:${port}`;
  const quick = await SimulatedBmc.start();
  t.after(() => quick.close());
  const source = new BmcSource([bmcConfig(quick.url), bmcConfig(url, { host: 'slow', timeoutMs: 90_000 })], {
    now: Date.now,
  });
  t.after(() => source.stop());
  const recorder = new Recorder();
  source.start(recorder, new AbortController().signal);
  const client = new RedfishClient(bmcConfig(url, { user: null, password: null, timeoutMs: 90_000 }), Date.now);
  t.after(() => client.close());
  const startedMs = performance.now();
  await client.get('/x');
  assert.ok(performance.now() - startedMs >= 59_000);
  assert.ok(recorder.values('psu/node-3/1#output_power').length >= 100, 'the other was read all the time');
});

test('a BMC whose name leads to another address is read there, within two minutes', async (t) => {
  const dns = process.getBuiltinModule('node:dns/promises');
  let address = '127.0.0.1';
  t.mock.method(dns, 'lookup', () => Promise.resolve([{ address, family: 4 }]));
  const before = await SimulatedBmc.start();
  const port = new URL(before.url).port;
  const config = bmcConfig(`https://bmc-3.example:${port}`, { timeoutMs: 1000 });
  const source = new BmcSource([config], { now: Date.now });
  t.after(() => source.stop());
  const recorder = new Recorder();
  source.start(recorder, new AbortController().signal);
  const readings = () => recorder.values('psu/node-3/1#output_power').length;
  await until(() => readings() >= 2);
  await before.close();
  const after = await SimulatedBmc.start({ address: '127.0.0.2', port: Number(port) });
  t.after(() => after.close());
  address = '127.0.0.2';
  const had = readings();
  await until(() => readings() > had + 2, { limitMs: 120_000 });
  assert.ok(after.requests > 0);
});

test('sessions that the BMC ends every few seconds leave none behind, over a minute', async (t) => {
  const bmc = await SimulatedBmc.start();
  t.after(() => bmc.close());
  const source = new BmcSource([bmcConfig(bmc.url)], { now: Date.now });
  const recorder = new Recorder();
  source.start(recorder, new AbortController().signal);
  await until(() => recorder.values('psu/node-3/1#output_power').length >= 2);
  for (let i = 0; i < 20; i += 1) {
    bmc.sessions.forget();
    await sleep(3000);
    assert.ok(bmc.sessions.open <= 1, `${bmc.sessions.open} sessions`);
  }
  await source.stop();
  assert.equal(bmc.sessions.open, 0);
  assert.equal(bmc.sessions.refusals, 0);
});
