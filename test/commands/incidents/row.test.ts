// Rows of a list: what the log has is printed from there, what it has no longer is read again, and no faster than it is taken.

import assert from 'node:assert/strict';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { incidentFilter } from '../../../src/commands/incidents/filter.ts';
import { printedLines } from '../../../src/commands/incidents/printed-lines.ts';
import { printRows, type Row, type RowMaking, rowOf } from '../../../src/commands/incidents/row.ts';
import { incidentLine } from '../../../src/incidents/log/incident-lines.ts';
import { loadAs } from '../../../src/incidents/log/load.ts';
import { NoteBook } from '../../../src/incidents/notes/note-book.ts';
import { incidentToDocument } from '../../../src/model/documents/incident.ts';
import { shownJson } from '../../../src/model/shown-json.ts';
import { folder } from '../../incidents/log/folder.ts';
import { smallIncident, T0 } from '../../incidents/sample.ts';

const COUNT = 600;
const NEVER = new AbortController().signal;
const making: RowMaking = {
  isWanted: () => true,
  textOf: (incident) => `${shownJson(incidentToDocument(incident))}\n`,
  fails: () => false,
  isKept: () => false,
};

/** Takes a piece each turn of the event loop. */
class Slow extends Writable {
  text = '';
  most = 0;
  constructor() {
    super({ highWaterMark: 1 });
  }
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    this.most = Math.max(this.most, this.writableLength);
    setImmediate(done);
  }
}

async function rowsOf(directory: string): Promise<readonly Row[]> {
  const options = { limit: COUNT, withEvents: () => false };
  return (await loadAs(directory, options, (incident, line) => rowOf(incident, line, making))).incidents;
}

function written(directory: string): string {
  const lines = Array.from({ length: COUNT }, (_, i) => incidentLine(smallIncident(i, 1, 'resolved')));
  writeFileSync(join(directory, 'incidents.jsonl'), Buffer.concat(lines));
  return Buffer.concat(lines).toString();
}

const io = (stdout: Writable): Parameters<typeof printRows>[1] => ({ stdout }) as Parameters<typeof printRows>[1]; // no more is asked of it

test('lines that are printed as they are stay in the log until then, and are written as they are taken', async (t) => {
  const directory = folder(t);
  const log = written(directory);
  const rows = await rowsOf(directory);
  assert.ok(rows.every(({ text }) => typeof text === 'object' && text !== null));
  const slow = new Slow();
  await printRows(rows, io(slow), NEVER, () => assert.fail('all of them are there'));
  await new Promise((resolve) => slow.end(resolve));
  assert.equal(slow.text, log);
  assert.ok(slow.most < log.length / 2, `${slow.most} bytes waited`);
});

test('of what one line says whole the list keeps the place, and prints what the reader would write', async (t) => {
  const directory = folder(t);
  const ended = Array.from({ length: COUNT }, (_, i) => smallIncident(i, 1, i % 3 === 0 ? 'open' : 'resolved'));
  writeFileSync(join(directory, 'incidents.jsonl'), Buffer.concat(ended.map(incidentLine)));
  const filter = await incidentFilter({ severity: 'error' }, 0);
  const asLine = printedLines(filter, () => new NoteBook(), { writing: false, lastMs: T0 }, T0 + 1000);
  const options = { limit: COUNT, withEvents: () => false, evidence: true };
  const { incidents: rows } = await loadAs(directory, options, () => assert.fail('none is parsed'), asLine);
  assert.ok(rows.every(({ text }) => typeof text === 'object' && text !== null));
  const slow = new Slow();
  await printRows(rows, io(slow), NEVER, () => assert.fail('all of them are there'));
  await new Promise((resolve) => slow.end(resolve));
  const said = { acknowledged: null, verdict: null };
  const texts = ended.map((incident) => {
    const asOf = incident.state === 'open' ? { as_of: '2026-11-27T14:32:00.000Z' } : {};
    return `${shownJson({ ...incidentToDocument(incident), ...asOf, ...said })}\n`;
  });
  assert.equal(slow.text, texts.join(''));
});

test('of a log that was moved meanwhile nothing else is printed', async (t) => {
  const directory = folder(t);
  const log = written(directory);
  const rows = await rowsOf(directory);
  const path = join(directory, 'incidents.jsonl');
  renameSync(path, `${path}.1`);
  writeFileSync(path, readFileSync(`${path}.1`).subarray(5)); // other bytes at each place
  const asked: string[] = [];
  const slow = new Slow();
  await printRows(rows, io(slow), NEVER, async (ids) => {
    asked.push(...ids);
    return new Map([...ids].map((id) => [id, `${id}\n`]));
  });
  await new Promise((resolve) => slow.end(resolve));
  assert.equal(asked.length, COUNT);
  assert.equal(slow.text, rows.map(({ id }) => `${id}\n`).join(''));
  assert.notEqual(slow.text, log);
});
