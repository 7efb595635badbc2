// What adding a source takes: its own folder, and one entry in a list. Here all of it is in this file.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compose } from '../../src/config/compose.ts';
import { checkConfig } from '../../src/config/load-config.ts';
import { durationMs } from '../../src/config/quantity.ts';
import { duration, enabled, section } from '../../src/config/schema-parts.ts';
import type { RawOf } from '../../src/config/section.ts';
import type { Notice } from '../../src/native.ts';
import { Bulkhead } from '../../src/sources/bulkhead.ts';
import { defineSource } from '../../src/sources/define-source.ts';
import { createSources } from '../../src/sources/index.ts';
import { nativeOrigins } from '../../src/sources/native-origins.ts';
import { SOURCES } from '../../src/sources/registry.ts';
import type { Source } from '../../src/sources/source.ts';
import { type Enabled, switchedBy } from '../../src/sources/switched.ts';
import { surroundings } from '../config/helpers.ts';
import { fakeCore } from './fake-core.ts';

const schema = {
  geiger: section('Radiation in the rack.', {
    enabled: enabled('The counter'),
    interval: duration('Time between two counts.', '5s', '1s', '1m'),
  }),
} as const;

interface Settings {
  readonly enabled: Enabled;
  readonly intervalMs: number;
}

const heard: Notice[] = [];

const geiger = defineSource({
  name: 'geiger',
  schema,
  resolve({ geiger: raw }: RawOf<typeof schema>, { findings }): Settings {
    if (raw.interval === '7s') findings.problem('FL1110', '/sources/geiger/interval', 'is an unlucky number');
    return { enabled: raw.enabled, intervalMs: durationMs(raw.interval) };
  },
  ...switchedBy('geiger'),
  reads: 'Geiger counter',
  trust: 'facility',
  components: { rack: { native: true, lag: 'source' } },
  notices: ['queue_overflow'],
  suspicious: true,
  async create(settings, { services }): Promise<Source> {
    services.suspicion.listen('geiger', () => {
      throw new Error('a mistake of this source');
    });
    return {
      name: 'geiger',
      start() {},
      health: () => [{ source: 'geiger', status: 'works', detail: `every ${settings.intervalMs} ms`, remedy: null }],
      handleNotice: (notice) => void heard.push(notice),
      async stop() {},
    };
  },
});

const sources = [...SOURCES, geiger] as const;
const composed = compose({ sources, sinks: [] });
const OFF = [
  'gpu',
  'cpu',
  'kernel_log',
  'nic',
  'hwmon',
  'drm',
  'pci',
  'system',
  'inventory',
  'processes',
  'slurm',
  'flight_recorder',
  'found_logs',
  'found_runs',
  'after_crash',
  'kubernetes',
]
  .map((key) => `  ${key}: {enabled: off}\n`)
  .join('');

test('its keys are checked and resolved with the others, and its settings are typed', async () => {
  const { config, raw } = await checkConfig(
    composed,
    `sources:\n${OFF}  geiger: {interval: 9s}\n`,
    'f.yaml',
    surroundings(),
  );
  const ms: number = config.sources.geiger.intervalMs;
  assert.equal(ms, 9000);
  assert.deepEqual((raw.sources as { geiger: unknown }).geiger, { enabled: 'auto', interval: '9s' });
  for (const [text, reported] of [
    [
      'sources: {geiger: {interval: 2h}}',
      /sources\.geiger\.interval must be from 1s to 1m \(got 2h\)\. Write: interval: 1m/,
    ],
    ['sources: {geiger: {intervall: 2s}}', /sources\.geiger\.intervall is not known\. Did you mean: interval/],
    ['sources: {geiger: {interval: 7s}}', /1:30: sources\.geiger\.interval is an unlucky number \[FL1110\]/],
  ] as const) {
    await assert.rejects(checkConfig(composed, text, 'f.yaml', surroundings()), reported);
  }
});

test('it is made, hears what it asks for, and what it throws stays with it', async () => {
  const { config } = await checkConfig(composed, `sources:\n${OFF}`, 'f.yaml', surroundings());
  const bulkhead = new Bulkhead({ host: 'node-3', now: () => 1, log() {}, event() {} });
  const set = await createSources(config, fakeCore(), { bulkhead }, sources);
  assert.deepEqual(
    set.sources.map(({ name }) => name),
    ['geiger'],
  );
  const overflow: Notice = { name: 'queue_overflow', timeMs: 5, dropped: 3, text: '' };
  set.handle({
    edges: [],
    records: [],
    notices: [{ name: 'rapl_state', timeMs: 5, state: 'works', reason: '' }, overflow],
  });
  assert.deepEqual(heard, [overflow]);
  const event = { kind: 'agent.source_failed', component: null, state: 'onset', source: 'geiger', severity: 'warning', trust: 'system', timeMs: 1, observedMs: 1 } as const; // biome-ignore format: one event
  set.heard(event);
  set.heard({ ...event, source: 'pdu' });
  assert.equal(bulkhead.failures('geiger'), 1);
  assert.deepEqual(nativeOrigins(sources).rack, { source: 'geiger', trust: 'facility' });
});

test('switched off it is not made', async () => {
  const { config } = await checkConfig(
    composed,
    `sources:\n${OFF}  geiger: {enabled: off}\n`,
    'f.yaml',
    surroundings(),
  );
  assert.deepEqual((await createSources(config, fakeCore(), {}, sources)).sources, []);
});

test('where it cannot be made its health says so, and the others run', async () => {
  const broken = { ...geiger, create: () => Promise.reject(new Error('no such module')) };
  const { config } = await checkConfig(composed, `sources:\n${OFF}`, 'f.yaml', surroundings());
  const bulkhead = new Bulkhead({ host: 'node-3', now: () => 1, log() {}, event() {} });
  const set = await createSources(config, fakeCore(), { bulkhead }, [broken]);
  assert.deepEqual(
    set.health().map(({ source, status, detail }) => [source, status, detail]),
    [['geiger', 'failed', 'FL2610 it could not be started: no such module']],
  );
  assert.equal(bulkhead.failures('geiger'), 1);
  await assert.rejects(createSources(config, fakeCore(), {}, [broken]), /no such module/);
});
