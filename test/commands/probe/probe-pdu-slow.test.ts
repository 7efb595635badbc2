// faultline probe pdu at devices that are slow, far away, set up otherwise, or show the largest number for "unknown".

import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type ProbePduOptions, probePdu } from '../../../src/commands/probe/probe-pdu.ts';
import { SimulatedPdu, type SimulatedPduOptions } from '../../../src/simulator/pdu-agent/simulated-pdu.ts';
import { USER } from '../../sources/pdu/support.ts';
import { until } from '../../until.ts';

async function simulated(t: TestContext, options: SimulatedPduOptions = {}): Promise<SimulatedPdu> {
  const pdu = await SimulatedPdu.start({ model: { outlets: 2, voltageV: 230 }, ...options });
  t.after(() => pdu.close());
  return pdu;
}

class Probe {
  out = '';
  error = '';
  readonly ended: Promise<number>;
  constructor(port: number, options: ProbePduOptions) {
    const out = (text: string): void => {
      this.out += text;
    };
    const error = (text: string): void => {
      this.error += text;
    };
    this.ended = probePdu(`127.0.0.1:${port}`, { timeout: '300', ...options }, { out, error, env: {} });
  }
}

/** A way to the PDU that holds everything up until it is opened. */
async function slowWay(t: TestContext, port: number) {
  const [near, far] = [dgram.createSocket('udp4'), dgram.createSocket('udp4')];
  t.after(() => {
    near.close();
    far.close();
  });
  near.bind(0, '127.0.0.1');
  await once(near, 'listening');
  const way = { port: near.address().port, waiting: [] as Buffer[], open: false };
  let client = 0;
  near.on('message', (datagram, from) => {
    client = from.port;
    if (way.open) far.send(datagram, port, '127.0.0.1');
    else way.waiting.push(datagram);
  });
  far.on('message', (datagram) => near.send(datagram, client, '127.0.0.1'));
  const open = (): void => {
    way.open = true;
    for (const datagram of way.waiting) far.send(datagram, port, '127.0.0.1');
  };
  return { way, open };
}

test('a discovery that takes long shows how far it is, on standard error alone', async (t) => {
  const pdu = await simulated(t);
  const { way, open } = await slowWay(t, pdu.port);
  t.mock.timers.enable({ apis: ['setInterval'] });
  const probe = new Probe(way.port, { json: true, timeout: '20000' });
  await until(() => way.waiting.length > 0);
  t.mock.timers.tick(2000);
  assert.match(probe.error, /^127\.0\.0\.1:\d+: reading what it is and which tables it has, 0 answers\n$/);
  open();
  assert.equal(await probe.ended, 0);
  const { readings } = JSON.parse(probe.out);
  assert.ok(readings.length > 0);
  t.mock.timers.tick(10_000);
  assert.equal(probe.error.split('\n').length, 2, 'nothing is shown after the end');
});

test('sentinel maxima are dropped by probe too', async (t) => {
  const pdu = await simulated(t);
  pdu.setVoltage(1, 65_535);
  const probe = new Probe(pdu.port, { json: true });
  assert.equal(await probe.ended, 0);
  const { readings } = JSON.parse(probe.out) as { readings: { quantity: string; value: number | null }[] };
  const voltages = readings.filter(({ quantity }) => quantity === 'voltage').map(({ value }) => value);
  assert.ok(!voltages.includes(65_535), voltages.join());
  assert.ok(readings.some(({ value }) => value !== null));
});

test('wrong community, context and key are told apart, or reported as one of', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'probe-keys-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = (name: string, key: string): string => {
    writeFileSync(join(folder, name), key);
    return join(folder, name);
  };
  const [auth, priv, other] = [file('auth', USER.authKey ?? ''), file('priv', USER.privKey ?? ''), file('other', 'not-the-key')]; // biome-ignore format: one line
  const pdu = await simulated(t, { user: USER, community: 'rack-14' });
  const v3 = { v3User: USER.name, authProtocol: USER.authProtocol ?? '', privProtocol: USER.privProtocol ?? '' };
  for (const [options, reported] of [
    [{ community: 'wrong-secret' }, /^FL2101 .*community is wrong/],
    [{ ...v3, authKeyFile: other, privKeyFile: priv }, /^FL2103 .*wrong authentication key or protocol/],
    [{ ...v3, authKeyFile: auth, privKeyFile: other }, /^FL2106 .*wrong privacy key or protocol/],
    [{ ...v3, v3User: 'mallory', authKeyFile: auth, privKeyFile: priv }, /^FL2102 .*does not know user "mallory"/],
  ] as const) {
    const probe = new Probe(pdu.port, options);
    assert.equal(await probe.ended, 1);
    assert.match(probe.error, reported);
    assert.doesNotMatch(probe.error, /wrong-secret|not-the-key/);
  }
});
