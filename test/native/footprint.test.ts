// Memory given back through the addon: pages that were only read leave the process, and everything continues.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { native } from '../../src/native.ts';

/** Resident pages of files, KiB. */
function fromFiles(): number {
  return Number(/^RssFile:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
}

test('pages of program and libraries that were only read are let go of, and come back where they are used', async () => {
  native().keepMallocSmall();
  const before = fromFiles();
  assert.equal(native().giveBackMemory(), true);
  let least = before;
  for (let i = 0; i < 1000 && least > 0.9 * before; i += 1) {
    await sleep(5);
    least = Math.min(least, fromFiles());
  }
  assert.equal(least < 0.9 * before, true, `${least} of ${before} KiB are left`);
  const { values } = new (native().Core)({ historySeconds: 60, maxSeries: 10 }).history('none', 0, 1);
  assert.equal(values.length, 0);
});
