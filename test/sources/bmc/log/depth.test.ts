// The BMC source with logs, pushed events, $expand and GPUs, against the simulated BMC over TLS.

import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { SimulatedBmc, type SimulatedBmcOptions } from '../../../../src/simulator/bmc/simulated-bmc.ts';
import { BmcSource } from '../../../../src/sources/bmc/bmc-source.ts';
import { readBmc } from '../../../../src/sources/bmc/read-bmc.ts';
import type { BmcSettings } from '../../../../src/sources/bmc/settings.ts';
import { bmcConfig, Recorder, until } from '../support.ts';

const SYSTEM = '/redfish/v1/Systems/Node';
const ROOT = '/redfish/v1';
const link = (path: string) => ({ '@odata.id': path });

interface Setup {
  readonly bmc: SimulatedBmc;
  readonly source: BmcSource;
  readonly recorder: Recorder;
}

async function watching(
  prepare: (bmc: SimulatedBmc) => void,
  run: (setup: Setup) => Promise<void>,
  { options = {}, config = {} }: { options?: SimulatedBmcOptions; config?: Partial<BmcSettings> } = {},
): Promise<void> {
  const bmc = await SimulatedBmc.start(options);
  prepare(bmc);
  const source = new BmcSource([bmcConfig(bmc.url, config)], { now: () => Date.now() });
  const recorder = new Recorder();
  try {
    source.start(recorder, new AbortController().signal);
    await until(() => source.health().every(({ status }) => status === 'works'));
    await run({ bmc, source, recorder });
  } finally {
    await source.stop();
    await bmc.close();
  }
}

function withLog(bmc: SimulatedBmc, entries: object[]): void {
  const services = `${SYSTEM}/LogServices`;
  bmc.extra.set(SYSTEM, { LogServices: link(services) });
  bmc.extra.set(services, { Members: [link(`${services}/Sel`), link(`${services}/Dump`)] });
  bmc.extra.set(`${services}/Sel`, { Id: 'Sel', Entries: link(`${services}/Sel/Entries`) });
  bmc.extra.set(`${services}/Sel/Entries`, {
    get Members() {
      return entries;
    },
  });
}

function withStream(bmc: SimulatedBmc): ServerResponse[] {
  const streams: ServerResponse[] = [];
  bmc.extra.set(ROOT, { EventService: link(`${ROOT}/EventService`) });
  bmc.extra.set(`${ROOT}/EventService`, { ServiceEnabled: true, ServerSentEventUri: `${ROOT}/SSE` });
  bmc.raw.set(`${ROOT}/SSE`, (_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders();
    streams.push(response);
  });
  return streams;
}

const stamp = (atMs: number) => new Date(atMs).toISOString();
const LOST = { MessageId: 'IDRAC.2.8.PSU0003', Message: 'The power input for power supply 1 is lost.' };

test('a loss between two polls is read from the log, with the offset of the clock taken off', async () => {
  const entries: object[] = [];
  const ahead = 300_000;
  await watching(
    (bmc) => {
      withLog(bmc, entries);
    },
    async ({ bmc, recorder }) => {
      await until(() => recorder.values('psu/node-3/1#output_power').length >= 3);
      const atMs = Date.now();
      entries.push({ Id: '1', Created: stamp(atMs + ahead), ...LOST });
      bmc.state.limitWatts = 3000; // something happens that the poll sees: the logs are read at once
      await until(() => recorder.events.some(({ kind }) => kind === 'psu.input_lost'));
      const event = recorder.events.find(({ kind }) => kind === 'psu.input_lost');
      assert.equal(event?.state, 'point');
      assert.ok(Math.abs((event?.timeMs ?? 0) - atMs) < 5000, `${(event?.timeMs ?? 0) - atMs} ms off`);
    },
    { options: { clockOffsetMs: ahead, limitWatts: 9000 } },
  );
});

test('an event that is sent brings a poll at once, and is one with what the poll sees', async () => {
  let streams: ServerResponse[] = [];
  await watching(
    (bmc) => {
      streams = withStream(bmc);
    },
    async ({ bmc, recorder, source }) => {
      await until(() => streams.length === 1);
      const [first] = bmc.state.supplies;
      assert.ok(first);
      first.fed = false;
      bmc.settle();
      const event = { Id: '1', Events: [{ EventId: '1', EventTimestamp: stamp(Date.now()), ...LOST }] };
      streams[0]?.write(`id: 1\ndata: ${JSON.stringify(event)}\n\n`);
      await until(() => recorder.events.some(({ attributes }) => attributes?.log === 'events'));
      const states = recorder.events.filter(({ kind }) => kind === 'psu.input_lost').map(({ state }) => state);
      assert.deepEqual(states, ['onset', 'onset'], 'the poll that it brought, and the event itself');
      assert.match(JSON.stringify(source.health()), /sends events as they happen/);
    },
    // Long enough that only what is sent can bring the poll.
    { config: { intervalMs: 600_000 } },
  );
});

test('a stream is refused to a user with read rights: the poll continues, and nothing is asked again and again', async () => {
  let asked = 0;
  await watching(
    (bmc) => {
      withStream(bmc);
      bmc.raw.set(`${ROOT}/SSE`, (_, response) => {
        asked += 1;
        response.writeHead(403).end();
      });
    },
    async ({ bmc, source }) => {
      const { requests } = bmc;
      await until(() => bmc.requests > requests + 60);
      assert.equal(asked, 1);
      assert.match(JSON.stringify(source.health()), /refuses to send events \(status 403\)/);
    },
  );
});

test('a service that sends events only to subscriptions is reported as such, by doctor and by probe; no subscription is made', async () => {
  const subscribed: string[] = [];
  await watching(
    (bmc) => {
      bmc.extra.set(ROOT, { EventService: link(`${ROOT}/EventService`) });
      const service = { ServiceEnabled: true, Subscriptions: link(`${ROOT}/EventService/Subscriptions`) };
      bmc.extra.set(`${ROOT}/EventService`, service);
      bmc.raw.set(`${ROOT}/EventService/Subscriptions`, (request, response) => {
        subscribed.push(request.method ?? '');
        response.writeHead(405).end();
      });
    },
    async ({ bmc, source }) => {
      await until(() => /only to subscriptions/.test(JSON.stringify(source.health())));
      const { warnings } = await readBmc(bmcConfig(bmc.url), Date.now);
      assert.ok(warnings.some((warning) => /only to subscriptions/.test(warning)));
      assert.deepEqual(subscribed, []);
    },
  );
});

test('with read rights nothing but GET is asked for, save the session', async () => {
  const methods = new Set<string>();
  const bmc = await SimulatedBmc.start();
  bmc.onRequest = ({ method, url }) => methods.add(url?.includes('/Sessions') ? `${method} session` : `${method}`);
  withLog(bmc, [{ Id: '1', Created: stamp(Date.now()), ...LOST }]);
  withStream(bmc);
  const source = new BmcSource([bmcConfig(bmc.url)], { now: () => Date.now() });
  const recorder = new Recorder();
  try {
    source.start(recorder, new AbortController().signal);
    await until(() => recorder.values('fan/node-3/1#fan_speed').length >= 3);
  } finally {
    await source.stop();
    await bmc.close();
  }
  assert.deepEqual([...methods].sort(), ['DELETE session', 'GET', 'POST session']);
});

test('supplies and their metrics come by one request where $expand truly works, and one by one where it does not', async () => {
  const offer = { ProtocolFeaturesSupported: { ExpandQuery: { NoLinks: true, Levels: true, MaxLevels: 2 } } };
  const collection = '/redfish/v1/Chassis/Sled/PowerSubsystem/PowerSupplies';
  for (const works of [true, false]) {
    const bmc = await SimulatedBmc.start({ supplies: 4 });
    bmc.extra.set(ROOT, offer);
    bmc.expands = works;
    const asked: string[] = [];
    bmc.onRequest = ({ url }) => asked.push(url ?? '');
    const source = new BmcSource([bmcConfig(bmc.url)], { now: () => Date.now() });
    const recorder = new Recorder();
    try {
      source.start(recorder, new AbortController().signal);
      await until(() => recorder.values('psu/node-3/4#output_power').length >= 4);
    } finally {
      await source.stop();
      await bmc.close();
    }
    const members = asked.filter((path) => path.startsWith(`${collection}/`)).length;
    const expanded = asked.filter((path) => path.startsWith(`${collection}?`)).length;
    assert.deepEqual(recorder.values('psu/node-3/4#input_voltage').slice(0, 2), [230, 230]);
    if (works) assert.ok(expanded >= 4 && members <= 8, `${expanded} expanded, ${members} members`);
    else assert.ok(expanded === 1 && members >= 24, `${expanded} expanded, ${members} members`);
  }
});
