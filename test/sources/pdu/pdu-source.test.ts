// The source against simulated PDUs over real UDP: samples, discovery, events, health, and stopping.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { NameBook } from '../../../src/helpers/name-book.ts';
import { componentText } from '../../../src/model/component.ts';
import { SimulatedPdu, type SimulatedPduOptions } from '../../../src/simulator/pdu-agent/simulated-pdu.ts';
import { DevicePoller } from '../../../src/sources/devices/poller.ts';
import { Pdu } from '../../../src/sources/pdu/pdu.ts';
import { PduSource } from '../../../src/sources/pdu/pdu-source.ts';
import { type PduSession, SnmpSession } from '../../../src/sources/pdu/session.ts';
import type { PduSettings } from '../../../src/sources/pdu/settings.ts';
import { pduConfig, Recorder, USER, until } from './support.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function simulate(options: SimulatedPduOptions = {}): Promise<SimulatedPdu> {
  const pdu = await SimulatedPdu.start({ model: { outlets: 4, banks: 2 }, ...options });
  closing.push(() => pdu.close());
  return pdu;
}

function run(...configs: PduSettings[]): { source: PduSource; seen: Recorder } {
  const source = new PduSource(configs, { now: Date.now });
  const seen = new Recorder();
  source.start(seen, new AbortController().signal);
  closing.push(() => source.stop());
  return { source, seen };
}

test('a voltage sag is in the samples, between request and reply, and its phase feeds every outlet', async () => {
  const pdu = await simulate({ model: { outlets: 4, banks: 2, voltageV: 121.4 } });
  const { source, seen } = run(pduConfig(pdu.port));
  const key = 'pdu_phase/pdu-b/1#voltage';
  await until(() => seen.values(key).length > 1);
  pdu.setVoltage(1, 108.2);
  await until(() => seen.values(key).includes(108));
  assert.equal(seen.values(key)[0], 121);
  const batch = seen.batches[0];
  assert.deepEqual([batch?.source, batch?.trust], ['pdu', 'facility']);
  assert.ok(seen.batches.every((b) => b.timesMs.every((t) => t > Date.now() - 60_000 && t <= Date.now())));
  await until(() => seen.values('pdu_outlet/pdu-b/4#power').length > 0);

  const links = seen.discoveries.flatMap((d) =>
    d.links.map((l) => `${componentText(l.from)} ${l.relation} ${componentText(l.to)}`),
  );
  for (const link of [
    'pdu/pdu-b contains pdu_phase/pdu-b/1',
    'pdu_phase/pdu-b/1 feeds pdu_branch/pdu-b/2',
    'pdu_branch/pdu-b/1 feeds pdu_outlet/pdu-b/1',
    'pdu_branch/pdu-b/2 feeds pdu_outlet/pdu-b/4',
  ]) {
    assert.ok(links.includes(link), link);
  }
  const [health] = source.health();
  assert.deepEqual([health?.source, health?.status], ['pdu/pdu-b', 'works']);
  assert.equal(health?.detail, 'APC AP8641, 1 phase, 2 branches, 4 outlets');
});

test('what fell at once is looked at again after a second, not after a whole interval; what holds is not', async () => {
  const pdu = await simulate();
  const { seen } = run(pduConfig(pdu.port, { intervalMs: 4000 }));
  const times = () =>
    seen.batches.filter(({ keys }) => keys.includes('pdu_phase/pdu-b/1#voltage')).map((b) => b.timesMs[0] ?? 0);
  await until(() => times().length > 0);
  pdu.setVoltage(1, 150);
  await until(() => times().length >= 4);
  const [first = 0, second = 0, third = 0, fourth = 0] = times();
  assert.ok(second - first > 3000 && third - second < 2500 && fourth - third > 2500, times().join());
});

test('each object is read in fifteen looks, slow ones riding with fast ones, and no request grows too large', async () => {
  const config = pduConfig((await simulate({ model: { outlets: 24, banks: 2 } })).port, { timeoutMs: 5000 });
  const session = new SnmpSession(config, Date.now);
  const gets: number[] = [];
  const get = (oids: readonly string[]) => {
    gets.push(oids.length);
    return session.get(oids);
  };
  const { peer } = session;
  const counted: PduSession = {
    peer,
    foreign: 0,
    get,
    getNext: (oids) => session.getNext(oids),
    getBulk: (...all) => session.getBulk(...all),
    close: () => session.close(),
  };
  const pdu = new Pdu(config, { now: Date.now }, counted);
  closing.push(async () => pdu.close());
  const { signal } = new AbortController();
  const looks = async (count: number): Promise<ReadonlySet<string>> => {
    const seen = new Recorder();
    for (let i = 0; i < count; i += 1)
      await pdu.look({ emit: seen, nextDue: Number.POSITIVE_INFINITY, startedMs: Date.now(), signal, answered() {} });
    return new Set(seen.batches.flatMap(({ keys }) => keys));
  };
  const all = await looks(1);
  assert.ok(all.has('pdu_outlet/pdu-b/24#power'));
  await looks(15);
  gets.length = 0;
  assert.deepEqual([...(await looks(15))].toSorted(), [...all].toSorted());
  const objects = gets.reduce((sum, one) => sum + one, 0);
  assert.ok(gets.length < objects / 10 && gets.every((one) => one <= 20), gets.join());
});

test('on a three-phase PDU each branch hangs on its own phase', async () => {
  const pdu = await simulate({ model: { phases: 3, banks: 6, outlets: 12 } });
  const { seen } = run(pduConfig(pdu.port));
  await until(() => seen.discoveries.length > 0);
  const feeders = seen.discoveries
    .filter((d) => d.component.type === 'pdu_branch')
    .map((d) => d.links.filter((l) => l.relation === 'feeds').map((l) => l.from.id));
  assert.deepEqual(
    feeders,
    [1, 2, 3, 1, 2, 3].map((n) => [`pdu-b/${n}`]),
  );
});

test('a PDU that falls silent is unreachable, says nothing about power, and comes back', async () => {
  const pdu = await simulate();
  const { source, seen } = run(pduConfig(pdu.port, { timeoutMs: 60 }));
  await until(() => seen.batches.length > 0);
  pdu.setSilent(true);
  await until(() => seen.of('power.feed_unreachable', 'onset') !== undefined);
  const onset = seen.of('power.feed_unreachable', 'onset');
  assert.equal(onset?.component?.type, 'pdu');
  assert.equal(onset?.severity, undefined, 'the default of its kind: info');
  assert.ok(onset?.interval && onset.interval.earliestMs < onset.interval.latestMs);
  assert.ok(onset.timeMs >= onset.interval.earliestMs && onset.timeMs <= onset.interval.latestMs);
  assert.equal(source.health()[0]?.status, 'failed');
  assert.match(source.health()[0]?.detail ?? '', /^FL2101 /);
  pdu.setSilent(false);
  await until(() => seen.of('power.feed_unreachable', 'clear') !== undefined);
  assert.equal(source.health()[0]?.status, 'works');
  assert.equal(seen.events.length, 2);
});

test('a PDU that never answered gives no event, only health', async () => {
  const pdu = await simulate();
  pdu.setSilent(true);
  const { source, seen } = run(pduConfig(pdu.port, { timeoutMs: 20, intervalMs: 20 }));
  await until(() => source.health()[0]?.status === 'failed');
  await new Promise((resolve) => setTimeout(resolve, 250));
  assert.deepEqual(seen.events, []);
});

test('a dead PDU does not hold up another', async () => {
  const alive = await simulate();
  const dead = await simulate();
  dead.setSilent(true);
  const { seen } = run(
    pduConfig(dead.port, { name: 'dead', timeoutMs: 60_000 }),
    pduConfig(alive.port, { name: 'alive' }),
  );
  await until(() => seen.values('pdu_phase/alive/1#voltage').length > 3);
});

test('overload, an outlet switched off and an open breaker become events with the interval of the poll', async () => {
  const pdu = await simulate();
  const { seen } = run(pduConfig(pdu.port));
  await until(() => seen.values('pdu_outlet/pdu-b/4#current').length > 0);
  pdu.setLoadState('bank', 1, 'overload');
  pdu.setOutlet(1, false);
  await until(() => seen.of('power.outlet_off', 'onset') !== undefined);
  const overload = seen.of('power.overload', 'onset');
  assert.deepEqual([overload?.component?.id, overload?.severity], ['pdu-b/1', 'error']);
  assert.equal(seen.of('power.outlet_off', 'onset')?.component?.id, 'pdu-b/1');
  assert.equal(seen.of('power.breaker_trip', 'onset'), undefined);
  pdu.tripBank(2);
  await until(() => seen.of('power.breaker_trip', 'onset') !== undefined);
  const trip = seen.of('power.breaker_trip', 'onset');
  assert.equal(trip?.component?.id, 'pdu-b/2');
  assert.ok(trip?.interval && trip.interval.earliestMs < trip.interval.latestMs);
  pdu.setLoadState('bank', 1, 'normal');
  pdu.setOutlet(1, true);
  pdu.setCurrent(1, 8);
  for (const kind of ['power.overload', 'power.outlet_off', 'power.breaker_trip'] as const) {
    await until(() => seen.of(kind, 'clear') !== undefined);
  }
});

test('a PDU that restarts is discovered again', async () => {
  const pdu = await simulate();
  const { seen } = run(pduConfig(pdu.port));
  await until(() => seen.batches.length > 0);
  const before = seen.discoveries.length;
  pdu.reboot();
  await until(() => seen.discoveries.length === 2 * before);
  await until(() => seen.values('pdu_phase/pdu-b/1#voltage').length > 3);
  assert.deepEqual(seen.events, []);
});

test('a PDU that restarts with another firmware was updated, which is reported once', async () => {
  const pdu = await simulate();
  const { seen } = run(pduConfig(pdu.port));
  await until(() => seen.batches.length > 0);
  const before = seen.discoveries.length;
  pdu.setRaw('ident', 6, 1, 'v7.1.0');
  pdu.reboot();
  await until(() => seen.discoveries.length === 2 * before);
  // Its clock must have run on before it can be seen to begin again.
  const polls = seen.batches.length;
  await until(() => seen.batches.length > polls + 5);
  pdu.reboot();
  await until(() => seen.discoveries.length === 3 * before);
  assert.deepEqual(
    seen.events.map(({ kind, state, component, attributes }) => [kind, state, component?.id, attributes]),
    [['firmware.updated', 'point', 'pdu-b', { part: 'pdu', before: 'v6.8.0', after: 'v7.1.0' }]],
  );
});

test('a clock that runs over after 497 days is not a restart', async () => {
  const pdu = await simulate();
  const { seen } = run(pduConfig(pdu.port));
  await until(() => seen.batches.length > 0);
  pdu.reboot(2 ** 32 * 10 - 400);
  await until(() => seen.values('pdu_phase/pdu-b/1#voltage').length > 3);
  const { length } = seen.discoveries;
  const polls = seen.batches.length;
  await new Promise((resolve) => setTimeout(resolve, 500));
  await until(() => seen.batches.length > polls + 10);
  assert.equal(seen.discoveries.length, length);
});

test('a PDU whose name leads to another address is read there', async () => {
  const before = await SimulatedPdu.start({ model: { outlets: 4 } });
  const now = { address: '127.0.0.1' };
  let clock = 0;
  const book = new NameBook(
    () => Promise.resolve([{ ...now, family: 4 }]),
    () => clock,
  );
  const config = pduConfig(before.port, { host: 'pdu-b.example' });
  const poller = new DevicePoller(new Pdu(config, { now: Date.now }, new SnmpSession(config, Date.now, book)), {
    now: Date.now,
  });
  closing.push(() => poller.stop());
  const seen = new Recorder();
  void poller.run(seen, 0);
  await until(() => seen.values('pdu_phase/pdu-b/1#voltage').length > 1);
  await before.close();
  const after = await SimulatedPdu.start({
    model: { outlets: 4, voltageV: 230 },
    address: '127.0.0.2',
    port: before.port,
  });
  closing.push(() => after.close());
  now.address = '127.0.0.2';
  await until(() => {
    clock += 1000;
    return seen.values('pdu_phase/pdu-b/1#voltage').at(-1) === 230;
  });
  // Silent for long, it was unreachable; that it is read again ends that, and nothing else is reported.
  assert.ok(seen.events.every(({ kind }) => kind === 'power.feed_unreachable'));
  assert.notEqual(seen.events.at(-1)?.state, 'onset');
});

test('a PDU whose clock runs backwards is discovered at most twice a poll, and its polls end', async () => {
  const pdu = await simulate();
  let agoMs = 3_000_000_000;
  const backwards = setInterval(() => {
    agoMs -= 1_000;
    pdu.reboot(agoMs);
  }, 1);
  closing.push(async () => clearInterval(backwards));
  const { source, seen } = run(pduConfig(pdu.port));
  await until(() => (source.counts()[0]?.reads ?? 0) > 2);
  assert.ok(seen.values('pdu_phase/pdu-b/1#voltage').length > 2);
});

test('what the device does not know gives no sample', async () => {
  const pdu = await simulate();
  pdu.setRaw('phase', 6, 1, -1);
  const { seen } = run(pduConfig(pdu.port));
  await until(() => seen.values('pdu_phase/pdu-b/1#current').length > 1);
  assert.deepEqual(seen.values('pdu_phase/pdu-b/1#voltage'), []);
});

test('names of any length and content are cut and cleaned', async () => {
  const pdu = await simulate();
  pdu.setRaw('metered', 3, 1, `\u001b[2J${'x'.repeat(20_000)}`);
  const { seen } = run(pduConfig(pdu.port));
  await until(() => seen.discoveries.length > 0);
  const label = seen.discoveries.find((d) => d.component.id === 'pdu-b/1' && d.component.type === 'pdu_outlet')
    ?.attributes?.label;
  assert.equal(label, `[2J${'x'.repeat(61)}`);
});

for (const most of [10, 1, 0]) {
  test(`an agent that answers GETBULK up to ${most} repetitions is read all the same`, async () => {
    const pdu = await simulate();
    pdu.setMostRepetitions(most);
    const { seen } = run(pduConfig(pdu.port, { timeoutMs: 50 }));
    await until(() => seen.values('pdu_phase/pdu-b/1#voltage').length > 0);
    assert.equal(seen.discoveries.filter((d) => d.component.type === 'pdu_outlet').length, 4);
  });
}

const v3Failures: readonly (readonly [string, Partial<typeof USER>, RegExp])[] = [
  ['wrong authentication key', { authKey: 'not-the-key' }, /^FL2103 .*wrong authentication key or protocol/],
  ['wrong authentication protocol', { authProtocol: 'sha512' }, /^FL2103 /],
  ['wrong privacy key', { privKey: 'not-the-key' }, /^FL2106 .*wrong privacy key or protocol/],
  ['unknown user', { name: 'mallory' }, /^FL2102 .*does not know user "mallory"/],
  ['level too low', { level: 'authNoPriv' }, /^FL2104 .*security level/],
];

for (const [what, wrong, message] of v3Failures) {
  test(`SNMPv3, ${what}: health says so, with a remedy and without a secret`, async () => {
    const pdu = await simulate({ user: USER });
    const { source } = run(pduConfig(pdu.port, { version: '3', community: null, user: { ...USER, ...wrong } }));
    await until(() => source.health()[0]?.status === 'failed');
    const [health] = source.health();
    assert.match(health?.detail ?? '', message);
    assert.ok(health?.remedy);
    assert.doesNotMatch(JSON.stringify(health), /secret|not-the-key/);
  });
}

const privacy = ['des', 'aes', 'aes256b', 'aes256r'] as const;
const authentication = ['md5', 'sha', 'sha224', 'sha256', 'sha384', 'sha512'] as const;
for (const [i, authProtocol] of authentication.entries()) {
  const privProtocol = privacy[i % privacy.length] ?? 'aes';
  test(`SNMPv3 with ${authProtocol} and ${privProtocol} is read`, async () => {
    const user = { ...USER, authProtocol, privProtocol };
    const pdu = await simulate({ user });
    const { seen } = run(pduConfig(pdu.port, { version: '3', community: null, user, timeoutMs: 1000 }));
    await until(() => seen.values('pdu_phase/pdu-b/1#voltage').length > 1);
  });
}

test('SNMPv1 is read', async () => {
  const pdu = await simulate();
  const { seen } = run(pduConfig(pdu.port, { version: '1' }));
  await until(() => seen.values('pdu_outlet/pdu-b/4#current').length > 0);
});

test('stop ends at once though an answer is outstanding, and nothing is emitted after it', async () => {
  const pdu = await simulate();
  const { source, seen } = run(pduConfig(pdu.port, { timeoutMs: 60_000 }));
  await until(() => seen.batches.length > 0);
  pdu.setDelay(300);
  await new Promise((resolve) => setTimeout(resolve, 100));
  await source.stop();
  const count = seen.batches.length;
  await new Promise((resolve) => setTimeout(resolve, 400));
  assert.equal(seen.batches.length, count);
});

test('an abort stops the source, before the start too', async () => {
  const pdu = await simulate();
  const source = new PduSource([pduConfig(pdu.port)], { now: Date.now });
  const seen = new Recorder();
  source.start(seen, AbortSignal.abort());
  await source.stop();
  assert.deepEqual(seen.batches, []);
});

test('no PDU configured: off', () => {
  assert.equal(new PduSource([], { now: Date.now }).health()[0]?.status, 'off');
});
