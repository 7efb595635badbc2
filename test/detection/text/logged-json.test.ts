// Objects of loggers: the message and the traceback are found by whichever names loggers and collectors give them, live and in saved logs.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JobLineDecoder } from '../../../src/detection/text/job.ts';
import { loggedFields, loggedMessage } from '../../../src/detection/text/logged-json.ts';
import { readLine } from '../../../src/sources/saved-text/form/read-line.ts';
import { jobRecord, START_MS } from './lines.ts';

const THROWN = 'RuntimeError: CUDA out of memory. Tried to allocate 3.39 GiB. GPU 0 has a total capacity of 79.10 GiB';
const TRACE = `Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    main()\n${THROWN}`;
const DEEP = TRACE.replace(
  '    main()\n',
  '    main()\n  File "b.py", line 9, in step\n    self.model(batch, mask, positions, cache)\n'.repeat(50),
);

/** Each with the host that it names. */
const OBJECTS: readonly (readonly [object, string | null])[] = [
  [{ time: '2026-11-29T11:21:35Z', level: 'error', msg: THROWN }, null],
  [{ time: '2026-11-29T11:21:35Z', message: `Training failed\n${TRACE}` }, null],
  [{ asctime: '2026-11-29 11:21:35,331', levelname: 'ERROR', message: 'Training failed', exc_info: TRACE }, null],
  [{ asctime: '2026-11-29 11:21:35,331', message: 'Training failed', exc_info: DEEP }, null],
  [{ event: 'training failed', exception: TRACE, timestamp: '2026-11-29T11:21:35Z' }, null],
  [{ ts: 1_795_951_295.331, lvl: 'E', text: THROWN }, null],
  [{ ts: 1_795_951_295_331, msg: 'failed', error: THROWN }, null],
  [{ '@timestamp': '2026-11-29T11:21:35Z', log: THROWN, kubernetes: { host: 'gx-07' } }, 'gx-07'],
  [{ '@timestamp': '2026-11-29T11:21:35Z', message: 'failed', error: { message: 'x', stack_trace: TRACE } }, null],
  [{ jsonPayload: { message: THROWN }, timestamp: '2026-11-29T11:21:35Z' }, null],
];

for (const [object, host] of OBJECTS) {
  const line = JSON.stringify(object);
  test(`the fault within ${line.slice(0, 70)}`, () => {
    const read = readLine(line);
    assert.equal(read.host, host);
    assert.ok(read.stamp?.kind === 'wall');
    assert.equal(Math.floor(read.stamp.utcMs / 1000), 1_795_951_295);
    for (const text of [line, read.message]) {
      const { faults } = new JobLineDecoder('llama').decode(jobRecord(text, 0, START_MS));
      assert.deepEqual(
        faults.map(({ kind }) => kind),
        ['job.gpu_oom'],
      );
    }
  });
}

test('a list of objects with one a line, and a time before one', () => {
  const line = JSON.stringify({ message: THROWN });
  for (const text of [`[${line},`, `${line},`, `${line}]`, `2026-11-29T11:21:35Z ${line}`])
    assert.equal(readLine(text).message, THROWN, text);
});

test('of a line that is not an object, or has no message, nothing is read', () => {
  assert.equal(loggedFields('{"message":"cut'), null);
  assert.equal(loggedFields(`{"message":"${'x'.repeat(70_000)}"}`), null);
  assert.equal(loggedFields('[1,2]'), null);
  assert.equal(loggedMessage(loggedFields('{"a":1,"message":{}}') ?? new Map()), null);
});
