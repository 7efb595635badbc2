// What is said of a file system that is full: which one, and how much is left.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fullnessText } from '../../src/model/fullness-text.ts';

test('a file system is named, with what is left in the unit of its size', () => {
  const of = (size: number, available: number, inodes: number | null = null) =>
    fullnessText({ path: '/var/log', size_bytes: size, available_bytes: available, inode_utilization: inodes });
  assert.equal(of(240 * 1024 ** 3, 322_122_547), '/var/log, 0.3 of 240 GiB left');
  assert.equal(of(300 * 1024, 0), '/var/log, 0 of 300 KiB left');
  assert.equal(of(0, 0), '/var/log, 0 of 0 B left');
  assert.equal(of(1024 ** 3, 1024 ** 3 / 2, 0.998), '/var/log, 0.5 of 1 GiB left, 100 % of inodes used');
});

test('attributes of anything else say nothing', () => {
  assert.equal(fullnessText({}), null);
  assert.equal(fullnessText({ path: '/var/log' }), null);
  assert.equal(fullnessText({ path: '/var/log', size_bytes: null, available_bytes: null }), null);
});
