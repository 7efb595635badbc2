// A log that was made larger than anybody can read: what was written is found, and the rest passed over.

import assert from 'node:assert/strict';
import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadIncidents } from '../../../src/incidents/log/load.ts';
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
