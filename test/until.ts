// Until: the one way in which a test waits for what has to come; it fails with what did not.

import { setTimeout as sleep } from 'node:timers/promises';

/** A minute: only what is broken takes that long, also on a busy machine. */
export const PATIENCE_MS = 60_000;

export interface UntilOptions {
  /** What is waited for, in words; the source of the function where none are given. */
  readonly what?: string;
  /** What there is instead, shown when it did not come. */
  readonly seen?: () => unknown;
  readonly limitMs?: number;
}

/** Waits until `look` gives something other than false, null and undefined, and returns it. */
export async function until<T>(
  look: () => T | Promise<T>,
  options: UntilOptions = {},
): Promise<Exclude<T, false | null | undefined>> {
  const { what = String(look), seen, limitMs = PATIENCE_MS } = options;
  for (const end = performance.now() + limitMs; ; await sleep(5)) {
    const found = await look();
    if (found !== false && found !== null && found !== undefined) {
      return found as Exclude<T, false | null | undefined>; // the condition above, which does not narrow a type parameter
    }
    if (performance.now() > end) {
      const instead = seen === undefined ? '' : `; instead: ${JSON.stringify(seen())}`;
      throw new Error(`waited ${limitMs} ms in vain for ${what}${instead}`);
    }
  }
}
