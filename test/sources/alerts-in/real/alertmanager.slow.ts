// A real Alertmanager sends to the receiver of alerts: its webhook with a token, once, again while it fires, and the end.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { EventInput } from '../../../../src/model/record.ts';
import { RealAlertmanager } from '../../../sinks/alertmanager/real/alertmanager-process.ts';
import { until } from '../../../until.ts';
import { receiver, TOKEN } from './receiver.ts';

test('an alert of a real Alertmanager begins once, and ends', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'fl-real-alerts-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const events: EventInput[] = [];
  const { source } = await receiver(folder, events);
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
