// Which sinks are made: none where nothing is on, and then nothing of theirs is loaded.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import type { Config } from '../../src/daemon/config.ts';
import type { Aggregates, NativeCore } from '../../src/native.ts';
import { journalPath } from '../../src/sinks/otlp/places.ts';
import type { SinkSet } from '../../src/sinks/sink-set.ts';

const loaded: string[] = [];
registerHooks({
  load(url, context, nextLoad) {
    loaded.push(url);
    return nextLoad(url, context);
  },
});

const STATS = { series: 2, samples: 5, edges: 0, recordsLost: 0, wakeups: 0, pendingEvents: 0 };
const keyReads = { count: 0 };
const core = {
  now: () => 1_700_000_000_000,
  stats: () => STATS,
  seriesKeys: () => {
    keyReads.count += 1;
    return ['gpu/0000:9b:00.0#power', 'host/node-3#power'];
  },
} as unknown as NativeCore; // what the sinks use of it

const logger = { info: () => {}, warn: () => {} };

async function sinksOf(more: Partial<Config>): Promise<SinkSet> {
  const { createSinks } = await import('../../src/sinks/index.ts');
  const { checkConfig } = await import('../../src/daemon/config.ts');
  const surroundings = { environment: {}, uid: 0, home: '/', hostname: 'node-3' };
  const { config } = await checkConfig('host: node-3', 'faultline.yaml', surroundings);
  return createSinks(
    { ...config, ...more },
    { version: '1', core, restored: [], known: [], sources: () => [], log: () => null, servers: () => ({}), logger },
  );
}

test('with everything off no sink is made and no library of theirs is read', async () => {
  const sinks = await sinksOf({});
  assert.equal(sinks.wantsSeries, false);
  assert.equal(sinks.scrape, null);
  assert.equal(sinks.onWork(), null, 'the work of the daemon is not measured');
  assert.deepEqual(sinks.health(), []);
  assert.deepEqual(
    loaded.filter((url) => url.includes('opentelemetry')),
    [],
  );
});

test('aggregates reach a scrape under their keys, which are read only when there are new ones', async () => {
  const sinks = await sinksOf({ prometheus: { listen: null, dcgmNames: false, maxSeries: 10 } });
  assert.ok(loaded.some((url) => url.includes('@opentelemetry/sdk-metrics')));
  const of = (...values: number[]) => Float64Array.from(values);
  const aggregates: Aggregates = {
    ids: Uint32Array.of(1, 0),
    count: Uint32Array.of(1, 2),
    min: of(1, 2),
    max: of(1, 4),
    mean: of(1, 3),
    last: of(5200, 412),
    lastTimeMs: of(core.now(), core.now()),
  };
  sinks.series(aggregates);
  sinks.series(aggregates);
  assert.equal(keyReads.count, 1);
  const body = String((await sinks.scrape?.(undefined))?.body);
  assert.match(body, /^hw_power_watts\{hw_id="0000:9b:00\.0",hw_type="gpu"\} 412$/m);
  assert.match(body, /^hw_host_power_watts\{hw_id="node-3",hw_type="enclosure"\} 5200$/m);
  assert.match(body, /^faultline_core_samples_total 5$/m);
  await sinks.stop();
});

test('OTLP gets the metrics about ourselves, and they count its requests', async () => {
  const { checkConfig } = await import('../../src/daemon/config.ts');
  const surroundings = { environment: {}, uid: 0, home: '/', hostname: 'node-3' };
  const { config } = await checkConfig('otlp: {endpoint: "http://127.0.0.1:9"}', 'faultline.yaml', surroundings);
  const state = mkdtempSync(join(tmpdir(), 'fl-sinks-'));
  const prometheus = { listen: null, dcgmNames: false, maxSeries: 10 };
  const sinks = await sinksOf({ otlp: config.otlp, prometheus, directories: { state, log: state, runtime: state } });
  assert.deepEqual(
    sinks.health().map(({ sink }) => sink),
    ['self', 'otlp', 'prometheus'],
  );
  assert.notEqual(sinks.onWork(), null);
  const body = String((await sinks.scrape?.(undefined))?.body);
  assert.match(body, /^faultline_queue_size_bytes\{queue="otlp\/logs"\} 0$/m);
  await sinks.stop();
});

test('in shadow mode what sends is not made, what is fetched stays and says so, and where sending stopped is forgotten', async (t) => {
  const state = mkdtempSync(join(tmpdir(), 'faultline-shadow-'));
  t.after(() => rmSync(state, { recursive: true, force: true }));
  const journal = journalPath(state);
  mkdirSync(dirname(journal), { recursive: true });
  writeFileSync(journal, '{"i":"a","r":1}\n');
  const before = loaded.length;
  const sinks = await sinksOf({
    shadow: true,
    directories: { state, log: state, runtime: state },
    otlp: {} as NonNullable<Config['otlp']>, // not looked at
    prometheus: { listen: null, dcgmNames: false, maxSeries: 10 },
  });
  assert.deepEqual(
    sinks.health().map(({ sink, status }) => [sink, status]),
    [
      ['self', 'works'],
      ['otlp', 'off'],
      ['prometheus', 'works'],
    ],
  );
  assert.equal(sinks.onWork(), null);
  assert.match(String((await sinks.scrape?.(undefined))?.body), /^target_info\{faultline_shadow="true",/m);
  assert.ok(!loaded.slice(before).some((url) => url.includes('otlp-sink')));
  assert.ok(!existsSync(journal), 'what happens meanwhile is not sent afterwards');
});
