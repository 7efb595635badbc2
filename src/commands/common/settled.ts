// Settled: waits until sources that were started for a look of a moment have made up their mind.

import type { SourceHealth } from '../../sources/source.ts';

const LONGEST_MS = 3000;
/** A device over the network that has not answered yet is waited for: its time-outs say more than "not yet". */
const LONGEST_STARTING_MS = 15_000;
/** A source that reports the same for this long has made up its mind. */
const SETTLED_MS = 1000;
const STEP_MS = 50;

/** `also`: what must stay the same as well. */
export async function settled(look: () => readonly SourceHealth[], also: () => unknown = () => null): Promise<void> {
  const started = performance.now();
  let since = started;
  let before = '';
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
    const health = look();
    const now = performance.now();
    const text = JSON.stringify([health, also()]);
    if (text !== before) since = now;
    before = text;
    const starting = health.some(({ detail }) => /^(starting|not read yet)/.test(detail));
    if (now - started >= (starting ? LONGEST_STARTING_MS : LONGEST_MS) || (now - since >= SETTLED_MS && !starting))
      return;
  }
}
