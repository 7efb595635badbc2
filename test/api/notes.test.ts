// Notes over the real socket: what is taken, what is refused with a code that helps, and what hostile bodies come to.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import fc from 'fast-check';
import { ApiError } from '../../src/api/api-error.ts';
import { type ApiServer, startApi } from '../../src/api/api-server.ts';
import { MAX_BODY_BYTES } from '../../src/api/body.ts';
import { readNote } from '../../src/api/read-note.ts';
import { noteFromDocument, noteToDocument } from '../../src/model/documents/note.ts';
import { get, raw, TestBackend, temporaryFolder } from './helpers.ts';

const ID = '44fa3ab4dc2b';
const ACK = { kind: 'ack', by: 'anna', incident_id: ID };

describe('notes', () => {
  let backend: TestBackend;
  let api: ApiServer;
  beforeEach(async () => {
    backend = new TestBackend();
    api = await startApi(backend, join(temporaryFolder(), 'run'));
  });
  afterEach(() => api.close());
  const post = (body: unknown) =>
    get(api.path, '/v1/notes', 'POST', typeof body === 'string' ? body : JSON.stringify(body));

  test('an acknowledgement is answered with the note as it is in the log', async () => {
    const { status, body } = await post({ ...ACK, note: 'INC-4711' });
    assert.equal(status, 200);
    const answer = JSON.parse(body);
    assert.equal(answer.written, true);
    const { id, ...note } = answer.note;
    assert.match(id, /^[0-9a-f]{12}$/);
    assert.deepEqual(note, {
      schema: 'faultline/note/1',
      host: 'node-3',
      kind: 'ack',
      at: '2023-11-14T22:13:20.000Z',
      by: 'anna',
      by_from: 'client',
      incident_id: ID,
      note: 'INC-4711',
    });
    assert.equal(backend.notes.length, 1);
  });

  test('maintenance is of the host where no component is named, and a device goes by its canonical address', async () => {
    await post({ kind: 'maintenance', state: 'start', by: 'anna', for_ms: 60_000 });
    await post({ kind: 'maintenance', state: 'start', by: 'anna', component: 'gpu/9B:00' });
    assert.deepEqual(
      backend.notes.map((note) => note.kind === 'maintenance' && [note.component, note.untilMs]),
      [
        [{ type: 'host', id: 'node-3' }, 1_700_000_060_000],
        [{ type: 'gpu', id: '0000:9b:00.0' }, 1_700_014_400_000],
      ],
    );
    const third = await post({ kind: 'maintenance', state: 'start', by: 'anna', component: 'psu/node-3/1' });
    assert.deepEqual([third.status, JSON.parse(third.body).code], [409, 'FL3404']);
  });

  test('the end of what was not declared is refused with what is in force', async () => {
    await post({ kind: 'maintenance', state: 'start', by: 'anna', component: 'psu/node-3/1' });
    const { status, body } = await post({ kind: 'maintenance', state: 'end', by: 'anna' });
    assert.deepEqual([status, JSON.parse(body).code], [409, 'FL3405']);
    assert.match(JSON.parse(body).message, /psu\/node-3\/1/);
  });

  const wrong: readonly [string, unknown][] = [
    ['no object', [ACK]],
    ['an unknown kind', { ...ACK, kind: 'opinion' }],
    ['an unknown key', { ...ACK, severity: 'info' }],
    ['a key of the prototype', JSON.stringify({ ...ACK }).replace('{', '{"__proto__":{"by":"root"},')],
    ['no name', { ...ACK, by: ' ' }],
    ['a name that is not a text', { ...ACK, by: { toString: 'anna' } }],
    ['a name that is too long', { ...ACK, by: 'x'.repeat(65) }],
    ['a name that a terminal obeys', { ...ACK, by: 'anna\u001b[2J' }],
    ['a name that turns writing around', { ...ACK, by: 'anna\u202e' }],
    ['half a character', JSON.stringify({ ...ACK, by: 'a' }).replace('"a"', '"\\ud800"')],
    ['a note of two lines', { ...ACK, note: 'one\ntwo' }],
    ['a note that is too long', { ...ACK, note: 'x'.repeat(501) }],
    ['no incident', { kind: 'ack', by: 'anna' }],
    ['a path as incident', { ...ACK, incident_id: '../../etc/pas' }],
    ['a verdict that is none', { ...ACK, kind: 'verdict', verdict: 'maybe' }],
    ['another root where it was right', { ...ACK, kind: 'verdict', verdict: 'right', root_kind: 'gpu.lost' }],
    ['a kind that is none', { ...ACK, kind: 'verdict', verdict: 'wrong', root_kind: 'toString' }],
    ['a component of no type', { kind: 'maintenance', state: 'start', by: 'anna', component: 'toaster/1' }],
    ['a GPU by index', { kind: 'maintenance', state: 'start', by: 'anna', component: 'gpu/0' }],
    ['a time that is too short', { kind: 'maintenance', state: 'start', by: 'anna', for_ms: 1 }],
    ['a time without end', { kind: 'maintenance', state: 'start', by: 'anna', for_ms: 1e300 }],
  ];
  for (const [what, body] of wrong) {
    test(`${what} is refused with FL3402, and nothing is kept`, async () => {
      const answer = await post(body);
      assert.deepEqual([answer.status, JSON.parse(answer.body).code], [400, 'FL3402'], answer.body);
      assert.deepEqual(backend.notes, []);
    });
  }

  test('what is not JSON, no UTF-8 or too long is refused with FL3401', async () => {
    for (const body of ['', '{', 'null{}', '['.repeat(4000)]) {
      const answer = await post(body);
      assert.deepEqual([answer.status, JSON.parse(answer.body).code], [400, 'FL3401'], body.slice(0, 20));
    }
    const bytes = Buffer.concat([Buffer.from('{"by":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
    const head = `POST /v1/notes HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: ${bytes.length}\r\n\r\n`;
    assert.match(await raw(api.path, Buffer.concat([Buffer.from(head), bytes])), /^HTTP\/1\.1 400 .*FL3401/s);
    const long = await post({ ...ACK, note: 'x'.repeat(MAX_BODY_BYTES) });
    assert.deepEqual([long.status, JSON.parse(long.body).code], [413, 'FL3401']);
    const chunk = `1000\r\n${'x'.repeat(0x1000)}\r\n`;
    const chunked = `POST /v1/notes HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n`;
    assert.match(await raw(api.path, chunked + chunk.repeat(3)), /^HTTP\/1\.1 413 .*FL3401/s);
    assert.deepEqual(backend.notes, []);
  });

  test('a flood is refused before it rolls the incidents out of the log', async () => {
    const codes = new Set<unknown>();
    for (let count = 0; count < 70; count += 1) {
      const { status, body } = await post(ACK);
      if (status !== 200) codes.add(`${status} ${JSON.parse(body).code}`);
    }
    assert.deepEqual([...codes], ['429 FL3404']);
    assert.equal(backend.notes.length, 60);
  });

  test('an incident is shown with what was said of it', async () => {
    await post(ACK);
    const [note] = backend.notes;
    assert.ok(note?.kind === 'ack');
    backend.saidOf.set(ID, { acknowledged: note, verdict: null });
    assert.equal(JSON.parse((await get(api.path, '/v1/incidents')).body).incidents.length, 0);
  });
});

test('whatever a body holds, it is refused with a code or is a note that reads back as it is', () => {
  const value = fc.oneof(fc.jsonValue(), fc.string(), fc.constantFrom('ack', 'verdict', 'maintenance', 'start', ID));
  const body = fc.oneof(
    fc.jsonValue(),
    fc.record(
      {
        kind: fc.oneof(fc.constantFrom('ack', 'verdict', 'maintenance'), value),
        by: fc.oneof(fc.string({ minLength: 1, maxLength: 70 }), value),
        note: fc.oneof(fc.string({ unit: 'binary', maxLength: 600 }), value),
        incident_id: fc.oneof(fc.constant(ID), value),
        verdict: fc.oneof(fc.constantFrom('right', 'wrong'), value),
        state: fc.oneof(fc.constantFrom('start', 'end'), value),
        component: fc.oneof(fc.constantFrom('host/node-3', 'gpu/0000:9b:00.0', 'rank/llama/3'), value),
        for_ms: fc.oneof(fc.integer(), fc.double(), value),
      },
      { requiredKeys: [] },
    ),
  );
  fc.assert(
    fc.property(body, (given) => {
      try {
        const note = readNote(given, 'node-3', 1_700_000_000_000);
        assert.deepEqual(noteFromDocument(JSON.parse(JSON.stringify(noteToDocument(note)))), note);
      } catch (error) {
        assert.ok(error instanceof ApiError && error.code === 'FL3402', String(error));
      }
    }),
    { numRuns: 2000 },
  );
});
