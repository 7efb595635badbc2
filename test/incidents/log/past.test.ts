// What the heads of lines tell of resolved incidents: enough to count on where one is opened again, also far back.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IncidentBook } from '../../../src/incidents/lifecycle.ts';
import { loadPast } from '../../../src/incidents/log/past.ts';
import { explanation, incident, SAG, smallIncident, T0 } from '../sample.ts';
import { folder, openLog } from './folder.ts';

test('the newest revision of each resolved incident is reported, open ones are left out', async (t) => {
  const directory = folder(t);
  const { log } = openLog(directory);
  await log.append(smallIncident(1));
  await log.append(smallIncident(1, 2, 'resolved'));
  await log.append(smallIncident(2, 1, 'resolved'));
  await log.append(smallIncident(2, 2));
  await log.append(smallIncident(3, 7, 'resolved'));
  await log.close();
  const { id, openedMs } = smallIncident(3);
  const last = { openedMs, updatedMs: openedMs + 7, resolvedMs: openedMs + 7, reopened: 0, reopenedMs: null };
  const past = await loadPast(directory, 10);
  assert.deepEqual(past[1], { id, revision: 7, ...last });
  assert.deepEqual(
    past.map(({ revision }) => revision),
    [2, 7],
  );
  assert.deepEqual(
    (await loadPast(directory, 1)).map(({ revision }) => revision),
    [7],
  );
});

test('what is known from a head alone is enough to continue: revision, beginning, how often it came again', async (t) => {
  const directory = folder(t);
  const { log } = openLog(directory);
  const before = new IncidentBook('node-3', []).apply(explanation());
  assert.ok(before);
  const life = {
    reopened: 2,
    reopenedMs: T0 + 50_000,
    revision: 9,
    updatedMs: T0 + 60_000.25,
    resolvedMs: T0 + 60_000,
  };
  await log.append(incident(before.id, { ...life, state: 'resolved', openedMs: before.openedMs }));
  await log.close();
  const book = new IncidentBook('node-3', [], [], await loadPast(directory, 10));
  const again = book.apply(explanation({ events: [SAG], asOfMs: T0 + 70_000 }));
  assert.deepEqual(
    [again?.id, again?.revision, again?.reopened, again?.reopenedMs, again?.openedMs],
    [before.id, 10, 3, T0 + 70_000, before.openedMs],
  );
});

test('where there is no log nothing is known', async (t) => {
  assert.deepEqual(await loadPast(`${folder(t)}/none`, 10), []);
});
