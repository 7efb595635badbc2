// What procfs says of a process, also when its name is out to confuse.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { processUsage } from '../../../src/sinks/self/host-process.ts';

function procWith(stat: string, status: string): string {
  const root = mkdtempSync(join(tmpdir(), 'fl-proc-'));
  mkdirSync(join(root, '42'));
  writeFileSync(join(root, '42', 'stat'), stat);
  writeFileSync(join(root, '42', 'status'), status);
  return root;
}

test('CPU and resident memory, whatever the program is called', async () => {
  const rest = 'S 1 42 42 0 -1 4194560 100 0 0 0 150 25 0 0 20 0 1 0 100 1000 10';
  const proc = procWith(`42 (evil) S 9 9 (9 9) ${rest}\n`, 'Name:\tevil\nVmHWM:\t9 kB\nVmRSS:\t    2048 kB\n');
  assert.deepEqual(await processUsage(proc, 42), { residentBytes: 2_097_152, userSeconds: 1.5, systemSeconds: 0.25 });
});

test('a process that is gone, and files that make no sense, are null', async () => {
  assert.equal(await processUsage(procWith('', ''), 42), null);
  assert.equal(await processUsage(procWith('42 (x) S 1', 'VmRSS: many kB'), 42), null);
  assert.equal(await processUsage(procWith('', ''), 43), null);
});

test('our own process can be read', async () => {
  const usage = await processUsage('/proc', process.pid);
  assert.ok(usage !== null && usage.residentBytes > 10e6 && usage.userSeconds > 0);
});
