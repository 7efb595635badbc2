// The sent journal: what is found again after any end, torn or grown, and what a disk that fails costs.

import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { SentJournal } from '../../../../src/sinks/delivery/journal/sent-journal.ts';
import { DiskLane } from '../../../../src/sinks/delivery/spool/disk-lane.ts';
import { stateDirectory } from '../../otlp/harness.ts';

const ID = '7f3c41d2a0b1';
const lane = new DiskLane();

async function opened(path: string): Promise<{ journal: SentJournal; found: boolean }> {
  const journal = new SentJournal(path, lane);
  return { journal, found: await journal.open() };
}

const parts = (journal: SentJournal) => [...journal.parts].map(([id, sent]) => [id, ...sent]);

test('the last mark and all parts are found again', async () => {
  const path = join(stateDirectory(), 'spool', 'sent');
  const { journal, found } = await opened(path);
  assert.equal(found, false);
  await journal.begin(null);
  assert.deepEqual([(await opened(path)).found, (await opened(path)).journal.mark], [true, null]);
  await journal.add([{ incidentId: ID, part: 'e-1' }], { id: ID, revision: 1 });
  await journal.add([{ incidentId: ID, part: '' }], { id: ID, revision: 2 });
  await journal.add([{ incidentId: 'b', part: 'e-2' }], null);
  const again = (await opened(path)).journal;
  assert.deepEqual(again.mark, { id: ID, revision: 2 });
  assert.deepEqual(parts(again), [
    [ID, 'e-1', ''],
    ['b', 'e-2'],
  ]);
});

test('a journal that an earlier version left is read', async () => {
  const path = join(stateDirectory(), 'journal');
  writeFileSync(path, '{"i":"","r":0}\n{"i":"7f3c41d2a0b1","s":["e-1"]}\n{"i":"7f3c41d2a0b1","r":2}\n');
  const { journal, found } = await opened(path);
  assert.deepEqual([found, journal.mark, parts(journal)], [true, { id: ID, revision: 2 }, [[ID, 'e-1']]]);
});

test('a torn last line and lines that are not lines of it are passed over', async () => {
  const path = join(stateDirectory(), 'sent');
  const { journal } = await opened(path);
  await journal.add([], { id: ID, revision: 3 });
  appendFileSync(path, 'null\n[]\n{"i":7,"r":9}\n{"i":"x","s":[1,null]}\n{"i":"7f3c41d2a0b1","r":');
  const again = await opened(path);
  assert.deepEqual([again.found, again.journal.mark], [true, { id: ID, revision: 3 }]);
});

test('it does not grow for ever, and what is in it stays', async () => {
  const path = join(stateDirectory(), 'sent');
  const { journal } = await opened(path);
  const many = Array.from({ length: 200 }, (_, i) => ({ incidentId: ID, part: `${i} ${'x'.repeat(200)}` }));
  for (let revision = 1; revision <= 150; revision += 1) await journal.add(many, { id: ID, revision });
  assert.ok(statSync(path).size < 4 * 1024 * 1024 + 1);
  const again = (await opened(path)).journal;
  assert.deepEqual([again.mark?.revision, again.parts.get(ID)?.size], [150, 200]);
});

test('incidents and their parts are remembered in bounded number', async () => {
  const path = join(stateDirectory(), 'sent');
  const { journal } = await opened(path);
  await journal.add(
    Array.from({ length: 5000 }, (_, i) => ({ incidentId: `i${i}`, part: 'e' })),
    null,
  );
  await journal.add(
    Array.from({ length: 5000 }, (_, i) => ({ incidentId: ID, part: `e${i}` })),
    null,
  );
  assert.deepEqual([journal.parts.size, journal.parts.get(ID)?.size], [2048, 256]);
});

test('a path that cannot be written is not an error: all is only sent again', async () => {
  const folder = stateDirectory();
  mkdirSync(join(folder, 'sent'));
  const { journal, found } = await opened(join(folder, 'sent'));
  assert.equal(found, false);
  await journal.begin(null);
  await journal.add([], { id: ID, revision: 1 });
  assert.deepEqual(journal.mark, { id: ID, revision: 1 });
});

test('a link in its place is not followed', async () => {
  const folder = stateDirectory();
  const other = join(folder, 'other');
  writeFileSync(other, '{"i":"7f3c41d2a0b1","r":3}\n');
  symlinkSync(other, join(folder, 'sent'));
  const { journal, found } = await opened(join(folder, 'sent'));
  assert.equal(found, false);
  await journal.add([], { id: ID, revision: 4 });
  assert.equal(readFileSync(other, 'utf8'), '{"i":"7f3c41d2a0b1","r":3}\n');
});
