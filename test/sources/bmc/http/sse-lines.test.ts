// Server-sent events out of pieces of any size, and what is too long.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SseLines } from '../../../../src/sources/bmc/http/sse-lines.ts';

test('events are whole whatever pieces they come in, and comments and ids are none', () => {
  const text = ': hello\nid: 1\ndata: {"a":\ndata: 1}\n\nretry: 5\r\ndata:x\r\ndata: y\r\n\r\n\n\nevent: nothing\n\n';
  for (const size of [1, 2, 3, 7, text.length]) {
    const came: string[] = [];
    const lines = new SseLines((data) => came.push(data));
    for (let at = 0; at < text.length; at += size) lines.add(text.slice(at, at + size));
    assert.deepEqual(came, ['{"a":\n1}', 'x\ny']);
  }
});

test('what has no end is not kept, and the next event is read', () => {
  const came: string[] = [];
  const lines = new SseLines((data) => came.push(data));
  for (let i = 0; i < 40; i += 1) lines.add('x'.repeat(10_000));
  lines.add('\n\n');
  for (let i = 0; i < 40; i += 1) lines.add(`data: ${'y'.repeat(10_000)}\n`);
  lines.add('\ndata: well\n\n');
  assert.deepEqual(came, ['well']);
  assert.equal(lines.dropped, 2);
});

test('lines of nothing count too: an event of very many is left out', () => {
  const came: string[] = [];
  const lines = new SseLines((data) => came.push(data));
  for (let i = 0; i < 300; i += 1) lines.add('data:\n'.repeat(1000));
  lines.add('\ndata: well\n\n');
  assert.deepEqual([came, lines.dropped], [['well'], 1]);
});
