// The kernel log reader through the addon: a file as it grows, and the real device where this user may write to it.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { accessSync, appendFileSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { native, noticesOf } from '../../src/native.ts';
import { drainUntil, makeCore } from './edges.ts';

test('a file in kmsg form: taken up when it appears, followed as it grows', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-kmsg-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'kmsg');
  const core = makeCore({ anchorMs: 1_700_000_000_000 });
  const reader = new (native().KernelLog)(core, { path, userLines: false, fromStart: false });
  await drainUntil(core, ({ notices }) => noticesOf(notices, 'kernel_state').some(({ state }) => state === 'absent'));
  writeFileSync(path, '3,41,5000250,-;NVRM: Xid (PCI:0000:9b:00): 79, GPU has fallen off the bus.\n SUBSYSTEM=pci\n');
  const first = await drainUntil(core, ({ records }) => records.length > 0);
  const [record] = first.records;
  assert.equal(record?.text, 'NVRM: Xid (PCI:0000:9b:00): 79, GPU has fallen off the bus.');
  assert.equal(record?.sequence, 41);
  assert.equal(record?.priority, 3);
  assert.equal(record?.facility, 0);
  assert.equal(record?.timeMs, 1_700_000_005_000.25);
  assert.ok((record?.observedMs ?? 0) > 1_700_000_000_000);
  appendFileSync(path, '14,42,1,-;a user wrote this\n6,43,1,-;caf\\xc3\\xa9 \\xff\n');
  const second = await drainUntil(core, ({ records }) => records.length > 0);
  assert.deepEqual(
    second.records.map(({ text }) => text),
    ['café \ufffd'],
  );
  reader.stop();
  reader.stop();
  core.close();
});

test('a storm of a million lines stays within bounds and is counted', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-kmsg-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'kmsg');
  const block = Array.from(
    { length: 100_000 },
    (_, i) => `6,${i},${i},-;storm of lines that say nothing at all ${i}\n`,
  );
  writeFileSync(path, block.join(''));
  for (let i = 1; i < 10; i++) appendFileSync(path, block.join(''));
  appendFileSync(path, '6,1000000,1,-;the last\n');
  const core = makeCore();
  const before = process.memoryUsage().rss;
  new (native().KernelLog)(core, { path, userLines: true, fromStart: true });
  let handed = 0;
  let reported = 0;
  const { records } = await drainUntil(core, (all) => {
    handed += all.records.length;
    reported += noticesOf(all.notices, 'queue_overflow').reduce((sum, { dropped }) => sum + dropped, 0);
    const last = all.records.at(-1)?.text === 'the last';
    // What was handed over is ours to drop; the reader itself must not grow.
    if (!last) for (const list of [all.records, all.notices]) (list as unknown[]).length = 0;
    return last;
  });
  assert.ok(records.length > 0);
  assert.equal(handed + reported, 1_000_001);
  assert.equal(core.stats().recordsLost, reported);
  assert.ok(process.memoryUsage().rss - before < 64 << 20);
  core.close();
});

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

if (mayWrite('/dev/kmsg')) {
  test('the real device: a line that user space wrote arrives, dated when it was written', async () => {
    const core = makeCore();
    new (native().KernelLog)(core, { path: '/dev/kmsg', userLines: true, fromStart: false });
    await drainUntil(core, ({ notices }) => noticesOf(notices, 'kernel_state').some(({ state }) => state === 'works'));
    const text = `faultline test line ${randomUUID()}`;
    const before = core.now();
    // Without its newline a record may still be continued, and the kernel shows it only when the next one comes.
    writeFileSync('/dev/kmsg', `<14>${text}\n`);
    const { records } = await drainUntil(core, (all) => all.records.some((record) => record.text === text));
    const record = records.find((each) => each.text === text);
    assert.equal(record?.facility, 1);
    assert.equal(record?.priority, 6);
    // The kernel log's clock is the scheduler's, which may drift from CLOCK_MONOTONIC by a little.
    assert.ok(Math.abs((record?.timeMs ?? 0) - before) < 60_000);
    core.close();
  });
}
