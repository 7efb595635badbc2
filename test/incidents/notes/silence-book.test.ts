// Silences in force: by time, by what was said last, and those of the configuration, which no command ends.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SilenceBook } from '../../../src/incidents/notes/silence-book.ts';
import { makeNote, noteFromDocument, noteToDocument } from '../../../src/model/documents/note.ts';
import { parseMatcher } from '../../../src/model/matcher.ts';
import type { Silence } from '../../../src/model/note.ts';
import { T0 } from '../sample.ts';

function silence(text: string, more: Partial<Silence> = {}): Silence {
  const matcher = parseMatcher(text);
  if ('error' in matcher) assert.fail(matcher.error);
  const base = {
    host: 'node-3',
    atMs: T0,
    by: 'anna',
    note: 'why',
    fromMs: null,
    untilMs: T0 + 3_600_000,
    silenceId: null,
  };
  return makeNote({ ...base, kind: 'silence', state: 'start', matchers: [matcher], ...more }) as Silence; // made as one just there
}

const GPU = { kind: ['gpu.lost'] };

test('it hides what fits while it lasts, and is read back from its document', () => {
  const one = silence('kind="gpu.lost"');
  assert.deepEqual(noteFromDocument(noteToDocument(one)), one);
  const book = new SilenceBook([one]);
  assert.equal(book.of(GPU, T0 + 1)?.id, one.id);
  assert.equal(book.of({ kind: ['nic.lost'] }, T0 + 1), null);
  assert.equal(book.of(GPU, T0 + 3_600_000), null);
});

test('one that begins later hides nothing before; an end ends one alone; the configuration stays', () => {
  const book = new SilenceBook([], [silence('user=mallory', { untilMs: null })]);
  const later = silence('kind=gpu.lost', { fromMs: T0 + 60_000 });
  book.take(later);
  assert.equal(book.of(GPU, T0), null);
  assert.equal(book.of(GPU, T0 + 60_000)?.id, later.id);
  assert.equal(book.list(T0).length, 2);
  book.take(silence('kind=x', { state: 'end', matchers: [], silenceId: later.id }));
  assert.equal(book.of(GPU, T0 + 60_000), null);
  assert.equal(book.list(T0 + 1e12).length, 1);
  book.configure([]);
  assert.equal(book.list(T0).length, 0, 'read again, it is gone');
});
