// In turns: a loop over what there may be thousands of, that lets everything else have the thread in between.

import { setImmediate as nextTurn } from 'node:timers/promises';

/** The items in order, `count` at a time; between two portions a turn of the loop ends. (A promise an item would cost more than the items.) */
export async function* inTurns<T>(items: Iterable<T>, count: number): AsyncGenerator<readonly T[], void, undefined> {
  let portion: T[] = [];
  for (const item of items) {
    if (portion.length === count) {
      yield portion;
      await nextTurn();
      portion = [];
    }
    portion.push(item);
  }
  if (portion.length > 0) yield portion;
}
