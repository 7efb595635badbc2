// A real Alertmanager sends to the receiver of alerts: its webhook with a token, once, again while it fires, and the end.

import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkConfig } from '../../../../src/daemon/config.ts';
import type { EventInput } from '../../../../src/model/record.ts';
import { AlertsSource } from '../../../../src/sources/alerts-in/alerts-source.ts';
import { placeOf } from '../../../../src/sources/alerts-in/place.ts';
import { RealAlertmanager } from '../../../sinks/alertmanager/real/alertmanager-process.ts';
import { until } from '../../../until.ts';

const TOKEN = 'a-token-of-this-very-test';

async function receiver(folder: string, events: EventInput[]): Promise<AlertsSource> {
  writeFileSync(join(folder, 'token'), TOKEN);
  chmodSync(join(folder, 'token'), 0o600);
  const text = 'sources: {alerts_in: {listen: ["127.0.0.1:0"], token_file: token, trust: facility}}\n';
  const surroundings = { environment: {}, uid: 0, home: folder, hostname: 'node-3' };
  const { config } = await checkConfig(text, join(folder, 'faultline.yaml'), surroundings);
  const placing = { host: 'node-3', jobs: () => [], resolve: () => null };
  const source = new AlertsSource(config.sources['alerts-in'], {
    now: () => Date.now(),
    steady: (wallMs) => wallMs,
    placeOf: (labels) => placeOf(labels, placing),
    logger: { info() {}, warn() {} },
  });
  const emit = { samples() {}, text() {}, discovery() {}, event: (event: EventInput) => void events.push(event) };
  source.start(emit, new AbortController().signal);
  await until(() => source.ports.length === 1);
  return source;
}

test('an alert of a real Alertmanager begins once, and ends', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'fl-real-alerts-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const events: EventInput[] = [];
  const source = await receiver(folder, events);
  context.after(() => source.stop());
  const one = new RealAlertmanager({
    folder: join(folder, 'am'),
    hook: source.ports[0] ?? 0,
    path: '/v1/alertmanager',
    token: TOKEN,
  });
  context.after(() => one.kill());
  await one.start();
  const post = async (more: object) => {
    const alert = {
      labels: { alertname: 'FanBroken', node: 'node-3', severity: 'warning' },
      annotations: { summary: 'a fan' },
      ...more,
    };
    const answer = await fetch(`${one.url}/api/v2/alerts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([alert, { labels: { alertname: 'Other', node: 'node-4' } }]),
    });
    assert.equal(answer.status, 200);
  };
  await post({});
  await until(() => events.length === 1, { seen: () => source.health() });
  await post({});
  await post({ endsAt: new Date(Date.now() - 1).toISOString() });
  await until(() => events.length === 2, { seen: () => [events, source.health()] });
  assert.deepEqual(
    events.map(({ state, trust, component, attributes }) => [
      state,
      trust,
      component?.id,
      attributes?.alert,
      attributes?.summary,
    ]),
    [
      ['onset', 'facility', 'node-3', 'FanBroken', 'a fan'],
      ['clear', 'facility', 'node-3', 'FanBroken', 'a fan'],
    ],
  );
  assert.equal(source.counts()[0]?.failures, 0);
});
