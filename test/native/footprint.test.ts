// Memory given back through the addon: pages that were only read leave the process, and everything continues.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
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

test('the text of a file is read where it lies, is the same when its pages were given back, and runs', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'faultline-text-')), 'script.js');
  const script = `[${Array.from({ length: 30_000 }, (_, i) => `'${i}'`).join()}]`;
  writeFileSync(file, script);
  const text = native().mapText(file, '(', ').length');
  assert.ok(text === `(${script}).length`);
  native().giveBackMemory();
  await sleep(50);
  assert.equal(runInNewContext(text), 30_000);
  assert.equal(native().mapText(`${file}.none`, '', ''), undefined);
  rmSync(dirname(file), { recursive: true });
});

/** Resident pages of malloc's heap, KiB. */
function ofHeap(): number {
  return Number(/\[heap\]\n(?:.*\n){3}Rss:\s+(\d+) kB/.exec(readFileSync('/proc/self/smaps', 'utf8'))?.[1]);
}

test('what malloc keeps below a block that is in use is given back', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const before = ofHeap();
  let blocks = Array.from({ length: 1024 }, () => Buffer.alloc(32_768, 1)); // less than what malloc maps by itself
  const last = Buffer.alloc(32_768, 1);
  blocks = [];
  collect();
  await sleep(0);
  collect();
  const kept = ofHeap();
  assert.equal(native().giveBackHeap(), true);
  let left = kept;
  for (let i = 0; i < 1000 && left > before + 8_192; i += 1) {
    await sleep(5);
    left = ofHeap();
  }
  assert.ok(left <= before + 8_192, `${before}, then ${kept}, then ${left} KiB`);
  assert.deepEqual([blocks.length, last[0]], [0, 1]);
});
