// A log of many hosts whose lines alternate says of each what a log of its own would.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InputDecoder } from '../../../src/commands/scan/input-decoder.ts';
import type { EventInput, TextRecord } from '../../../src/model/record.ts';

const HOSTS = 100;
const START_MS = Date.UTC(2026, 10, 28, 12);
const LINES = [
  ...Array.from({ length: 20 }, (_, i) => ` [2026-11-28 12:00:${20 + i}] iteration ${i + 1}/ 100 | elapsed time per iteration (ms): 1000.0 | learning rate: 3.0E-05 | global batch size: 2048 | lm loss: ${i === 15 ? 'nan' : '2.1E+00'} | grad norm: 0.5 | number of skipped iterations: 0 | number of nan iterations: 0 |`),
  '[rank3]: Traceback (most recent call last):',
  '[rank3]:   File "/opt/train.py", line 9, in <module>',
  '[rank3]: RuntimeError: CUDA error: an illegal memory access was encountered',
]; // biome-ignore format: a line a line

function decoder(said: Map<string, EventInput[]>): InputDecoder {
  const onEvent = (host: string, event: EventInput): void => {
    said.set(host, [...(said.get(host) ?? []), event]);
  };
  return new InputDecoder({
    path: 'x.log',
    author: 'unknown',
    onEvent,
    onSteps: () => undefined,
    onReport: () => undefined,
  });
}

function record(line: number, position: number): TextRecord {
  const timeMs = START_MS + line * 1000;
  const attributes = { job: 'x', path: 'x.log', framework: 'auto' };
  return { source: 'job-log', trust: 'tenant', stream: 'job/x:x.log', position, timeMs, timeDigits: 0, observedMs: timeMs, text: LINES[line] ?? '', attributes }; // biome-ignore format: one line
}

test('hosts whose lines alternate are read as if each had a log of its own', () => {
  const hosts = Array.from({ length: HOSTS }, (_, i) => `node-${i}`);
  const [together, alone] = [new Map<string, EventInput[]>(), new Map<string, EventInput[]>()];
  const all = decoder(together);
  for (const line of LINES.keys())
    for (const [i, host] of hosts.entries()) all.take(record(line, line * HOSTS + i), host);
  all.end();
  for (const [i, host] of hosts.entries()) {
    const own = decoder(alone);
    for (const line of LINES.keys()) own.take(record(line, line * HOSTS + i), host);
    own.end();
  }
  assert.deepEqual(
    (alone.get('node-7') ?? []).map(({ kind }) => kind).sort(),
    ['job.nan', 'job.nan', 'job.rank_crashed'].sort(),
  );
  for (const host of hosts) assert.deepEqual(together.get(host), alone.get(host), host);
});
