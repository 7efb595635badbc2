// What is behind one revision in the log, over rotation and crashes: what a daemon wrote and did not send.

import assert from 'node:assert/strict';
import { appendFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Logged, loggedAfter } from '../../../src/incidents/log/after.ts';
import { smallIncident } from '../sample.ts';
import { folder, openLog } from './folder.ts';

const reported = (entries: readonly Logged[]): string[] =>
  entries.map((entry) =>
    'event' in entry
      ? entry.event.id
      : `${entry.incident.id.slice(-1)} ${entry.incident.revision} ${entry.incident.state}`,
  );
const mark = (number: number, revision: number) => ({ id: smallIncident(number).id, revision });

test('events and revisions come in the order of writing, from the revision that is named on', async (t) => {
  const directory = folder(t);
  const { log } = openLog(directory);
  await log.append(smallIncident(1));
  await log.append(smallIncident(2));
  await log.append(smallIncident(1, 2, 'resolved'));
  await log.close();
  assert.deepEqual(reported(await loggedAfter(directory, mark(1, 1))), ['event-2', '2 1 open', '1 2 resolved']);
  assert.deepEqual(reported(await loggedAfter(directory, mark(1, 2))), []);
  assert.equal((await loggedAfter(directory, null)).length, 5);
  assert.deepEqual(reported(await loggedAfter(directory, mark(7, 1))), [], 'a revision that no one knows');
  assert.deepEqual(await loggedAfter(join(directory, 'none'), null), []);
});

test('what a new file begins with was reported before', async (t) => {
  const directory = folder(t);
  const { log } = openLog(directory);
  await log.append(smallIncident(1));
  await log.append(smallIncident(2));
  renameSync(join(directory, 'incidents.jsonl'), join(directory, 'incidents.jsonl.1'));
  await log.append(smallIncident(3));
  await log.close();
  const behind = reported(await loggedAfter(directory, mark(2, 1)));
  assert.deepEqual(
    behind.filter((one) => / /.test(one)),
    ['3 1 open'],
  );
});

test('a torn last line and lines of others are left out', async (t) => {
  const directory = folder(t);
  const { log } = openLog(directory);
  await log.append(smallIncident(1));
  await log.append(smallIncident(2));
  await log.close();
  appendFileSync(
    join(directory, 'incidents.jsonl'),
    '{"schema":"faultline/note/1"}\nnonsense\n{"schema":"faultline/inc',
  );
  assert.deepEqual(reported(await loggedAfter(directory, mark(1, 1))), ['event-2', '2 1 open']);
});

test('what is behind is bounded: the newest lines are reported', async (t) => {
  const directory = folder(t);
  const { log } = openLog(directory, { maxBytes: 1e9 });
  for (let number = 1; number <= 2500; number += 1) void log.append(smallIncident(number));
  await log.close(10_000);
  const behind = await loggedAfter(directory, null);
  assert.equal(behind.length, 4096);
  assert.equal(reported(behind).at(-1), `${smallIncident(2500).id.slice(-1)} 1 open`);
});
