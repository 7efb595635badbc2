// Tests of the kernel log in kmsg form.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { FakeKernelLog, xidLine } from '../../../src/simulator/rack/fake-kernel-log.ts';

test('lines carry priority and facility, a running number, monotonic µs, and escaped text', () => {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-kmsg-'));
  let us = 5_000_000;
  const log = new FakeKernelLog(join(folder, 'kmsg'), () => us);
  us = 5_000_123;
  log.write('one\ntwo', 3, 1);
  log.close();
  const lines = readFileSync(join(folder, 'kmsg'), 'utf8').trimEnd().split('\n');
  rmSync(folder, { recursive: true });
  assert.match(lines[0] ?? '', /^5,1000,5000000,-;Linux version/);
  assert.equal(lines[1], '11,1001,5000123,-;one\\x0atwo');
  assert.equal(lines.length, 2);
});

test('an XID line names the address as the kernel module does, without the function', () => {
  assert.equal(
    xidLine('0000:c3:00.0', 79, 'GPU has fallen off the bus.'),
    "NVRM: Xid (PCI:0000:c3:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
  );
});
