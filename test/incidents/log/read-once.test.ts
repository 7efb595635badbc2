// A start reads the log once: what is open, what is past and what people said come of one pass, and single lines of their places.

import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loggedAfter } from '../../../src/incidents/log/after.ts';
import { loadIncidents } from '../../../src/incidents/log/load.ts';
import { loadNotes } from '../../../src/incidents/log/load-notes.ts';
import { loadPast } from '../../../src/incidents/log/past.ts';
import { recover } from '../../../src/incidents/log/recover.ts';
import { smallIncident } from '../sample.ts';
import { folder, openLog } from './folder.ts';

/** Bytes that this process has read by system calls so far. */
const bytesRead = (): number => Number(/^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);

/** A log of some megabytes with open and resolved incidents; the place of its file. */
async function longLog(directory: string): Promise<string> {
  const { log } = openLog(directory, { maxBytes: 1 << 28 });
  for (let number = 0; number < 2000; number += 1)
    await log.append(smallIncident(number, 1, number % 200 === 0 ? 'open' : 'resolved'));
  await log.close();
  return join(directory, 'incidents.jsonl');
}

test('recovery reads little more than the log is long', async (t) => {
  const directory = folder(t);
  const { size } = statSync(await longLog(directory));
  const before = bytesRead();
  const { incidents, openIncidents, past, placeOf } = await recover(directory, 4096);
  const last = incidents.at(-1) ?? assert.fail();
  const behind = await loggedAfter(directory, last, placeOf(last));
  const read = bytesRead() - before;
  assert.deepEqual([openIncidents.length, openIncidents[0]?.events.length, past.length, behind], [10, 1, 1990, []]);
  assert.ok(read >= size && read < 1.5 * size, `${read} bytes of a log of ${size}`);
});

test('it finds what one reading for each question finds', async (t) => {
  const directory = folder(t);
  await longLog(directory);
  const recovered = await recover(directory, 4096);
  assert.deepEqual(recovered.past, await loadPast(directory, 4096));
  assert.deepEqual(recovered.notes, await loadNotes(directory, 1));
  const { incidents } = await loadIncidents(directory, { limit: 1_000_000, withEvents: () => true });
  const open = incidents.filter(({ state }) => state === 'open');
  assert.deepEqual(recovered.openIncidents, open);
  const [first] = open;
  assert.ok(first);
  const place = recovered.placeOf(first);
  assert.ok(place);
  assert.deepEqual(await loggedAfter(directory, first, place), await loggedAfter(directory, first));
  assert.equal(recovered.placeOf({ id: first.id, revision: 7 }), null);
});

test('a file that is another one by now, or is gone, is read from its beginning', async (t) => {
  const directory = folder(t);
  const path = await longLog(directory);
  const { incidents, placeOf } = await recover(directory);
  const last = incidents.at(-1) ?? assert.fail();
  const place = placeOf(last) ?? assert.fail();
  copyFileSync(path, `${path}.1`);
  writeFileSync(path, '{"schema":"x"}\n');
  assert.deepEqual(await loggedAfter(directory, last, place), []);
  renameSync(`${path}.1`, path);
  const other = { ...place, offset: place.offset - 10 };
  assert.deepEqual(await loggedAfter(directory, last, other), []);
  assert.deepEqual(await loggedAfter(directory, last, { ...place, path: `${path}.gone` }), []);
});
