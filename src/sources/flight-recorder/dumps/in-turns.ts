// In turns: a loop over what there may be thousands of, that lets everything else have the thread in between.

import { setImmediate as nextTurn } from 'node:timers/promises';

/** The items in order; after every `count` of them a turn of the loop ends. */
export async function* inTurns<T>(items: Iterable<T>, count: number): AsyncGenerator<T, void, undefined> {
  let given = 0;
  for (const item of items) {
    if (given > 0 && given % count === 0) await nextTurn();
    given += 1;
    yield item;
  }
}
