// A loop over many that lets others have the thread in between: all items, in order, and who gets between them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inTurns } from '../../../../src/sources/flight-recorder/dumps/in-turns.ts';

test('every item comes in its order, and what waits is served after each so many', async () => {
  const seen: (number | string)[] = [];
  const waiting = () => {
    seen.push('other');
    if (seen.length < 20) setImmediate(waiting);
  };
  setImmediate(waiting);
  for await (const portion of inTurns([0, 1, 2, 3, 4, 5, 6], 3)) seen.push(...portion);
  assert.deepEqual(seen.filter((each) => each !== 'other'), [0, 1, 2, 3, 4, 5, 6]); // biome-ignore format: one line
  assert.deepEqual(seen.slice(0, 9), [0, 1, 2, 'other', 3, 4, 5, 'other', 6]);
});

test('what is left when no one asks any more is not looked at', async () => {
  let taken = 0;
  const items = (function* () {
    for (;;) {
      taken += 1;
      yield taken;
    }
  })();
  for await (const portion of inTurns(items, 2)) if (portion.includes(5)) break;
  assert.equal(taken, 7);
});
