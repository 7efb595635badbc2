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

test('a line that comes byte by byte costs no more than its length, and is bounded the same', () => {
  const came: string[] = [];
  const lines = new SseLines((data) => came.push(data));
  const cpuMs = (bytes: number): number => {
    const before = process.cpuUsage();
    for (const byte of 'data: ') lines.add(byte);
    for (let i = 0; i < bytes; i += 1) lines.add('z');
    lines.add('\r');
    lines.add('\n');
    lines.add('\n');
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  cpuMs(20_000);
  const [short, long] = [cpuMs(25_000), cpuMs(250_000)];
  assert.deepEqual(
    came.map(({ length }) => length),
    [20_000, 25_000, 250_000],
  );
  // Ten times the bytes: a hundred times the work where every byte looks at all before it.
  assert.ok(long < 40 * Math.max(short, 2), `${long} ms of CPU for ten times what took ${short} ms`);
  cpuMs(300_000);
  assert.deepEqual([came.length, lines.dropped], [3, 1]);
});

test('a line that is too long by one is left out whole, and what follows it in its event, too', () => {
  const came: string[] = [];
  const lines = new SseLines((data) => came.push(data));
  lines.add('x'.repeat(256 * 1024 + 1));
  lines.add('\ndata: of the same event\n\ndata: well\n\n');
  assert.deepEqual([came, lines.dropped], [['well'], 1]);
});
