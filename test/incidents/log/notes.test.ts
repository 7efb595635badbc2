// What people say in the log: through crashes at any byte, through rotation, and from a command where no daemon runs.

import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { appendLine } from '../../../src/incidents/log/append-line.ts';
import { noteLine } from '../../../src/incidents/log/incident-lines.ts';
import { loadNotes } from '../../../src/incidents/log/load-notes.ts';
import { recover } from '../../../src/incidents/log/recover.ts';
import { NoteBook } from '../../../src/incidents/notes/note-book.ts';
import { ack, maintenance, smallIncident, T0, verdict } from '../sample.ts';
import { folder, names, openLog } from './folder.ts';

const ONE = smallIncident(1);
const TWO = smallIncident(2);
const NOTES = [
  ack(ONE.id, T0 + 1, { note: 'Käbel getauscht — “INC-4711”' }),
  maintenance('start', T0 + 2, { untilMs: T0 + 3_600_000 }),
  verdict(TWO.id, T0 + 3, { verdict: 'wrong', rootKind: 'nic.lost' }),
  maintenance('end', T0 + 4),
];

/** Incidents and notes in turn; the bytes of the log. */
async function written(directory: string): Promise<Buffer> {
  const { log } = openLog(directory);
  await log.append(ONE);
  for (const [index, note] of NOTES.entries()) {
    await log.appendNote(note);
    await log.append(smallIncident(2, index + 1));
  }
  await log.close();
  return readFileSync(join(directory, 'incidents.jsonl'));
}

test('after a crash at any byte the notes whose lines are whole are there, in order, and nothing else', async (t) => {
  const bytes = await written(folder(t));
  const directory = folder(t);
  const ends = NOTES.map((note) => bytes.indexOf(`"id":"${note.id}"`)).map((at) => bytes.indexOf(10, at));
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: bytes.length }), async (length) => {
      writeFileSync(join(directory, 'incidents.jsonl'), bytes.subarray(0, length));
      const { notes } = await recover(directory);
      // A line that lacks only its end is whole: recovery adds it.
      assert.deepEqual(notes, NOTES.filter((_, index) => (ends[index] ?? 0) <= length)); // biome-ignore format: one line
    }),
    { numRuns: 300, examples: ends.flatMap((end) => [[end - 1], [end], [end + 1]] as [number][]) },
  );
});

test('what is in force is carried over rotation until the oldest file is gone, what is over is not', async (t) => {
  const directory = folder(t);
  const gpu = { type: 'gpu', id: '0000:9b:00.0' } as const;
  const notes = [
    ack(ONE.id, T0),
    ack(ONE.id, T0 + 1, { by: 'bob' }),
    maintenance('start', T0 + 2),
    maintenance('start', T0 + 3, { component: gpu }),
    maintenance('end', T0 + 4, { component: gpu }),
    maintenance('start', T0 + 5, { component: { type: 'psu', id: 'node-3/1' }, untilMs: T0 + 6 }),
  ];
  const { log } = openLog(directory, { maxBytes: 20_000, maxFiles: 2, maxAgeMs: Number.POSITIVE_INFINITY });
  await log.append(ONE);
  for (const note of notes) await log.appendNote(note);
  for (let number = 10; number < 100; number += 1) await log.append(smallIncident(number, 1, 'resolved'));
  await log.close();
  assert.equal(names(directory).length, 3);
  const kept = await loadNotes(directory, 1);
  assert.deepEqual(new Set(kept.map(({ id }) => id)), new Set([notes[1]?.id, notes[2]?.id]));
  // And a restart keeps carrying them.
  const { openIncidents, notes: restored } = await recover(directory);
  const again = openLog(directory, { maxBytes: 20_000, maxFiles: 2, restored: openIncidents, notes: restored });
  for (let number = 100; number < 200; number += 1) await again.log.append(smallIncident(number, 1, 'resolved'));
  await again.log.close();
  assert.deepEqual(new Set((await loadNotes(directory, 1)).map(({ id }) => id)), new Set(kept.map(({ id }) => id)));
});

test('the newest word about an incident counts, and there is room for so many only', () => {
  const book = new NoteBook([], 2);
  book.take(ack('a', T0));
  book.take(verdict('a', T0 + 1));
  book.take(ack('a', T0 + 2, { by: 'bob' }));
  book.take(ack('b', T0 + 3));
  assert.deepEqual([book.of('a').acknowledged?.by, book.of('a').verdict?.verdict], ['bob', 'right']);
  book.take(ack('c', T0 + 4));
  assert.deepEqual([book.of('a').acknowledged, book.of('b').acknowledged?.by], [null, 'anna']);
});

test('a command appends a whole line, after ending one that a crash tore', async (t) => {
  const directory = folder(t);
  const bytes = await written(directory);
  const path = join(directory, 'incidents.jsonl');
  truncateSync(path, bytes.length - 20);
  const note = ack(TWO.id, T0 + 10);
  await appendLine(directory, noteLine(note));
  assert.deepEqual((await loadNotes(directory)).at(-1), note);
  assert.deepEqual(readFileSync(path).subarray(0, bytes.length - 20), bytes.subarray(0, -20));
  assert.equal((await recover(directory)).warnings.length, 1);
});

test('a command makes no log of its own and follows no link', async (t) => {
  const directory = folder(t);
  await assert.rejects(appendLine(directory, noteLine(ack('a', T0))), { code: 'ENOENT' });
  assert.deepEqual(names(directory), []);
});

test('lines of others that look like notes are passed over', async (t) => {
  const directory = folder(t);
  const path = join(directory, 'incidents.jsonl');
  const good = ack(ONE.id, T0);
  writeFileSync(path, noteLine(good));
  const bad = [{ by: 7 }, { incident_id: '' }, { at: 'yesterday' }, { kind: 'opinion' }, { id: null }];
  const document = JSON.parse(noteLine(good).toString());
  for (const part of bad) appendFileSync(path, `${JSON.stringify({ ...document, id: 'other', ...part })}\n`);
  appendFileSync(path, '{"schema":"faultline/note/1", broken\n');
  assert.deepEqual(await loadNotes(directory), [good]);
});
