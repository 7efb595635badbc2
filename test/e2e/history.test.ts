// The API of the real daemon on the log of earlier runs: what they found is listed, counted, grouped and explained.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IncidentLog } from '../../src/incidents/log/incident-log.ts';
import { smallIncident } from '../incidents/sample.ts';
import { DaemonUnderTest, exitOf, type Json } from './daemon-under-test.ts';

const EARLIER = 600; // more than a daemon keeps in memory

test('what earlier runs found is there after a kill, with what this one finds', async (t) => {
  const daemon = new DaemonUnderTest({ gpus: 2 });
  t.after(() => daemon.close());
  const caps = { maxBytes: 256 * 1024, maxFiles: 100, maxAgeMs: 1e15 };
  const log = new IncidentLog({ directory: daemon.log, ...caps, onTrouble: assert.fail, deadlineMs: 60_000 });
  const all = Array.from({ length: EARLIER }, (_, number) => smallIncident(number, 1, 'resolved'));
  await Promise.all(all.map((one) => log.append({ ...one, resolvedMs: one.updatedMs })));
  await log.close();
  const child = await daemon.start();
  daemon.kernel('NVRM: Xid (PCI:0000:1b:00): 79, pid=4001, name=python, GPU has fallen off the bus.');
  const own = await daemon.until('the incident', () => daemon.logged('incident').find(({ id }) => all.every((one) => one.id !== id)));
  child.kill('SIGKILL');
  await exitOf(child);
  await daemon.start();
  const first = await daemon.get('/v1/incidents?limit=500');
  const rest = await daemon.get(`/v1/incidents?limit=500&cursor=${first.next_cursor}`);
  const listed = [...(first.incidents as Json[]), ...(rest.incidents as Json[])].map(({ id }) => id); // contracts' incidents
  assert.equal(first.total, EARLIER + 1);
  assert.deepEqual(new Set(listed), new Set([own.id, ...all.map(({ id }) => id)]));
  assert.equal(rest.next_cursor, null);
  const old = all[3]?.id ?? '';
  assert.equal((await daemon.get(`/v1/incidents/${old}`)).state, 'resolved');
  const { incidents } = (await daemon.get('/v1/statistics')) as { incidents: Json }; // the document of the API
  assert.deepEqual([incidents.total, incidents.open], [EARLIER + 1, 1]);
  const { groups } = (await daemon.get('/v1/correlations?limit=5&order=oldest')) as { groups: Json[] }; // the same
  assert.deepEqual(groups.map(({ incident, alerts }) => [incident, (alerts as Json[]).length]), all.slice(0, 5).map(({ id }) => [id, 1]));
}); // biome-ignore format: one line each
