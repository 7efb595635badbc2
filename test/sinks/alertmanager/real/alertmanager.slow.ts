// Real Alertmanagers: what they hold to be active, what their receivers get, and what a restart of either side costs.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Incident } from '../../../../src/model/incident.ts';
import type { AlertmanagerSink } from '../../../../src/sinks/alertmanager/alertmanager-sink.ts';
import { smallIncident } from '../../../incidents/sample.ts';
import { until } from '../../../until.ts';
import { certificate } from '../../certificate.ts';
import { config, later, startSink } from '../harness.ts';
import { Notifications, RealAlertmanager } from './alertmanager-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'fl-real-alertmanager-'));
const ends: (() => unknown)[] = [];
after(async () => {
  for (const end of ends) await end();
  rmSync(folder, { recursive: true, force: true });
});

const now = () => Date.now();

/** An incident of this moment: Alertmanager goes by the clock. */
function fresh(number: number, more: Partial<Incident> = {}): Incident {
  return { ...smallIncident(number), openedMs: now() - 1000, updatedMs: now(), ...more };
}

const end = (incident: Incident) => later(incident, { state: 'resolved', updatedMs: now(), resolvedMs: now() });

async function alertmanager(name: string, tls?: { cert: string; key: string }) {
  const hook = await new Notifications().start();
  const one = new RealAlertmanager({
    folder: join(folder, name),
    hook: hook.port,
    ...(tls === undefined ? {} : { tls }),
  });
  ends.push(
    () => one.kill(),
    () => hook.stop(),
  );
  await one.start();
  return { one, hook };
}

async function sinkFor(name: string, settings: ReturnType<typeof config>): Promise<AlertmanagerSink> {
  const { sink } = await startSink(folder, name, settings, { now });
  ends.push(() => sink.stop());
  return sink;
}

test('its receiver hears of an incident once, of a worse severity, and of its end', async () => {
  const { one, hook } = await alertmanager('life');
  const sink = await sinkFor('life-sink', config([one.url], { resendMs: 5_000 }));
  const first = fresh(1, { severity: 'warning' });
  sink.incident(first);
  await until(() => hook.all.length === 1, { seen: () => hook.all });
  const [active] = await one.active();
  assert.equal(active?.labels.incident, first.id);
  assert.equal(active?.labels.rack, 'r14');
  assert.ok(active?.annotations.runbook?.startsWith('docs/runbooks/gpu.md'));
  const worse = later(first, { severity: 'error', updatedMs: now() });
  sink.incident(worse);
  await until(
    () =>
      hook.all.some(({ alerts }) =>
        alerts.some(({ status, labels }) => status === 'firing' && labels.severity === 'error'),
      ),
    {
      seen: () => hook.all,
    },
  );
  sink.incident(end(worse));
  await until(() => hook.all.at(-1)?.status === 'resolved', { seen: () => hook.all });
  assert.deepEqual(await one.active(), []);
});

test('killed and empty it knows of what is open within a resend; what ended meanwhile is ended', async () => {
  const { one, hook } = await alertmanager('killed');
  const sink = await sinkFor('killed-sink', config([one.url], { resendMs: 300 }));
  const [stays, goes] = [fresh(10), fresh(11)];
  sink.incident(stays);
  sink.incident(goes);
  await until(async () => (await one.active()).length === 2);
  await one.kill();
  rmSync(join(folder, 'killed', 'data'), { recursive: true, force: true });
  sink.incident(end(goes));
  await one.start();
  await until(async () => (await one.active()).map(({ labels }) => labels.incident).join() === stays.id, {
    seen: () => hook.all.length,
  });
});

test('two replicas over TLS with an authority of their own; a wrong one is reported and nothing is lost', async () => {
  const own = certificate(folder, 'own');
  const pair = { cert: own.certFile, key: own.keyFile };
  const [a, b] = [await alertmanager('a', pair), await alertmanager('b', pair)];
  const reach = { ...config([]).reach, caFile: own.certFile };
  const sink = await sinkFor('tls-sink', config([a.one.url, b.one.url], { reach }));
  const incident = fresh(20);
  sink.incident(incident);
  for (const { hook } of [a, b]) {
    await until(() => hook.all.length > 0, { seen: () => sink.health() });
    assert.equal(hook.all[0]?.alerts[0]?.labels.incident, incident.id);
  }
});

test('a daemon that is gone for good leaves no alert that fires for ever', async () => {
  const { one } = await alertmanager('gone');
  const sink = await sinkFor('gone-sink', config([one.url], { resendMs: 500 }));
  sink.incident(fresh(30));
  await until(async () => (await one.active()).length === 1);
  await sink.stop();
  await until(async () => (await one.active()).length === 0, { limitMs: 20_000 });
});
