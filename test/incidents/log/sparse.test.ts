// A log that was made larger than anybody can read: what was written is found, and the rest passed over.

import assert from 'node:assert/strict';
import { readdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadIncidents } from '../../../src/incidents/log/load.ts';
import { recover } from '../../../src/incidents/log/recover.ts';
import { smallIncident } from '../sample.ts';
import { folder, openLog } from './folder.ts';

test('behind a hole of a tebibyte the newest incidents are found at once', async (t) => {
  const directory = folder(t);
  const first = openLog(directory);
  await first.log.append(smallIncident(1));
  await first.log.close();
  truncateSync(join(directory, 'incidents.jsonl'), 2 ** 40);
  const { log } = openLog(directory);
  await log.append(smallIncident(2));
  await log.close();
  const started = performance.now();
  const { incidents, warnings } = await loadIncidents(directory, { limit: 10, withEvents: () => false });
  assert.ok(performance.now() - started < 10_000);
  assert.ok(incidents.some(({ id }) => id === smallIncident(2).id));
  assert.ok(warnings.list().length > 0);
});

test('a log whose end is a hole of fifteen tebibytes is taken up at once, nothing of it copied, and written on', async (t) => {
  const directory = folder(t);
  const path = join(directory, 'incidents.jsonl');
  const first = openLog(directory);
  await first.log.append(smallIncident(1));
  await first.log.close();
  truncateSync(path, 15 * 2 ** 40);
  const started = performance.now();
  const { warnings } = await recover(directory);
  assert.ok(performance.now() - started < 10_000);
  assert.match(warnings.join('\n'), /FL3106 .*longer than 16777216 bytes; new lines begin after it/);
  assert.deepEqual(readdirSync(directory), ['incidents.jsonl']);
  assert.equal(statSync(path).size, 15 * 2 ** 40);
  const { log } = openLog(directory);
  await log.append(smallIncident(2));
  await log.close();
  const { incidents } = await recover(directory);
  assert.ok(incidents.some(({ id }) => id === smallIncident(2).id));
});
