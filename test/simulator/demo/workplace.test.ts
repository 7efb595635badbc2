// Tests of the demo's temporary folder.

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Workplace } from '../../../src/simulator/demo/workplace.ts';

test('a path with spaces is fine, and removing leaves nothing', () => {
  const parent = mkdtempSync(join(tmpdir(), 'with space '));
  const place = new Workplace(parent);
  assert.ok(existsSync(place.rack));
  place.remove();
  assert.deepEqual(readdirSync(parent), []);
  rmSync(parent, { recursive: true });
});

test('a path too long for a socket is refused with what to do, and leaves nothing', () => {
  const parent = mkdtempSync(join(tmpdir(), 'x'.repeat(90)));
  assert.throws(() => new Workplace(parent), /FL5110 .* too long for a socket\. Set TMPDIR to a shorter path/);
  assert.deepEqual(readdirSync(parent), []);
  rmSync(parent, { recursive: true });
});

test('a parent that is not there is refused with what to do', () => {
  assert.throws(() => new Workplace('/nowhere/at/all'), /FL5110 no temporary folder .* Set TMPDIR/);
});
