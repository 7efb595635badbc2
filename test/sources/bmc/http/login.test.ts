// Sessions of a BMC: one, ended when we go, and the one that a crash left; with room for eight, and for its administrators too.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SimulatedBmc } from '../../../../src/simulator/bmc/simulated-bmc.ts';
import { RedfishClient } from '../../../../src/sources/bmc/http/client.ts';
import { BmcMemory } from '../../../../src/sources/bmc/memory/bmc-memory.ts';
import { type BmcFacts, BmcRecord, NO_FACTS } from '../../../../src/sources/bmc/memory/bmc-record.ts';
import { bmcConfig } from '../support.ts';

async function simulated(t: TestContext): Promise<SimulatedBmc> {
  const bmc = await SimulatedBmc.start();
  t.after(() => bmc.close());
  return bmc;
}

async function opened(bmc: SimulatedBmc, record = new BmcRecord()): Promise<RedfishClient> {
  const client = new RedfishClient(bmcConfig(bmc.url), Date.now, { record });
  await client.root();
  await client.get('/redfish/v1/Chassis');
  return client;
}

test('what is remembered of a session is where it is, never its token', async (t) => {
  const bmc = await simulated(t);
  const folder = mkdtempSync(join(tmpdir(), 'fl-bmc-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const memory = new BmcMemory([bmc.url], { directory: folder, keep: true });
  await memory.read();
  const client = await opened(bmc, memory.of(bmc.url));
  const { 'X-Auth-Token': token } = await client.credentials();
  assert.ok(token);
  await memory.stop();
  const text = readFileSync(join(folder, 'bmc.json'), 'utf8');
  assert.ok(text.includes('/SessionService/Sessions/1'));
  assert.ok(!text.includes(token) && !text.includes('simulated"') && !/password/i.test(text), text);
  await client.close();
});

test('the session that a crash left is ended by the next run, also where it took the last room', async (t) => {
  const bmc = await simulated(t);
  const record = new BmcRecord();
  await opened(bmc, record); // killed: never closed
  assert.equal(bmc.sessions.open, 1);
  const next = await opened(bmc, new BmcRecord(record.facts));
  assert.equal(bmc.sessions.open, 1, 'its own, and the other is gone');
  await next.close();
  assert.equal(bmc.sessions.open, 0);

  const left = new BmcRecord();
  await opened(bmc, left);
  for (let i = 0; i < 7; i += 1) bmc.sessions.create({ UserName: 'faultline', Password: 'simulated' });
  assert.equal(bmc.sessions.open, 8, 'full');
  const after = await opened(bmc, new BmcRecord(left.facts));
  assert.ok('X-Auth-Token' in (await after.credentials()), 'a session, in the room that it made');
  await after.close();
  assert.equal(bmc.sessions.open, 7);
});

test('a session of the same number that is another one is left alone', async (t) => {
  const bmc = await simulated(t);
  bmc.sessions.create({ UserName: 'faultline', Password: 'simulated' });
  const location = '/redfish/v1/SessionService/Sessions/1';
  for (const session of [
    { location, user: 'faultline', created: '2020-01-01T00:00:00Z' },
    { location, user: 'another', created: null },
    { location: '/redfish/v1/Chassis/Sled', user: 'faultline', created: null },
  ]) {
    const facts: BmcFacts = { ...NO_FACTS, session };
    const client = await opened(bmc, new BmcRecord(facts));
    assert.equal(bmc.sessions.open, 2);
    await client.close();
    assert.equal(bmc.sessions.open, 1);
  }
});

test('a look of a moment knows the certificate and ends no session of the daemon', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'fl-bmc-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const url = 'https://b';
  const daemon = new BmcMemory([url], { directory: folder, keep: true });
  await daemon.read();
  daemon.of(url).pin('ab'.repeat(32));
  daemon.of(url).opened({ location: '/s/1', user: 'u', created: null });
  daemon.of(url).read('/log', { id: '7', createdMs: 5 });
  await daemon.stop();
  const before = readFileSync(join(folder, 'bmc.json'), 'utf8');
  const moment = new BmcMemory([url], { directory: folder, keep: false });
  await moment.read();
  assert.deepEqual([moment.of(url).fingerprint, moment.of(url).session], ['ab'.repeat(32), null]);
  moment.of(url).pin('cd'.repeat(32));
  await moment.stop();
  assert.equal(readFileSync(join(folder, 'bmc.json'), 'utf8'), before);
  const next = new BmcMemory([url], { directory: folder, keep: true });
  await next.read();
  assert.deepEqual(next.of(url).facts, {
    fingerprint: 'ab'.repeat(32),
    session: { location: '/s/1', user: 'u', created: null },
    logs: { '/log': { id: '7', createdMs: 5 } },
  });
});

test('a wrong password is tried once, and not again at each poll', async (t) => {
  const bmc = await simulated(t);
  let nowMs = 1_000_000;
  const client = new RedfishClient(bmcConfig(bmc.url, { password: 'wrong' }), () => nowMs);
  await client.root();
  for (let i = 0; i < 30; i += 1, nowMs += 10_000) await client.get('/redfish/v1/Chassis').catch(() => undefined);
  // 300 s: at 0, 60 and 180 s.
  assert.equal(bmc.sessions.refusals, 3);
  await client.close();
});

test('a BMC that ends sessions sooner than they are used again is asked without them', async (t) => {
  const bmc = await simulated(t);
  let nowMs = 1_000_000;
  const client = new RedfishClient(bmcConfig(bmc.url), () => nowMs);
  await client.root();
  for (let i = 0; i < 20; i += 1, nowMs += 60_000) {
    bmc.sessions.forget();
    await client.get('/redfish/v1/Chassis');
  }
  assert.equal(bmc.sessions.logins, 3, 'and not one at each poll');
  await client.close();
});

test('an end of the session that is itself refused ends nothing else', async (t) => {
  const bmc = await simulated(t);
  const client = await opened(bmc);
  bmc.sessions.forget(); // DELETE answers 401 from now on
  await client.get('/redfish/v1/Chassis');
  bmc.sessions.forget();
  await client.close();
  assert.equal(bmc.sessions.refusals, 0);
});
